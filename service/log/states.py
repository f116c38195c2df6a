"""Recently used aggregates with their heads; a baseline, for the log has the last word."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

import msgspec

from engine.values import Stream
from service.base.errors import EventUnreadable, StreamNotFound
from service.log.canonical import NO_HASH
from service.log.codec import Codec, category_of
from service.log.keys import LeagueKeys
from service.log.read import CHUNK, verify
from service.log.record import Recorded
from service.log.store import Store, chunks

CLOSES_BOOKS = {"table": "hand_opened"}
"""By category, the event that carries all that follows need to know, but for the first event."""

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


State = TypeVar("State", bound=msgspec.Struct)
State_co = TypeVar("State_co", bound=msgspec.Struct, covariant=True)


class Loaded(msgspec.Struct, Generic[State_co], frozen=True):
    """A stream's state and its head; an empty stream's is (initial, 0, zeros)."""

    state: State_co
    version: int
    hash: bytes
    at: datetime = _BEGINNING
    """Instant of the last event."""


AnyLoaded = Loaded[Any]
"""One kept by the name of its stream: what its state is, the stream of whoever asks says."""


class StateCache:
    """
    Bounded by number of streams; the least recently used goes first.

    A copy made stale by another process is harmless: its append is refused, and it
    is caught up here.
    """

    def __init__(self, store: Store, codec: Codec, streams: int) -> None:
        self._store = store
        self._codec = codec
        self._limit = streams
        self._kept: OrderedDict[tuple[UUID, str], AnyLoaded] = OrderedDict()
        self._suspected: set[tuple[UUID, str]] = set()
        self._reads: dict[tuple[UUID, str], _Read] = {}

    async def load(self, league: UUID, stream: Stream[State], fresh: bool = False) -> Loaded[State]:
        """
        Return a stream's state, from here if it is here.

        Args:
            fresh: Whether to read the stream's tail in any case.

        Raises:
            StreamNotFound: If streams of this category do not exist.
            EventUnreadable: If an event cannot be read or its hash is wrong.
        """
        place = (league, stream)
        known = self.known(league, stream)
        if known is not None and fresh:
            # Almost always this process alone writes to it, and nothing is to be read.
            known = await self._unmoved(league, stream, known)
        if known is not None:
            return known
        read = self._reads.get(place)
        if read is None or read.begun:
            # Whoever asks while a read is under way may know of later events than it saw.
            read = self._reads[place] = _Read(None if read is None else read.task)
            read.task = asyncio.create_task(self._perform(read, league, stream))
        # Whoever gives up must not give up for all who asked for the same.
        return await asyncio.shield(read.task)

    async def _unmoved(
        self, league: UUID, stream: Stream[State], known: Loaded[State]
    ) -> Loaded[State] | None:
        """Return the copy with which the stream ends now, if that is here; before or since."""
        head = await self._store.head(league, stream)
        for copy in (known, self.known(league, stream)):
            if copy is not None and head == (copy.version, copy.hash):
                return copy
        return None

    def known(self, league: UUID, stream: Stream[State]) -> Loaded[State] | None:
        """Return a stream's state if it is here and nothing speaks against it."""
        place = (league, stream)
        found = self._kept.get(place)
        if found is None or place in self._suspected:
            return None
        self._kept.move_to_end(place)
        return found

    def keep(
        self, league: UUID, states: Mapping[str, Loaded[msgspec.Struct]], forced: bool = False
    ) -> None:
        """Keep states that are committed; an older one than is here only if it is *forced*."""
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

    def forget(self, league: UUID) -> None:
        """Drop everything of a league: its epoch was raised, or an outcome is unknown."""
        for place in [place for place in self._kept if place[0] == league]:
            del self._kept[place]

    async def _perform(self, read: "_Read", league: UUID, stream: Stream[State]) -> Loaded[State]:
        """Read on from what is here, once the read before this one is over, and keep it."""
        place = (league, stream)
        try:
            if read.before is not None:
                await asyncio.wait((read.before,))
            read.begun = True
            known, suspected = self._kept.get(place), place in self._suspected
            self._suspected.discard(place)
            try:
                found = await self._read_up(league, stream, known)
            except BaseException:  # a cancelled read too leaves the copy under suspicion
                if suspected:
                    self._suspected.add(place)
                raise
            # The writer may have gone on meanwhile; what it committed is the better copy.
            self.keep(league, {stream: found}, forced=self._kept.get(place) is known)
            return found
        finally:
            if self._reads.get(place) is read:
                del self._reads[place]

    async def _read_up(
        self, league: UUID, stream: Stream[State], known: Loaded[State] | None
    ) -> Loaded[State]:
        """Return the state of *stream*, without the events that were taken out of folding."""
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
                    # It stays the stream's head: what follows it chains to what it says.
                    found = Loaded(found.state, row.stream_version, row.hash, row.at)
                else:
                    found = self._apply(stream, found, (row,), keys)
        return found

    async def _catch_up(
        self, league: UUID, stream: Stream[State], known: Loaded[State] | None
    ) -> Loaded[State]:
        """Return the state of *stream*, by its tail if *known* stands in its history."""
        decider = self._codec.deciders.get(category_of(stream))
        if decider is None:
            raise StreamNotFound(f"there are no streams like {stream}")
        if known is not None and known.version:
            # The last event seen is read again: after a failover it may be another one.
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
            # The first event, then the one whose hash the books chain to, then the books.
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
        """Verify and apply *rows*, and what follows them if they are a *full* chunk."""
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
        stream: Stream[State],
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
    """One read of a stream's tail, for all who asked before it began."""

    before: "asyncio.Task[AnyLoaded] | None"
    """The read that was under way when this one was asked for."""

    begun: bool = False
    task: "asyncio.Task[AnyLoaded]" = field(init=False)
