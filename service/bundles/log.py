"""The sources of a bundle's events: a league's log in the database, or a log in memory."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from service.base.drivers import Driver
from service.base.errors import LogIncomplete
from service.log.read import CHUNK, read_at, read_stream, read_voidings
from service.log.record import Recorded
from service.transparency import ledger
from service.transparency.tree import root_of


class Log(Protocol):
    """A league's events by stream and by position, and the hashes of its tree."""

    @property
    def league(self) -> UUID:
        """The league that the log belongs to."""
        ...

    async def stream(self, stream: str, after: int = 0, limit: int = CHUNK) -> list[Recorded]:
        """Return up to *limit* events of a stream after version *after*."""
        ...

    async def at(self, positions: Sequence[int]) -> list[Recorded]:
        """
        Return the events at *positions*, which must be ascending.

        Raises:
            LogIncomplete: If an event is missing.
        """
        ...

    async def voidings(self) -> list[Recorded]:
        """Return the events ``positions_voided``, oldest first."""
        ...

    async def subtree(self, first: int, end: int) -> bytes:
        """Return the RFC 6962 hash over the leaves from *first* up to but without *end*."""
        ...


class StoredLog:
    """
    A league's log in the database.

    Args:
        connection: An asyncpg connection, or a pool. Each read takes a connection from the
            pool and gives it back.
    """

    def __init__(self, connection: Driver, league: UUID) -> None:
        self._connection = connection
        self.league = league

    async def stream(self, stream: str, after: int = 0, limit: int = CHUNK) -> list[Recorded]:
        """See :class:`Log`."""
        return await read_stream(self._connection, self.league, stream, after, limit)

    async def at(self, positions: Sequence[int]) -> list[Recorded]:
        """See :class:`Log`."""
        found = await read_at(self._connection, self.league, list(positions))
        if len(found) != len(positions):
            raise LogIncomplete("events of this bundle are missing from the log")
        return found

    async def voidings(self) -> list[Recorded]:
        """See :class:`Log`."""
        return await read_voidings(self._connection, self.league)

    async def subtree(self, first: int, end: int) -> bytes:
        """See :class:`Log`."""
        return await ledger.range_hash(self._connection, self.league, first, end)


class HeldLog:
    """
    A whole log in memory.

    Args:
        events: All events of one league, beginning with position 0.
    """

    def __init__(self, events: Sequence[Recorded]) -> None:
        self.league = events[0].league
        self._events = events
        self._streams: dict[str, list[Recorded]] = {}
        for each in events:
            self._streams.setdefault(each.stream, []).append(each)

    async def stream(self, stream: str, after: int = 0, limit: int = CHUNK) -> list[Recorded]:
        """See :class:`Log`."""
        events = self._streams.get(stream, [])
        first = bisect_right(events, after, key=lambda each: each.stream_version)
        return events[first : first + limit]

    async def at(self, positions: Sequence[int]) -> list[Recorded]:
        """See :class:`Log`."""
        return [self._events[position] for position in positions]

    async def voidings(self) -> list[Recorded]:
        """See :class:`Log`."""
        return [each for each in self._events if each.type == "positions_voided"]

    async def subtree(self, first: int, end: int) -> bytes:
        """See :class:`Log`."""
        return root_of(each.hash for each in self._events[first:end])
