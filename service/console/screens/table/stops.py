"""The stop of play that a table waits for between two hands: a break, or a pause of the staff."""

from datetime import datetime

import msgspec

from service.api.table.views import TableSeen
from service.console.asking import Ask


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """A stop of play at all tables."""

    until: datetime | None
    """The planned end of a break, or null for a pause, which staff end."""


class _FloorView(msgspec.Struct):
    break_ends: datetime | None


class _Floor(msgspec.Struct):
    floor: _FloorView


async def stop_of(ask: Ask, seen: TableSeen, state: str) -> Stop | None:
    """
    Return the stop that holds at a table between two hands, or None if the next hand comes.

    Args:
        state: The state of the tournament.
    """
    if seen.hand is not None:
        return None
    if state == "paused":
        return Stop(until=None)
    # The floor is asked only if there may be a break: then the clock of the levels stands.
    if state != "running" or (seen.next_level is not None and seen.next_level.due is not None):
        return None
    path = f"/v1/tournaments/{seen.tournament}/floor"
    ends = (await ask.api.get(path, _Floor, limit=1)).floor.break_ends
    return None if ends is None else Stop(until=ends)
