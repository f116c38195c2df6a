"""
The directives of a table in a scheduled round: to play its hands, then to wait for the others.
"""

from collections.abc import Mapping

from engine.tournament.floor import at_tables
from engine.tournament.model.directives import Directive, Hold, RoundOver
from engine.tournament.model.state import Running, Seating
from engine.tournament.model.table_summary import TableSummary
from engine.tournament.model.values.rounds import TableEnd
from engine.tournament.results.endings import hands_left
from engine.values import TableId


def in_round(
    state: Running, tables: Mapping[TableId, TableSummary], here: Seating
) -> Directive | None:
    """
    Return the directive of *here* in the round being played, or None outside of one.

    Nobody moves between tables in a round. The last table that finishes ends it for all.

    Source: rulebook ``rounds.hands``.
    """
    rounds = state.rounds
    if rounds is None or rounds.stage != "playing":
        return None
    if not _done(state, tables[here.table], here):
        return at_tables.opening(state, tables, here)
    if not all(_done(state, tables[each.table], each) for each in state.tables):
        return Hold(reason="round_over")
    return RoundOver(
        round=rounds.number,
        tables=tuple(
            TableEnd(
                table=each.table,
                stacks=tuple(
                    standing
                    for standing in tables[each.table].stacks
                    if each.seat_of(standing.entrant) is not None
                ),
            )
            for each in state.tables
        ),
    )


def _done(state: Running, table: TableSummary, seating: Seating) -> bool:
    """Return whether a table opens no further hand in this round."""
    if not table.idle:
        return False
    if state.closing or (state.rounds is not None and state.rounds.closing):
        return True
    return not table.playable or len(seating.seats) < 2 or hands_left(state, table) == 0
