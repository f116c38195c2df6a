"""A log in memory, for simulation only. It keeps every promise but durability."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from service.log.canonical import NO_HASH, leaf, microseconds
from service.log.keys import Keys, LeagueKeys
from service.log.read import CHUNK, voided_by
from service.log.record import (
    Append,
    DatedAhead,
    NewEvent,
    Outcome,
    Recorded,
    StatementFailed,
)


class _Left(NamedTuple):
    """A stream's head after the steps of a call so far."""

    version: int
    hash: bytes
    at: datetime | None


def _following(league: UUID, event: NewEvent, before: _Left) -> _Left:
    """Return the stream's head after *event*. Raise ``StatementFailed`` if it does not follow."""
    if event.stream_version != before.version + 1:
        raise StatementFailed("a version does not follow its head")
    if before.at is not None and event.at < before.at:
        raise StatementFailed("time falls within a stream")
    entry = leaf(
        league,
        before.hash,
        event.stream,
        event.stream_version,
        event.event_id,
        microseconds(event.at),
        event.type,
        event.schema_version,
        event.data,
        sha256(event.metadata).digest(),
        event.sealed,
    )
    if sha256(entry).digest() != event.hash:
        raise StatementFailed("a hash is not that of its entry")
    return _Left(event.stream_version, event.hash, event.at)


