"""
A list of levels by the clock for a tournament that is to end near a given time.

A tournament ends about when all chips in play are so many big bets: from there on one hand
costs too much to wait for.  So the forced bets grow evenly, from a comfortable share of
a stack to that share of all chips, and a few levels more for a night that runs late.

The two shares, and how long a hand takes, were found by playing tournaments out
(``bench.structure``); they are a model of people at a table, not a promise.
"""

import math
from collections.abc import Iterator

from msgspec.structs import replace

from engine.rulesets.errors import RulesetInvalid
from engine.rulesets.model import CoruscantShift, Ruleset
from engine.rulesets.parts import Ante, Blinds, Levels, LevelStep
from engine.rulesets.validation import contradiction

PLAYERS_MAX = 100_000
MINUTES_MIN, MINUTES_MAX = 45, 1440

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
    base = _check(ruleset, players, stack, minutes)
    length = round(minutes * 60 / LEVELS)
    first = max(stack / STACK_IN_BETS, base)
    last = players * stack / _chips_at_the_end(ruleset, length)
    if last <= first:
        raise RulesetInvalid(reason="the stacks are too short to last so long")
    growth = (last / first) ** (1 / (LEVELS - 1))
    steps: list[LevelStep] = []
    for bet in _rising(ruleset, first, growth):
        step = _step(ruleset, bet, length)
        if steps and not _higher(steps[-1], step):
            # The smallest chip is too large for a step: the level before lasts longer.
            before = steps.pop()
            step = _step(ruleset, _bet(before), (before.length or 0) + length)
        steps.append(step)
    last_step = steps.pop()
    levels = (*steps, _step(ruleset, _bet(last_step), None))
    reason = contradiction(replace(ruleset, escalation=Levels(by="clock", levels=levels)))
    if reason is not None:
        raise RulesetInvalid(reason=reason)
    return levels


def _chips_at_the_end(ruleset: Ruleset, length: int) -> float:
    """Return how many big bets all chips are when a tournament of such levels ends."""
    chips: float = END_FACTOR * (length / hand_seconds(2)) ** END_POWER
    return chips * ANTE_FACTOR if isinstance(ruleset.forced, Ante) else chips


def _check(ruleset: Ruleset, players: int, stack: int, minutes: int) -> int:
    """Return the big bet that the game begins with."""
    if not isinstance(ruleset, CoruscantShift) or ruleset.moneyless:
        raise RulesetInvalid(reason="its forced bets do not rise by levels")
    if not isinstance(ruleset.forced, Blinds | Ante):
        raise RulesetInvalid(reason="nobody pays anything before the cards")
    if not 2 <= players <= PLAYERS_MAX or not MINUTES_MIN <= minutes <= MINUTES_MAX:
        raise RulesetInvalid(reason=f"2 players at least, {MINUTES_MIN} to {MINUTES_MAX} minutes")
    amounts = ruleset.base_amounts()
    base = amounts.big or amounts.ante
    least = STACK_MIN_IN_BETS * base
    if stack < least or stack % ruleset.chip_unit:
        raise RulesetInvalid(
            reason=f"the stack must be at least {least} chips, in units of {ruleset.chip_unit}"
        )
    return base


def _rising(ruleset: Ruleset, first: float, growth: float) -> Iterator[int]:
    for number in range(LEVELS + LEVELS_MORE):
        yield _rounded(first * growth**number, ruleset.chip_unit)


def _rounded(amount: float, unit: int) -> int:
    """Return the amount near *amount* that is easy to count, in units."""
    units = max(1.0, amount / unit)
    power = 10.0 ** math.floor(math.log10(units))
    nice = min(_NICE, key=lambda each: abs(each * power - units))
    return unit * max(1, round(nice * power))


def _step(ruleset: Ruleset, bet: int, length: int | None) -> LevelStep:
    if isinstance(ruleset.forced, Ante):
        return LevelStep(ante=bet, length=length)
    unit = ruleset.chip_unit
    small = unit * max(1, bet // 2 // unit)
    table_ante = isinstance(ruleset.forced, Blinds) and ruleset.forced.table_ante > 0
    ante = bet if table_ante else 0
    return LevelStep(small=small, big=bet, ante=ante, length=length)


def _bet(step: LevelStep) -> int:
    return step.big or step.ante


def _higher(before: LevelStep, after: LevelStep) -> bool:
    return _bet(after) > _bet(before)
