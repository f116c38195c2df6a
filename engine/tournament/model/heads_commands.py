"""What can be asked of a tournament once its tables have closed."""

from datetime import datetime

import msgspec

from engine.tournament.model.heads_events import TableHead


class RecordTables(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="record_tables"
):
    """Write down the last event of each table; nothing happens where that was done."""

    tables: tuple[TableHead, ...]
    now: datetime


Command = RecordTables
