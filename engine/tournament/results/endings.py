"""The last hand of each table, and the hand that may break a tie for the first place."""

from collections.abc import Mapping

from engine.rulesets import EachDealtOnce, FixedContinue, HandsOrLast, NoEscalation
from engine.tournament.model.state import Running, Seating
from engine.tournament.model.table_summary import TableSummary
from engine.tournament.model.terms import Rounds
from engine.tournament.model.values import Standing
from engine.values import TableId

SUDDEN_DEATH = 2
"""The stage of a hand among entrants who are tied after the scheduled hands."""


def with_hands_left(state: Running, tables: Mapping[TableId, TableSummary]) -> tuple[Seating, ...]:
    """Return the open tables that still have hands to play."""
    terms = state.terms
    limited = (
        terms.hands_max is not None
        or isinstance(terms.ruleset.end, HandsOrLast | EachDealtOnce)
        or state.floor.last_hands is not None
        or state.in_round
    )
    if not limited:
        return state.tables
    return tuple(each for each in state.tables if hands_left(state, tables[each.table]) != 0)


def hands_left(state: Running, table: TableSummary) -> int | None:
    """Return the most hands that a table still plays, or None if play goes to the last chip."""
    limits = [hands_counted(state, table)]
    if table.hand_number and until_all_dealt(state):
        limits.append(table.dealers_left)
    return min((limit for limit in limits if limit is not None), default=None)


def hands_counted(state: Running, table: TableSummary) -> int | None:
    """Return the hands left of a table's fixed number, or None if no number is fixed."""
    terms = state.terms
    end = terms.ruleset.end
    by_ruleset = end.hands if isinstance(end, HandsOrLast) else None
    limits = [
        max(limit - table.hand_number, 0)
        for limit in (terms.hands_max, by_ruleset)
        if limit is not None
    ]
    if isinstance(terms.format, Rounds) and state.in_round:
        of_round = terms.format.hands_per_round
        limits += [] if of_round is None else [max(of_round - table.hand_number, 0)]
    called = state.floor.last_hand_of(table.table)
    if called is not None:
        limits.append(max(called - table.hand_number, 0))
    return min(limits, default=None)


def until_all_dealt(state: Running) -> bool:
    """
    Return whether a table plays until everybody who first sat there has dealt.

    Source: rulebook ``finish.each_dealt_once`` and ``rounds.hands``.
    """
    terms = state.terms
    if isinstance(terms.ruleset.end, EachDealtOnce):
        return True
    return (
        isinstance(terms.format, Rounds) and state.in_round and terms.format.hands_per_round is None
    )


def deserted(state: Running, tables: Mapping[TableId, TableSummary]) -> bool:
    """
    Return whether so many players are away that hands would be dealt without end or decision.

    Source: rulebook ``absence.players_away``.
    """
    if until_all_dealt(state):
        return False
    return not any(
        table.attended or table.blinds_out or hands_counted(state, table) is not None
        for table in (tables[each.table] for each in state.tables)
    )


def settled_by_a_hand(
    state: Running, tables: Mapping[TableId, TableSummary], tied: tuple[Standing, ...]
) -> bool:
    """
    Return whether the entrants tied for the first place play one more hand.

    They must sit at one table and not have played such a hand before. The hand must have a fixed
    price, and nobody may bust in it.

    Source: rulebook ``finish.ties``.
    """
    ruleset = state.terms.ruleset
    if ruleset.final_tie == "shared" or len(tied) < 2:
        return False
    if not isinstance(ruleset.betting, FixedContinue):
        return False
    if not isinstance(ruleset.escalation, NoEscalation):
        return False
    forced = ruleset.base_amounts()
    price = forced.ante + max(forced.small, forced.big) + 2 * ruleset.betting.cost
    if not ruleset.moneyless and tied[0].stack <= price:
        return False
    entrants = {each.entrant for each in tied}
    return any(
        tables[each.table].stage < SUDDEN_DEATH
        and entrants.issubset(seated.entrant for seated in each.seats)
        for each in state.tables
    )
