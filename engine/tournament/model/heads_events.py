"""What a tournament that is over says of its tables."""

from datetime import datetime

import msgspec

from engine.values import HexDigest, TableId


class TableHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last event of a closed table."""

    table: TableId
    version: int
    hash: HexDigest
    hands: int
    """Hands settled there."""


class TablesRecorded(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="tables_recorded"
):
    """Every table has closed: a table or a hand that is missing from the log is missed now."""

    tables: tuple[TableHead, ...]
    """In the order in which the tournament opened them."""
    at: datetime


Event = TablesRecorded
