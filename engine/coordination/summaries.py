"""The summaries of a tournament's tables."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from engine.coordination.policies import summary_of
from engine.table.model.state import Table
from engine.tournament.model.table_summary import TableSummary
from engine.values import TableId


class Summaries(Mapping[TableId, TableSummary]):
    """
    The summaries of all tables, by which *here* gets its directive.

    Each is made when it is asked for, because most directives depend on few tables.

    Another table that waits for its pulse counts as in play. If *here* waits too, the other counts
    as idle: otherwise both would wait for each other at the end.
    """

    def __init__(self, tables: Mapping[TableId, Table], here: Table) -> None:
        self._tables = tables
        self._alone = here.awaited is None
        self._made: dict[TableId, TableSummary] = {}

    def __getitem__(self, table: TableId) -> TableSummary:
        found = self._made.get(table)
        if found is None:
            there = self._tables[table]
            found = summary_of(there)
            if self._alone and there.awaited is not None:
                found = replace(found, idle=False)
            self._made[table] = found
        return found

    def __iter__(self) -> Iterator[TableId]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)
