"""Recently used aggregates with their heads; a baseline, for the log has the last word."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from service.errors import StreamNotFound
from service.eventstore.canonical import NO_HASH
from service.eventstore.codec import Codec, category_of
from service.eventstore.read import CHUNK, verify
from service.eventstore.store import Store

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A stream's state and its head; an empty stream's is (initial, 0, zeros)."""

    state: Any
    version: int
    hash: bytes
    at: datetime = _BEGINNING
    """Instant of the last event."""


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
        self._kept: OrderedDict[tuple[UUID, str], Loaded] = OrderedDict()
        self._suspected: set[tuple[UUID, str]] = set()

    async def load(self, league: UUID, stream: str, fresh: bool = False) -> Loaded:
        """
        Return a stream's state, from here if it is here.

        Args:
            fresh: Whether to read the stream's tail in any case.

        Raises:
            StreamNotFound: If streams of this category do not exist.
            EventUnreadable: If an event cannot be read or its hash is wrong.
        """
        place = (league, stream)
        known = self._kept.get(place)
        if known is not None and not fresh and place not in self._suspected:
            self._kept.move_to_end(place)
            return known
        found = await self._catch_up(league, stream, known)
        self._suspected.discard(place)
        self.keep(league, {stream: found}, forced=True)
        return found

    def keep(self, league: UUID, states: Mapping[str, Loaded], forced: bool = False) -> None:
        """Keep states that are committed."""
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

    async def _catch_up(self, league: UUID, stream: str, known: Loaded | None) -> Loaded:
        decider = self._codec.deciders.get(category_of(stream))
        if decider is None:
            raise StreamNotFound(f"there are no streams like {stream}")
        keys = await self._store.keys(league)
        loaded = known or Loaded(decider.initial, 0, NO_HASH)
        # The last event seen is read again: after a failover it may be another one.
        overlap = 1 if loaded.version else 0
        rows = await self._store.stream(league, stream, loaded.version - overlap)
        if overlap:
            if not rows or rows[0].hash != loaded.hash:
                return await self._catch_up(league, stream, None)
            rows = rows[1:]
            full = len(rows) == CHUNK - 1
        else:
            full = len(rows) == CHUNK
        state, head, version, at = loaded.state, loaded.hash, loaded.version, loaded.at
        while rows:
            head = verify(rows, head)
            for row in rows:
                state = decider.evolve(state, self._codec.decode(row, keys))
            version, at = rows[-1].stream_version, rows[-1].at
            rows = await self._store.stream(league, stream, version) if full else []
            full = len(rows) == CHUNK
        return Loaded(state, version, head, at)
