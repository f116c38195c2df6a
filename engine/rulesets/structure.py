"""
A list of clock levels for a tournament that should end near a given time.

A tournament usually ends when all chips in play are worth a certain number of big bets. From then
on a hand costs too much to wait for. The forced bets therefore grow evenly, from a comfortable
share of a stack to that share of all chips. A few more levels follow for a night that runs late.
The two shares and the length of a hand were found by playing tournaments (``bench.structure``).
They model people at a table and promise nothing.
"""

import math
from collections.abc import Iterable
from itertools import accumulate, takewhile

from msgspec.structs import replace

from engine.errors import Wording
from engine.rulesets.errors import RulesetInvalid
from engine.rulesets.model import CoruscantShift, Ruleset
from engine.rulesets.parts import Ante, AnteByPlayers, Blinds, DoublePerOrbit, Levels, LevelStep
from engine.rulesets.validation import NUMBER_MAX, contradiction

PLAYERS_MAX = 100_000
MINUTES_MIN, MINUTES_MAX = 45, 1440
"""The lengths for which :func:`suggest` promises an end near the given time."""

EVENING_SECONDS = 7200
"""The planned length of a tournament if its announcement gives none."""

GROWTH_MIN = 1.25
"""The least growth between levels, for stacks that are too short to last an evening."""

HAND_SECONDS = 25
PLAYER_SECONDS = 7
"""The seconds that each player dealt in adds to ``HAND_SECONDS``."""

STACK_IN_BETS = 100
"""Big bets in a starting stack, unless the game itself begins with larger ones."""

STACK_MIN_IN_BETS = 20
"""The least number of the game's first big bets in a stack. A shorter stack cannot play on."""

END_FACTOR, END_POWER = 6.6, 0.6
"""
Big bets in all chips at the end. They rise with the number of hands that two players have in a
level.
"""

ANTE_FACTOR = 0.3
"""The part of ``END_FACTOR`` if everybody pays an ante, because bets are small beside it."""

LEVELS = 12
"""The number of levels until the given time."""

LEVELS_MORE = 8
"""The number of levels after it, for a tournament that runs late."""

_NICE = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def hand_seconds(players: int) -> int:
    """
    Return the seconds that a hand of *players* takes in the model.

    >>> hand_seconds(2), hand_seconds(6)
    (39, 67)
    """
    return HAND_SECONDS + PLAYER_SECONDS * players


def suggest(ruleset: Ruleset, *, players: int, stack: int, minutes: int) -> tuple[LevelStep, ...]:
    """
    Return clock levels for a tournament that ends near *minutes*.

    Args:
        ruleset: A game of Coruscant Shift for chips, with blinds or an ante.
        stack: The starting stack, in chips.

    Raises:
        RulesetInvalid: If the forced bets do not rise by levels, or the stack is too short.
    """
    game, base = _check(ruleset, players, stack, minutes)
    length = round(minutes * 60 / LEVELS)
    first = max(stack / STACK_IN_BETS, base)
    last = players * stack / _chips_at_the_end(ruleset, length)
    if last <= first:
        raise RulesetInvalid(reason=Wording("the stacks are too small for so long a tournament"))
    growth = (last / first) ** (1 / (LEVELS - 1))
    levels = _even(_levels(game, first, growth, length), length)
    reason = contradiction(replace(ruleset, escalation=Levels(by="clock", levels=levels)))
    if reason is not None:
        raise RulesetInvalid(reason=reason)
    return levels


