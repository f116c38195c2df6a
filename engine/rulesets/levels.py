"""The rules for a list of levels."""

from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from engine.errors import Wording
from engine.rulesets.model import Ruleset
from engine.rulesets.parts import Ante, Blinds, Levels, LevelStep

LEVELS_MAX = 200
LENGTH_MAX = 1_000_000
"""Hands or seconds. A million seconds are more than eleven days."""


def contradiction_in(structure: Levels, forced: Any, unit: int) -> Wording | None:
    """
    Return the reason why *structure* cannot be played, or None if it can.

    Each level must raise something and lower nothing. Amounts then name their level, and a merged
    table finds its own level by the highest amounts.

    Args:
        forced: The ruleset's kind of forced bets. The levels say how much seats pay.
        unit: Chips of the smallest denomination.

    Source: rulebook ``escalation.levels``.
    """
    levels = structure.levels
    if not 0 < len(levels) <= LEVELS_MAX:
        return Wording(f"escalation levels needs 1 to {LEVELS_MAX} levels")
    if isinstance(forced, Blinds) and forced.player_ante and not levels[-1].ante:
        return Wording("no level has an ante for player_ante")
    for number, step in enumerate(levels, start=1):
        if not _fits(step, forced):
            return Wording(f"level {number} does not fit the forced bets")
        if isinstance(forced, Blinds) and forced.table_ante and not step.ante:
            return Wording(f"level {number} has no ante for table_ante")
        if any(chips % unit for chips in (step.small, step.big, step.ante)):
            return Wording(f"level {number} must be in multiples of chip_unit {unit}")
        if (step.length is None) != (number == len(levels)):
            return Wording("every level but the last needs a length, and the last has none")
        if step.length is not None and not 0 < step.length <= LENGTH_MAX:
            return Wording(f"the length of level {number} is not between 1 and {LENGTH_MAX}")
    for number, (before, after) in enumerate(pairwise(levels), start=2):
        if not _raises(before, after):
            return Wording(f"level {number} must raise something and lower nothing")
    return None


def scaled(ruleset: Ruleset, factor: int) -> Ruleset:
    """Return *ruleset* with clock levels *factor* times as short, at least one second each."""
    structure = ruleset.escalation
    if not isinstance(structure, Levels) or structure.by != "clock":
        return ruleset
    levels = tuple(
        replace(step, length=None if step.length is None else max(1, step.length // factor))
        for step in structure.levels
    )
    return replace(ruleset, escalation=replace(structure, levels=levels))


def _fits(step: LevelStep, forced: Any) -> bool:
    match forced:
        case Blinds():
            return 0 < step.small <= step.big
        case Ante():
            return step.ante > 0 and step.small == step.big == 0
        case _:
            return False


def _raises(before: LevelStep, after: LevelStep) -> bool:
    lowered = after.small < before.small or after.big < before.big or after.ante < before.ante
    return not lowered and before.amounts != after.amounts
