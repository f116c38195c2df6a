"""The summaries of a tournament's tables."""

from collections.abc import Mapping

from msgspec.structs import replace

from engine.coordination.policies import summary_of
from engine.table.model.state import Table
from engine.tournament.model.table_summary import Summaries, TableSummary
from engine.values import TableId


def summaries_for(here: Table, tables: Mapping[TableId, Table]) -> Summaries:
    """
    Return the summaries of *tables*, by which *here* gets its directive.

    Another table that waits for its pulse counts as in play. If *here* waits too, the other counts
    as idle: otherwise both would wait for each other at the end.
    """

    def summary(table: TableId) -> TableSummary:
        there = tables[table]
        found = summary_of(there)
        busy = there.awaited is not None and here.awaited is None
        return replace(found, idle=False) if busy else found

    return Summaries(tables, summary)
