"""The command to a tournament after its tables have closed."""

from datetime import datetime

import msgspec

from engine.tournament.model.events.heads import TableHead


class RecordTables(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="record_tables"
):
    """Record the last event of each table. Nothing happens if this was done before."""

    tables: tuple[TableHead, ...]
    now: datetime


Command = RecordTables
