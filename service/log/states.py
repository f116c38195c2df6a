"""A cache of recently used states with their heads. The log has the last word."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

import msgspec

from engine.values import Stream
from service.base.errors import EventUnreadable, IdempotencyKeyReused, StreamNotFound
from service.log.canonical import NO_HASH
from service.log.codec import Codec, category_of
from service.log.keys import LeagueKeys
from service.log.read import CHUNK, verify
from service.log.record import Recorded
from service.log.store import Store, chunks

CLOSES_BOOKS = {"table": "hand_opened"}
"""By category, the event that replaces all earlier ones except the first."""

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


State = TypeVar("State", bound=msgspec.Struct)
State_co = TypeVar("State_co", bound=msgspec.Struct, covariant=True)


class Loaded(msgspec.Struct, Generic[State_co], frozen=True):
    """A stream's state and its head. For an empty stream they are (initial, 0, zeros)."""

    state: State_co
    version: int
    hash: bytes
    at: datetime = _BEGINNING
    """The instant of the last event."""


AnyLoaded = Loaded[Any]  # of all aggregates
"""A cached state, kept under its stream's name. The caller's stream gives its type."""


class StateCache:
    """
    A cache bounded by number of streams. The least recently used stream goes first.

    Another process may make a copy stale. That is harmless: the append is refused, and the copy is
    caught up here.
    """

    def __init__(self, store: Store, codec: Codec, streams: int) -> None:
        self._store = store
        self._codec = codec
        self._limit = streams
        self._kept: OrderedDict[tuple[UUID, str], AnyLoaded] = OrderedDict()
        self._suspected: set[tuple[UUID, str]] = set()
        self._reads: dict[tuple[UUID, str], _Read] = {}

    async def repeats(self, league: UUID, event: UUID, request: bytes) -> bool:
        """
        Return whether the log holds an event that *request* caused.

        Raises:
          IdempotencyKeyReused: If another request caused it.
        """
        digest = await self._store.request_of(league, event)
        if digest is None:
            return False
        if digest != (await self._store.keys(league)).request_digest(request):
            raise IdempotencyKeyReused("this key was used for another request")
        return True

    async def load(self, league: UUID, stream: Stream[State], fresh: bool = False) -> Loaded[State]:
        """
        Return a stream's state, from the cache if it has it.

        Args:
          fresh: True to compare the cached copy with the log first.

        Raises:
          StreamNotFound: If streams of this category do not exist.
          EventUnreadable: If an event cannot be read or its hash is wrong.
        """
        place = (league, stream)
        known = self.known(league, stream)
        if known is not None and fresh:
            # Almost always only this process writes to the stream, and there is nothing to read.
            known = await self._unmoved(league, stream, known)
        if known is not None:
            return known
        read = self._reads.get(place)
        if read is None or read.begun:
            # A later caller may know of events that the read under way does not see.
            read = self._reads[place] = _Read(None if read is None else read.task)
            read.task = asyncio.create_task(self._perform(read, league, stream))
        # A caller that is cancelled must not cancel the read for the others.
        return await asyncio.shield(read.task)

    async def _unmoved(
        self, league: UUID, stream: Stream[State], known: Loaded[State]
    ) -> Loaded[State] | None:
        """Return the cached copy if its head is the log's current one, otherwise None."""
        head = await self._store.head(league, stream)
        for copy in (known, self.known(league, stream)):
            if copy is not None and head == (copy.version, copy.hash):
                return copy
        return None

    def known(self, league: UUID, stream: Stream[State]) -> Loaded[State] | None:
        """Return a stream's state if it is cached and not suspected of being stale."""
        place = (league, stream)
        found = self._kept.get(place)
        if found is None or place in self._suspected:
            return None
        self._kept.move_to_end(place)
        return found

    def keep(
        self, league: UUID, states: Mapping[str, Loaded[msgspec.Struct]], forced: bool = False
    ) -> None:
        """Cache committed states. An older state replaces a newer one only if *forced*."""
        for stream, loaded in states.items():
            place = (league, stream)
            known = self._kept.get(place)
            if forced or known is None or loaded.version >= known.version:
                self._kept[place] = loaded
                self._kept.move_to_end(place)
        while len(self._kept) > self._limit:
            place, _ = self._kept.popitem(last=False)
            self._suspected.discard(place)

    def suspect(self, league: UUID, streams: Iterable[str]) -> None:
        """Have *streams* caught up before they are used again."""
        self._suspected |= {(league, stream) for stream in streams}

    def suspect_all(self, league: UUID) -> None:
        """Have every copy of a league caught up before it is used again."""
        self._suspected |= {place for place in self._kept if place[0] == league}

    def read_on(self, rows: Iterable[Recorded], keys: LeagueKeys) -> bool:
        """
        Apply a league's next events to its copies. Return whether one of them was behind.

        The copies hold all events before *rows*. A copy that they do not follow from is suspected.
        """
        news: dict[tuple[UUID, str], list[Recorded]] = {}
        for row in rows:
            place = (row.league, row.stream)
            known = self._kept.get(place)
            if known is not None and row.stream_version > known.version:
                news.setdefault(place, []).append(row)
        for place, found in news.items():
            try:
                self._kept[place] = self._apply(place[1], self._kept[place], found, keys)
            except Exception:  # noqa: BLE001 - the next load of the stream meets the error again
                self._suspected.add(place)
            else:
                self._suspected.discard(place)
        return bool(news)

    def forget(self, league: UUID) -> None:
        """Drop all states of a league: its epoch was raised, or an outcome is unknown."""
        for place in [place for place in self._kept if place[0] == league]:
            del self._kept[place]

    async def _perform(self, read: "_Read", league: UUID, stream: Stream[State]) -> Loaded[State]:
        """Wait for the read before this one, read the stream's tail, and cache the state."""
        place = (league, stream)
        try:
            if read.before is not None:
                await asyncio.wait((read.before,))
            read.begun = True
            known, suspected = self._kept.get(place), place in self._suspected
            self._suspected.discard(place)
            try:
                found = await self._read_up(league, stream, known)
            except BaseException:  # a cancelled read also leaves the copy under suspicion
                if suspected:
                    self._suspected.add(place)
                raise
            # The writer may have gone on meanwhile. Its committed copy is newer.
            self.keep(league, {stream: found}, forced=self._kept.get(place) is known)
            return found
        finally:
            if self._reads.get(place) is read:
                del self._reads[place]

    async def _read_up(
        self, league: UUID, stream: Stream[State], known: Loaded[State] | None
    ) -> Loaded[State]:
        """Return the state of *stream*, folded without the voided events."""
        try:
            return await self._catch_up(league, stream, known)
        except EventUnreadable:
            voided = await self._store.voided(league)
            if not voided:
                raise
        keys = await self._store.keys(league)
        found = Loaded(self._codec.deciders[category_of(stream)].initial, 0, NO_HASH)
        async for rows in chunks(self._store, league, stream):
            for row in rows:
                if row.position in voided:
                    # The voided event stays the stream's head: the next event chains to its stored
                    # hash.
                    found = Loaded(found.state, row.stream_version, row.hash, row.at)
                else:
                    found = self._apply(stream, found, (row,), keys)
        return found

    async def _catch_up(
        self, league: UUID, stream: Stream[State], known: Loaded[State] | None
    ) -> Loaded[State]:
        """Return the state of *stream*. Read only its tail if *known* is part of its history."""
        decider = self._codec.deciders.get(category_of(stream))
        if decider is None:
            raise StreamNotFound(f"there is no stream of this kind: {stream}")
        if known is not None and known.version:
            # Read the last known event again: after a failover, another event may have its version.
            rows = await self._store.stream(league, stream, known.version - 1)
            if rows and rows[0].hash == known.hash:
                return await self._fold(league, stream, known, rows[1:], len(rows) == CHUNK)
        closing = CLOSES_BOOKS.get(category_of(stream))
        if closing is None:
            rows = await self._store.stream(league, stream)
        else:
            rows = await self._store.books(league, stream, closing)
        full = len(rows) == CHUNK
        start = Loaded(decider.initial, 0, NO_HASH)
        if len(rows) > 1 and rows[1].stream_version > rows[0].stream_version + 1:
            # The rows are the first event, the last event before the books, and the books.
            start = await self._fold(league, stream, start, rows[:1], False)
            link = rows[1]
            if link.type == closing:
                raise EventUnreadable("the chain is broken", stream=stream)
            start = Loaded(start.state, link.stream_version, link.hash, link.at)
            rows = rows[2:]
        return await self._fold(league, stream, start, rows, full)

    async def _fold(
        self,
        league: UUID,
        stream: Stream[State],
        start: Loaded[State],
        rows: Sequence[Recorded],
        full: bool,
    ) -> Loaded[State]:
        """Verify and apply *rows*. If they are a *full* chunk, go on with the rows after them."""
        if not rows:
            return start
        keys = await self._store.keys(league)
        found = self._apply(stream, start, rows, keys)
        if full:
            async for more in chunks(self._store, league, stream, found.version):
                found = self._apply(stream, found, more, keys)
        return found

    def _apply(
        self,
        stream: str,
        start: Loaded[State],
        rows: Sequence[Recorded],
        keys: LeagueKeys,
    ) -> Loaded[State]:
        head = verify(rows, start.hash, start.version)
        evolve, state = self._codec.deciders[category_of(stream)].evolve, start.state
        for row in rows:
            state = evolve(state, self._codec.decode(row, keys))
        return Loaded(state, rows[-1].stream_version, head, rows[-1].at)


@dataclass(slots=True, eq=False)
class _Read:
    """One read of a stream's tail, for all callers that asked before it began."""

    before: "asyncio.Task[AnyLoaded] | None"
    """The read that was under way when this one was requested."""

    begun: bool = False
    task: "asyncio.Task[AnyLoaded]" = field(init=False)
