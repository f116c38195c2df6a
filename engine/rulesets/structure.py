"""
A list of levels by the clock for a tournament that is to end near a given time.

A tournament ends about when all chips in play are so many big bets: from there on one hand
costs too much to wait for.  So the forced bets grow evenly, from a comfortable share of
a stack to that share of all chips, and a few levels more for a night that runs late.

The two shares, and how long a hand takes, were found by playing tournaments out
(``bench.structure``); they are a model of people at a table, not a promise.
"""

import math
from collections.abc import Iterable
from itertools import takewhile

from msgspec.structs import replace

from engine.rulesets.errors import RulesetInvalid
from engine.rulesets.model import CoruscantShift, Ruleset
from engine.rulesets.parts import Ante, AnteByPlayers, Blinds, DoublePerOrbit, Levels, LevelStep
from engine.rulesets.validation import NUMBER_MAX, contradiction

PLAYERS_MAX = 100_000
MINUTES_MIN, MINUTES_MAX = 45, 1440
"""For how long :func:`suggest` promises an end near the time asked for."""

EVENING_SECONDS = 7200
"""How long a tournament is to last if its announcement does not say."""

GROWTH_MIN = 1.25
"""From one level to the next, for stacks that are too short to last an evening."""

HAND_SECONDS = 25
PLAYER_SECONDS = 7
"""A hand takes so long, and so much longer for everybody who is dealt in."""

STACK_IN_BETS = 100
"""Big bets in a stack at the start, unless the game itself begins with larger ones."""

STACK_MIN_IN_BETS = 20
"""Of the bets that the game begins with: from a shorter stack nobody plays on."""

END_FACTOR, END_POWER = 6.6, 0.6
"""Big bets in all chips at the end: more, the more hands two players have in a level."""

ANTE_FACTOR = 0.3
"""Of that where everybody pays an ante: bets are small beside it."""

LEVELS = 12
"""Until the time asked for."""

LEVELS_MORE = 8
"""After it, for a tournament that runs late."""

_NICE = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def hand_seconds(players: int) -> int:
    """
    Return how long a hand of so many takes, by the model.

    >>> hand_seconds(2), hand_seconds(6)
    (39, 67)
    """
    return HAND_SECONDS + PLAYER_SECONDS * players


def suggest(ruleset: Ruleset, *, players: int, stack: int, minutes: int) -> tuple[LevelStep, ...]:
    """
    Return levels by the clock after which a tournament ends near *minutes*.

    Args:
        ruleset: A game of Coruscant Shift for chips, with blinds or an ante.
        stack: What everybody begins with.

    Raises:
        RulesetInvalid: If its forced bets do not rise by levels, or the stack is too
            short to last so long.
    """
    game, base = _check(ruleset, players, stack, minutes)
    length = round(minutes * 60 / LEVELS)
    first = max(stack / STACK_IN_BETS, base)
    last = players * stack / _chips_at_the_end(ruleset, length)
    if last <= first:
        raise RulesetInvalid(reason="the stacks are too small for so long a tournament")
    growth = (last / first) ** (1 / (LEVELS - 1))
    levels = _levels(game, first, growth, length)
    reason = contradiction(replace(ruleset, escalation=Levels(by="clock", levels=levels)))
    if reason is not None:
        raise RulesetInvalid(reason=reason)
    return levels


def counts_per_table(ruleset: Ruleset) -> bool:
    """Return whether each table raises the forced bets for itself, by its own hands."""
    match ruleset.escalation:
        case DoublePerOrbit() | AnteByPlayers():
            return True
        case Levels(by=by):
            return by == "hands"
        case _:
            return False


def by_the_clock(
    ruleset: Ruleset, *, players: int, stack: int, seconds: int = EVENING_SECONDS
) -> Ruleset:
    """
    Return *ruleset* with levels by the clock, the same at every table.

    The first level has the forced bets that the ruleset itself begins with.  Any stack
    will do: if it is too short to last so long, the bets still rise.

    Args:
        ruleset: A game of Coruscant Shift whose forced bets rise.
        players: As many as may enter; fewer end earlier.
        stack: What everybody begins with.
        seconds: How long to play.  Any length will do; a level lasts a second at least.

    Source: rulebook ``escalation.several_tables``.
    """
    if not isinstance(ruleset, CoruscantShift):
        raise TypeError("only forced bets of Coruscant Shift rise")
    length = max(1, round(seconds / LEVELS))
    amounts = ruleset.base_amounts()
    first = amounts.big or amounts.ante
    last = players * stack / _chips_at_the_end(ruleset, length)
    growth = max((last / first) ** (1 / (LEVELS - 1)), GROWTH_MIN)
    levels = _levels(ruleset, first, growth, length)
    return replace(ruleset, escalation=Levels(by="clock", levels=levels))