class MemoryStore:
    """
    The log of one process.

    Args:
      now: The log's clock. Events dated more than a second ahead of it are refused. Without it,
        any instant is accepted.
    """

    def __init__(self, *, now: Callable[[], datetime] | None = None) -> None:
        self._now = now
        self._events: dict[UUID, list[Recorded]] = {}
        self._streams: dict[tuple[UUID, str], list[Recorded]] = {}
        self._positions: dict[tuple[UUID, UUID], int] = {}
        self._epochs: dict[UUID, int] = {}
        self._keys: dict[UUID, LeagueKeys] = {}
        self._ring = Keys("in memory nothing is kept, and nothing needs a key")
        self.woken: dict[UUID, int] = {}

    async def start(self) -> None:
        """Do nothing: a log in memory needs no preparation."""

    async def aclose(self) -> None:
        """Do nothing: a log in memory holds no connections."""

    async def append(
        self, league: UUID, epoch: int, appends: Sequence[Append], checked: bool = False
    ) -> Outcome:
        """Append in order, by the same rules as the function in the database."""
        await asyncio.sleep(0)  # lets others wait, as they would for a commit
        outcome = Outcome(self._epochs.get(league, 0))
        if outcome.epoch != epoch:
            return outcome
        self._refuse_impossible(league, appends)
        moved = self._moved(league, appends, checked)
        for index, append in enumerate(appends):
            known = self._positions.get((league, append.event_0))
            written = {head.stream for head in append.heads if head.written}
            if known is not None:
                outcome.duplicates[index] = known
                moved |= written
            elif any(head.stream in moved for head in append.heads):
                outcome.failed.add(index)
                moved |= written
        log = self._events.setdefault(league, [])
        made = [
            (index, append)
            for index, append in enumerate(appends)
            if index not in outcome.failed and index not in outcome.duplicates
        ]
        for _, append in made:
            self._refuse_past(league, append)
        for index, append in made:
            outcome.first[index] = len(log)
            for event in append.events:
                self._keep(league, log, event)
        return outcome

    @asynccontextmanager
    async def turn(self, league: UUID) -> AsyncIterator[None]:
        """Do nothing: one process has one writer."""
        yield

    async def stream(
        self, league: UUID, stream: str, after_version: int = 0, limit: int = CHUNK
    ) -> list[Recorded]:
        """Return events of a stream, oldest first."""
        return self._streams.get((league, stream), [])[after_version : after_version + limit]

    async def head(self, league: UUID, stream: str) -> tuple[int, bytes] | None:
        """Return the version and hash of a stream's last event, or None if it has no events."""
        rows = self._streams.get((league, stream))
        return (rows[-1].stream_version, rows[-1].hash) if rows else None

    async def books(
        self, league: UUID, stream: str, closing: str, limit: int = CHUNK
    ) -> list[Recorded]:
        """Return a stream's first event, and the events from the one before its last *closing*."""
        rows = self._streams.get((league, stream), [])
        last = max((row.stream_version for row in rows if row.type == closing), default=1)
        return [*rows[:1], *rows[max(1, last - 2) :]][:limit]

    async def league(
        self, league: UUID, after_position: int = -1, limit: int = CHUNK
    ) -> list[Recorded]:
        """Return events of a league, in the order of their positions."""
        return self._events.get(league, [])[after_position + 1 : after_position + 1 + limit]

    async def ends(self, leagues: Sequence[UUID]) -> dict[UUID, tuple[int, bytes]]:
        """Return the position and hash of the last event of each league that has one."""
        logs = {league: self._events[league] for league in leagues if self._events.get(league)}
        return {league: (log[-1].position, log[-1].hash) for league, log in logs.items()}

    async def request_of(self, league: UUID, event: UUID) -> str | None:
        """Return the digest of the request that caused an event, or None without the event."""
        position = self._positions.get((league, event))
        return None if position is None else self._events[league][position].about().request_digest

    async def epoch(self, league: UUID) -> int:
        """Return a league's epoch."""
        return self._epochs.get(league, 0)

    async def raise_epoch(self, league: UUID) -> int:
        """Raise a league's epoch by one, as an operator does after a restore."""
        self._epochs[league] = self._epochs.get(league, 0) + 1
        return self._epochs[league]

    async def time(self, league: UUID) -> tuple[datetime | None, datetime | None]:
        """Return the clock's instant and the last event's, each None if it does not exist."""
        log = self._events.get(league)
        return None if self._now is None else self._now(), log[-1].at if log else None

    async def voided(self, league: UUID) -> frozenset[int]:
        """Return the positions of a league's voided events."""
        log = self._events.get(league, ())
        return voided_by(row.data.decode() for row in log if row.type == "positions_voided")

    async def keys(self, league: UUID) -> LeagueKeys:
        """Return a league's keys, made on the first call."""
        if league not in self._keys:
            self._keys[league], _ = self._ring.new(league)
        return self._keys[league]

    def wake(self, league: UUID, position: int) -> None:
        """Record the position up to which subscribers were woken."""
        self.woken[league] = max(position, self.woken.get(league, -1))

    def _moved(self, league: UUID, appends: Sequence[Append], checked: bool) -> set[str]:
        moved: set[str] = set()
        mentioned: set[str] = set()
        for append in appends:
            for head in append.heads:
                if checked or head.stream not in mentioned:
                    rows = self._streams.get((league, head.stream), [])
                    actual = (len(rows), rows[-1].hash if rows else NO_HASH)
                    if actual != (head.version, head.hash):
                        moved.add(head.stream)
                mentioned.add(head.stream)
        return moved

    def _refuse_impossible(self, league: UUID, appends: Sequence[Append]) -> None:
        """Refuse events that do not follow from their heads, and events that are dated ahead."""
        left: dict[str, _Left] = {}
        for append in appends:
            named: set[str] = set()
            for head in append.heads:
                before = left.get(head.stream)
                if head.stream in named:
                    raise StatementFailed("an append names a stream twice")
                if before is not None and (head.version, head.hash) != before[:2]:
                    raise StatementFailed("a head is not what the call leaves")
                named.add(head.stream)
                left[head.stream] = _Left(head.version, head.hash, before and before.at)
            written = {head.stream for head in append.heads if head.written}
            for event in append.events:
                if event.stream not in written:
                    raise StatementFailed("a stream is written without a head")
                left[event.stream] = _following(league, event, left[event.stream])
        self._refuse_ahead(league, appends)

    def _refuse_ahead(self, league: UUID, appends: Sequence[Append]) -> None:
        latest = max((event.at for append in appends for event in append.events), default=None)
        if self._now is None or latest is None:
            return
        log = self._events.get(league)
        now = self._now()
        if latest > (max(now, log[-1].at) if log else now) + timedelta(seconds=1):
            raise DatedAhead("an event is dated more than a second ahead")

    def _refuse_past(self, league: UUID, append: Append) -> None:
        for event in append.events:
            rows = self._streams.get((league, event.stream))
            if rows and event.at < rows[-1].at:
                raise StatementFailed(f"time falls in stream {event.stream}")

    def _keep(self, league: UUID, log: list[Recorded], event: NewEvent) -> None:
        row = Recorded(len(log), *event, league)
        log.append(row)
        self._streams.setdefault((league, event.stream), []).append(row)
        self._positions[league, event.event_id] = row.position
