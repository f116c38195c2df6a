"""
Levels that rise by hands. Each table counts its own hands.

Source: rulebook ``escalation.levels``.
"""

from engine.errors import InvariantViolated
from engine.rulesets import (
    Amounts,
    AnteByPlayers,
    CoruscantShift,
    DoublePerOrbit,
    Levels,
    NoEscalation,
)
from engine.table.model.events import Level
from engine.table.model.state import Table


def next_level(table: Table) -> Level:
    """
    Return the level of the next hand.

    A merged table restarts at the highest amounts of its source tables.
    It plays that level for its full length.
    """
    number, before, steps = table.next_hand_number, table.level, _structure(table).levels
    if before is None:
        index = _index_of(table)
        return Level(number=index + 1, amounts=steps[index].amounts, since_hand=number)
    if hands_left(table) != 0:
        return before
    return Level(number=before.number + 1, amounts=steps[before.number].amounts, since_hand=number)


def by_hands(table: Table) -> bool:
    """Return whether *table* goes through its levels by counting its own hands."""
    escalation = table.ruleset.escalation
    return isinstance(escalation, Levels) and escalation.by == "hands"


def hands_left(table: Table) -> int | None:
    """Return the number of hands left at the current level. None if the level stays."""
    level = table.level
    if level is None:
        return _structure(table).levels[_index_of(table)].length
    length = _structure(table).levels[level.number - 1].length
    return None if length is None else level.since_hand + length - table.next_hand_number


def coming(table: Table) -> Amounts | None:
    """Return the amounts of the next level. None after the last level."""
    steps, number = _structure(table).levels, reached(table)
    return steps[number].amounts if number < len(steps) else None


def blinds_out(table: Table) -> bool:
    """
    Return whether forced bets alone would end a game in which nobody acts.

    This is true if the forced bets rise by themselves, or if a part goes to the Sabacc pot.

    Source: rulebook ``absence.players_away``.
    """
    if not isinstance(table.ruleset, CoruscantShift):
        return table.ruleset.sabacc_ante > 0
    match table.ruleset.escalation:
        case Levels(levels=steps):
            return table.level_number < len(steps)
        case DoublePerOrbit():
            return table.base != Amounts()
        case AnteByPlayers(inc=inc):
            return any(inc.values())
        case NoEscalation():
            return False


def reached(table: Table) -> int:
    """Return the number of the last hand's level. Before the first hand, it is the first level."""
    return _index_of(table) + 1 if table.level is None else table.level.number


def _index_of(table: Table) -> int:
    """Return the index of the level with the table's first amounts. Levels differ in amounts."""
    amounts = [step.amounts for step in _structure(table).levels]
    if table.base not in amounts:
        raise InvariantViolated("the first amounts of the table are of no level")
    return amounts.index(table.base)


def _structure(table: Table) -> Levels:
    escalation = table.ruleset.escalation
    if not isinstance(escalation, Levels):
        raise InvariantViolated("the ruleset has no list of levels")
    return escalation