def counts_per_table(ruleset: Ruleset) -> bool:
    """Return whether each table raises its forced bets by its own hands."""
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
    Return *ruleset* with clock levels, the same at every table.

    The first level has the forced bets that the ruleset itself begins with. Any stack is allowed:
    if it is too short, the bets still rise.

    Args:
        ruleset: A game of Coruscant Shift in which forced bets rise.
        players: The number of players who may enter. With fewer, the tournament ends earlier.
        stack: The starting stack, in chips.
        seconds: The planned length. Any length is allowed. A level lasts whole minutes, or at
            least one second if the tournament is too short for that.

    Source: rulebook ``escalation.several_tables``.
    """
    if not isinstance(ruleset, CoruscantShift):
        raise TypeError("only forced bets of Coruscant Shift rise")
    length = max(1, round(seconds / LEVELS))
    amounts = ruleset.base_amounts()
    first = amounts.big or amounts.ante
    last = players * stack / _chips_at_the_end(ruleset, length)
    growth = max((last / first) ** (1 / (LEVELS - 1)), GROWTH_MIN)
    levels = _even(_levels(ruleset, first, growth, length), length)
    if seconds >= MINUTES_MIN * 60:
        levels = (*(_in_minutes(each) for each in levels[:-1]), levels[-1])
    return replace(ruleset, escalation=Levels(by="clock", levels=levels))


def _chips_at_the_end(ruleset: Ruleset, length: int) -> float:
    """Return how many big bets all chips are worth when a tournament of such levels ends."""
    chips: float = END_FACTOR * (length / hand_seconds(2)) ** END_POWER
    return chips * ANTE_FACTOR if isinstance(ruleset.forced, Ante) else chips


def _check(ruleset: Ruleset, players: int, stack: int, minutes: int) -> tuple[CoruscantShift, int]:
    """Return the game and its first big bet."""
    if not isinstance(ruleset, CoruscantShift) or ruleset.moneyless:
        raise RulesetInvalid(reason=Wording("the forced bets of this game do not rise by levels"))
    if not isinstance(ruleset.forced, Blinds | Ante):
        raise RulesetInvalid(reason=Wording("this game has no forced bets"))
    if not 2 <= players <= PLAYERS_MAX:
        raise RulesetInvalid(reason=Wording(f"players must be 2 to {PLAYERS_MAX}"))
    if not MINUTES_MIN <= minutes <= MINUTES_MAX:
        raise RulesetInvalid(reason=Wording(f"minutes must be {MINUTES_MIN} to {MINUTES_MAX}"))
    amounts = ruleset.base_amounts()
    base = amounts.big or amounts.ante
    least = STACK_MIN_IN_BETS * base
    if stack < least or stack % ruleset.chip_unit:
        raise RulesetInvalid(
            reason=Wording(
                f"the stack must be at least {least} chips, in units of {ruleset.chip_unit}"
            )
        )
    return ruleset, base


def _levels(
    ruleset: CoruscantShift, first: float, growth: float, length: int
) -> tuple[LevelStep, ...]:
    """
    Return levels that begin at *first*, or at the ruleset's own forced bets if these are higher.
    """
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
    """Return an amount near *amount* that is easy to count, in whole units."""
    units = max(1.0, amount / unit)
    power = 10.0 ** math.floor(math.log10(units))
    nice = min(_NICE, key=lambda each: abs(each * power - units))
    return unit * max(1, round(nice * power))


def _listed(steps: Iterable[LevelStep]) -> tuple[LevelStep, ...]:
    """Return only the rising *steps*. The last one has no end."""
    listed: list[LevelStep] = []
    for step in steps:
        if not listed or _bet(step) > _bet(listed[-1]):
            listed.append(step)
        else:
            # The smallest chip is too large for this step, so the level before lasts longer.
            before = listed.pop()
            listed.append(replace(before, length=(before.length or 0) + (step.length or 0)))
    return (*listed[:-1], replace(listed[-1], length=None))


def _even(levels: tuple[LevelStep, ...], length: int) -> tuple[LevelStep, ...]:
    """
    Return *levels* of one length. As many as before begin in the time of ``LEVELS``.

    Args:
        length: The length of a level that was not merged with others.
    """
    seconds = LEVELS * length
    begins = [*accumulate((each.length or 0 for each in levels[:-1]), initial=0)]
    even = round(seconds / sum(each < seconds for each in begins))
    return (*(replace(each, length=even) for each in levels[:-1]), levels[-1])


def _in_minutes(level: LevelStep) -> LevelStep:
    """Return *level* with a length in whole minutes, as people plan it."""
    return replace(level, length=60 * max(1, round((level.length or 0) / 60)))


def _step(ruleset: CoruscantShift, bet: int, length: int) -> LevelStep:
    if isinstance(ruleset.forced, Ante):
        return LevelStep(ante=bet, length=length)
    least, unit = ruleset.base_amounts(), ruleset.chip_unit
    small = max(least.small, unit * max(1, bet // 2 // unit))
    ante = max(least.ante, bet) if least.ante else 0
    if isinstance(ruleset.forced, Blinds) and ruleset.forced.player_ante:
        # The ante keeps its proportion to the big blind in the ruleset.
        share = bet * ruleset.forced.player_ante // ruleset.forced.big
        ante = max(least.ante, unit * max(1, share // unit))
    return LevelStep(small=small, big=bet, ante=ante, length=length)


def _bet(step: LevelStep) -> int:
    return step.big or step.ante
