"""The heads of a tournament's tables, recorded after its end."""

from datetime import datetime

import msgspec

from engine.values import HexDigest, TableId


class TableHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last event of a closed table."""

    table: TableId
    version: int
    hash: HexDigest
    hands: int
    """The number of hands settled there."""


class TablesRecorded(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="tables_recorded"
):
    """
    Every table has closed, and its head is recorded. A table or hand missing from a copy of the
    log is now noticed.
    """

    tables: tuple[TableHead, ...]
    """In the order in which the tournament opened them."""
    at: datetime


Event = TablesRecorded
