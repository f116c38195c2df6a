"""
The state of an aggregate at an earlier position: the same fold, stopped there.

An earlier state contains the values that were hidden then. Show it through the same views as the
current state.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from engine.coordination.aggregates import DECIDERS
from engine.values import Stream
from service.base.drivers import Driver
from service.base.errors import BadRequest, EventUnreadable
from service.log.batch import RecordedEvent
from service.log.canonical import NO_HASH
from service.log.codec import Codec, category_of
from service.log.keys import LeagueKeys
from service.log.read import CHUNK, read_stream, read_until, verify, voided
from service.log.states import CLOSES_BOOKS, AnyLoaded, Loaded, State

FOLD_MAX = 10_000
"""The most events that one answer folds."""

LATE_MAX = timedelta(minutes=5)
"""The most time between an event's instant and its append. Batches are repeated for less."""

_codec = Codec(DECIDERS)

_AT = "SELECT at FROM events WHERE league = $1 AND position = $2"
_LAST_UNTIL = """
    SELECT position FROM events WHERE league = $1 AND position < $2 AND at <= $3
     ORDER BY position DESC LIMIT 1
"""
_VERSION = """
    SELECT stream_version FROM events WHERE league = $1 AND stream = $2 AND position <= $3
     ORDER BY stream_version DESC LIMIT 1
"""
# As in ``service.log.read``, the planner shall go backwards to the first match.
_BOOKS = """
    SELECT stream_version FROM events
     WHERE league = $1 AND stream = $2 AND coalesce(type = $3, false) AND stream_version <= $4
     ORDER BY stream_version DESC LIMIT 1
"""


Passing = Callable[[RecordedEvent, msgspec.Struct], None]
"""Takes an event and the state after it."""


class PastStates:
    """
    Folds streams of one league up to one position, for one answer.

    Args:
      connection: asyncpg's, or a pool of it.
      position: The position of the last event that counts.
      passing: Called with each event and the state after it. A fold that begins again, because
        events were voided, calls it from the first event on.
    """

    def __init__(
        self,
        connection: Driver,
        league: UUID,
        keys: LeagueKeys,
        position: int,
        passing: Passing | None = None,
    ) -> None:
        self._connection = connection
        self._league = league
        self._keys = keys
        self._left = FOLD_MAX
        self._passing = passing
        self._known: dict[str, AnyLoaded] = {}
        self._voided: frozenset[int] = frozenset()
        self.position = position

    async def state(self, stream: Stream[State]) -> Loaded[State]:
        """
        Return a stream's state at the position, or its initial state if it had no events.

        Raises:
          BadRequest: ``as_of_too_far`` if that takes more than :data:`FOLD_MAX` events.
          EventUnreadable: If an event cannot be read or its hash is wrong.
        """
        if stream not in self._known:
            self._known[stream] = await self._folded(stream)
        return self._known[stream]

    async def _folded(self, stream: Stream[State]) -> Loaded[State]:
        try:
            return await self._fold(stream)
        except EventUnreadable:
            self._voided = await voided(self._connection, self._league)
            if not self._voided:
                raise
        return await self._fold(stream)

    async def _fold(self, stream: Stream[State]) -> Loaded[State]:
        decider = DECIDERS[category_of(stream)]
        loaded: Loaded[State] = Loaded(decider.initial, 0, NO_HASH)
        until = await self._connection.fetchval(_VERSION, self._league, stream, self.position)
        if until is None:
            return loaded
        # The event that closes the books may itself be voided.
        books = 0 if self._voided else await self._books(stream, until)
        if books:
            # The first event describes the table. The one before the books only links the chain.
            loaded = await self._apply(stream, loaded, 0, 1)
            found = await read_until(self._connection, self._league, stream, books - 1, books)
            if not found:
                raise EventUnreadable("the chain is broken", stream=stream, version=books)
            [link] = found
            loaded = Loaded(loaded.state, link.stream_version, link.hash, link.at)
        while loaded.version < until:
            loaded = await self._apply(stream, loaded, loaded.version, until)
        return loaded

    async def _books(self, stream: str, until: int) -> int:
        """Return the version after which folding begins: 0 for the beginning."""
        closing = CLOSES_BOOKS.get(category_of(stream))
        if closing is None:
            return 0
        found = await self._connection.fetchval(_BOOKS, self._league, stream, closing, until)
        return 0 if found is None or found <= 2 else int(found) - 1

    def _spend(self, events: int) -> None:
        self._left -= events
        if self._left < 0:
            raise BadRequest(
                "as_of_too_far",
                f"this would fold more than {FOLD_MAX} events; ask for less in one request",
                events_max=FOLD_MAX,
            )

    async def _apply(
        self, stream: Stream[State], loaded: Loaded[State], after: int, until: int
    ) -> Loaded[State]:
        limit = min(until - after, CHUNK)
        rows = await read_stream(self._connection, self._league, stream, after, limit)
        self._spend(len(rows))
        evolve, state = DECIDERS[category_of(stream)].evolve, loaded.state
        head, version = loaded.hash, loaded.version
        if not self._voided:
            verify(rows, head, version)
        for row in rows:
            if row.position not in self._voided:
                if self._voided:
                    verify((row,), head, version)
                event = _codec.decode(row, self._keys)
                state = evolve(state, event)
                if self._passing is not None:
                    self._passing(RecordedEvent(row, event), state)
            head, version = row.hash, row.stream_version
        return Loaded(state, version, head, rows[-1].at)


async def position_at(connection: Driver, league: UUID, instant: datetime, last: int) -> int:
    """
    Return the last position dated *instant* or before, or -1 if there is none.

    Positions are in commit order. Instants follow that order, except that an event may be dated up
    to :data:`LATE_MAX` before its append. A binary search finds a position beyond which no event
    can be dated early enough. From there the log is read backwards.

    Args:
      last: Position of the league's last event.
    """
    low, high = 0, last + 1
    while low < high:
        middle = (low + high) // 2
        at = await connection.fetchval(_AT, league, middle)
        if at > instant + LATE_MAX:
            high = middle
        else:
            low = middle + 1
    found = await connection.fetchval(_LAST_UNTIL, league, high, instant)
    return -1 if found is None else int(found)