def _chips_at_the_end(ruleset: Ruleset, length: int) -> float:
    """Return how many big bets all chips are when a tournament of such levels ends."""
    chips: float = END_FACTOR * (length / hand_seconds(2)) ** END_POWER
    return chips * ANTE_FACTOR if isinstance(ruleset.forced, Ante) else chips


def _check(ruleset: Ruleset, players: int, stack: int, minutes: int) -> tuple[CoruscantShift, int]:
    """Return the game, and the big bet that it begins with."""
    if not isinstance(ruleset, CoruscantShift) or ruleset.moneyless:
        raise RulesetInvalid(reason="the forced bets of this game do not rise by levels")
    if not isinstance(ruleset.forced, Blinds | Ante):
        raise RulesetInvalid(reason="this game has no forced bets")
    if not 2 <= players <= PLAYERS_MAX:
        raise RulesetInvalid(reason=f"players must be 2 to {PLAYERS_MAX}")
    if not MINUTES_MIN <= minutes <= MINUTES_MAX:
        raise RulesetInvalid(reason=f"minutes must be {MINUTES_MIN} to {MINUTES_MAX}")
    amounts = ruleset.base_amounts()
    base = amounts.big or amounts.ante
    least = STACK_MIN_IN_BETS * base
    if stack < least or stack % ruleset.chip_unit:
        raise RulesetInvalid(
            reason=f"the stack must be at least {least} chips, in units of {ruleset.chip_unit}"
        )
    return ruleset, base


def _levels(
    ruleset: CoruscantShift, first: float, growth: float, length: int
) -> tuple[LevelStep, ...]:
    """Return levels that begin at *first*; at the ruleset's own forced bets if it is no more."""
    own = ruleset.base_amounts()
    bets = (
        _rounded(first * growth**number, ruleset.chip_unit)
        for number in range(LEVELS + LEVELS_MORE)
    )
    opening, *later = (_step(ruleset, bet, length) for bet in bets)
    if first <= (own.big or own.ante):
        opening = LevelStep(small=own.small, big=own.big, ante=own.ante, length=length)
    countable = takewhile(lambda step: max(step.big, step.ante) <= NUMBER_MAX, later)
    return _listed((opening, *countable))


def _rounded(amount: float, unit: int) -> int:
    """Return the amount near *amount* that is easy to count, in units."""
    units = max(1.0, amount / unit)
    power = 10.0 ** math.floor(math.log10(units))
    nice = min(_NICE, key=lambda each: abs(each * power - units))
    return unit * max(1, round(nice * power))


def _listed(steps: Iterable[LevelStep]) -> tuple[LevelStep, ...]:
    """Return *steps* as they rise; the last one stays."""
    listed: list[LevelStep] = []
    for step in steps:
        if not listed or _bet(step) > _bet(listed[-1]):
            listed.append(step)
        else:
            # The smallest chip is too large for a step: the level before lasts longer.
            before = listed.pop()
            listed.append(replace(before, length=(before.length or 0) + (step.length or 0)))
    return (*listed[:-1], replace(listed[-1], length=None))


def _step(ruleset: CoruscantShift, bet: int, length: int) -> LevelStep:
    if isinstance(ruleset.forced, Ante):
        return LevelStep(ante=bet, length=length)
    least, unit = ruleset.base_amounts(), ruleset.chip_unit
    small = max(least.small, unit * max(1, bet // 2 // unit))
    ante = max(least.ante, bet) if least.ante else 0
    if isinstance(ruleset.forced, Blinds) and ruleset.forced.player_ante:
        # As large beside the big blind as in the ruleset.
        share = bet * ruleset.forced.player_ante // ruleset.forced.big
        ante = max(least.ante, unit * max(1, share // unit))
    return LevelStep(small=small, big=bet, ante=ante, length=length)


def _bet(step: LevelStep) -> int:
    return step.big or step.ante
