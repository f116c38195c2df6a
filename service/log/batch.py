"""Forming a batch: each command is decided on the states that the commands before it leave."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec

from engine.errors import CommandRejected
from engine.values import Stream
from service.base.errors import ServiceError, StoreUnavailable
from service.base.sources import STEP_MAX
from service.base.uuids import uuid5
from service.log import canonical
from service.log.codec import Codec, category_of
from service.log.keys import LeagueKeys
from service.log.orders import Decide, Order, StreamEvents, decided
from service.log.record import Append, Guard, Head, Metadata, NewEvent, Recorded
from service.log.states import AnyLoaded, Loaded, State, StateCache

_MICROSECOND = timedelta(microseconds=1)


class RecordedEvent(msgspec.Struct, frozen=True):
    """An event, and the row of the log that holds it."""

    row: Recorded
    event: Any  # of any aggregate

    @property
    def stream(self) -> str:
        """The stream that holds the event."""
        return self.row.stream

    @property
    def version(self) -> int:
        """The event's number in its stream."""
        return self.row.stream_version

    @property
    def type(self) -> str:
        """The event's stored name."""
        return self.row.type


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """The positions of a command's events. They are None if it caused no events."""

    league: str
    epoch: int
    command_id: UUID
    first_position: int | None
    last_position: int | None
    duplicate: bool
    """True if the command had been accepted before. The receipt then repeats the first answer."""

    recorded: tuple[RecordedEvent, ...]


@dataclass(slots=True)
class Attempt:
    """A command decided once: its append, or a refusal that the log still has to confirm."""

    append: Append
    events: list[msgspec.Struct] = field(default_factory=list)
    left: dict[str, Loaded[msgspec.Struct]] = field(default_factory=dict)
    """The states after the command, by the stream it writes."""

    at: datetime | None = None
    """The instant of its events."""

    refusal: Exception | None = None
    streams: tuple[str, ...] = ()
    """Every stream that the command loaded."""


def event_id(command_id: UUID, index: int) -> UUID:
    """
    Return the identifier of a command's event: the uuid5 of its decimal index.

    >>> event_id(UUID(int=1), 0)
    UUID('6ff55b57-2b5f-5022-ad8b-524631694aa1')
    """
    return uuid5(command_id, str(index))


class Former:
    """Makes the batches of one writer."""

    def __init__(
        self, codec: Codec, cache: StateCache, now: Callable[[], datetime], revision: str
    ) -> None:
        self.codec = codec
        self.cache = cache
        self.now = now
        self.revision = revision
        self.behind = timedelta()
        """
        The time by which the log's clock was behind this process's when the log refused an event.
        """

    def turn(self, league: UUID, keys: LeagueKeys, latest: datetime) -> "Turn":
        """Begin a batch of one league. *latest* is the instant of its last known event."""
        return Turn(self, league, keys, latest)


class Turn:
    """One batch in the making."""

    def __init__(self, former: Former, league: UUID, keys: LeagueKeys, latest: datetime) -> None:
        self.former = former
        self.league = league
        self.keys = keys
        self.latest = latest
        self.left: dict[str, AnyLoaded] = {}
        """The states that the commands so far leave, by stream."""

        self.events = 0
        self.bytes = 0

    async def attempt(self, order: Order, decide: Decide) -> Attempt:
        """
        Decide one command.

        A refusal joins the batch without events, so that the log confirms it. It stands only if the
        states it was decided on still stand, and if the command was not accepted earlier.
        """
        seen = _Seen(self)
        event_0 = event_id(order.command_id, 0)
        try:
            entries = await decided(seen, order, decide)
        except StoreUnavailable:
            raise
        except (CommandRejected, ServiceError) as refusal:
            return Attempt(Append(event_0, seen.heads()), refusal=refusal, streams=seen.streams())
        for entry in entries:
            await seen.load(entry.stream)
        if not any(entry.events for entry in entries):
            return Attempt(Append(event_0, seen.heads()), streams=seen.streams())
        attempt = self._build(order, event_0, entries, seen)
        self.left |= attempt.left
        self.events += len(attempt.events)
        return attempt

    def _build(
        self, order: Order, event_0: UUID, entries: Sequence[StreamEvents], seen: "_Seen"
    ) -> Attempt:
        written = {str(entry.stream) for entry in entries if entry.events}
        guards = {str(entry.stream) for entry in entries} - written
        read_at = self.former.now()
        # The log may be ahead of this clock: the clock was set back, or another process misread it.
        last = max([self.latest, *(seen.found[stream].at for stream in written)])
        now = read_at - self.former.behind
        at = max(now, last + _MICROSECOND, _named(entries, now))
        metadata = self._metadata(order, guards, seen, read_at if at != read_at else None)
        made = _Building(self, metadata, order.command_id, event_0, dict(seen.found), at)
        for entry in entries:
            for event in entry.events:
                made.add(entry.stream, event, leads_to=entry.state)
        heads = [
            Head(stream, seen.found[stream].version, seen.found[stream].hash)
            for stream in sorted(guards)
        ] + [
            Head(
                stream,
                seen.found[stream].version,
                seen.found[stream].hash,
                True,
                made.first_at[stream],
            )
            for stream in sorted(written)
        ]
        self.latest = at
        left = {stream: made.states[stream] for stream in written}
        append = Append(event_0, heads, made.new)
        return Attempt(append, made.events, left, at, streams=seen.streams())

    def _metadata(
        self, order: Order, guards: set[str], seen: "_Seen", read_at: datetime | None
    ) -> bytes:
        return canonical.encode(
            Metadata(
                command_id=order.command_id,
                actor=order.actor,
                request_digest=self.keys.request_digest(order.request),
                received_at=order.received_at,
                revision=self.former.revision,
                correlation_id=order.correlation_id,
                causation_id=order.causation_id,
                guards=tuple(
                    Guard(
                        stream=stream,
                        version=seen.found[stream].version,
                        hash=seen.found[stream].hash.hex(),
                    )
                    for stream in sorted(guards)
                ),
                read_at=read_at,
                entered=True if order.entered else msgspec.UNSET,
            )
        )


def _named(entries: Sequence[StreamEvents], now: datetime) -> datetime:
    """
    Return the latest instant that the events themselves name, or *now*.

    A command that was on its way when the clock was set back slightly may name a later instant. An
    event must not be dated before an instant that it names.
    """
    said = (getattr(event, "at", None) for entry in entries for event in entry.events)
    near = (at for at in said if isinstance(at, datetime) and now < at <= now + STEP_MAX)
    return max(near, default=now)


class _Seen:
    """The states that one command has loaded."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self.league = turn.league
        self.found: dict[str, AnyLoaded] = {}

    async def load(self, stream: Stream[State]) -> Loaded[State]:
        """Return a stream's state as the commands before this one leave it."""
        known = self.found.get(stream)
        if known is None:
            known = self._turn.left.get(stream)
            if known is None:
                known = await self._turn.former.cache.load(self._turn.league, stream)
            self.found[stream] = known
        return known

    def heads(self) -> list[Head]:
        return [Head(stream, it.version, it.hash) for stream, it in self.found.items()]

    def streams(self) -> tuple[str, ...]:
        return tuple(self.found)


class _Building:
    """The rows of one append, in the making."""

    def __init__(
        self,
        turn: Turn,
        metadata: bytes,
        command_id: UUID,
        event_0: UUID,
        states: dict[str, Loaded[msgspec.Struct]],
        at: datetime,
    ) -> None:
        self._turn = turn
        self._metadata = metadata
        self._metadata_hash = sha256(metadata).digest()
        self._command_id = command_id
        self._event_0 = event_0
        self._at = at
        self.states = states
        self.new: list[NewEvent] = []
        self.events: list[msgspec.Struct] = []
        self.first_at: dict[str, datetime] = {}

    def add(self, stream: str, event: msgspec.Struct, *, leads_to: msgspec.Struct | None) -> None:
        """
        Write *event* at the end of *stream*, and evolve the stream's state.

        Args:
          leads_to: The state after the last event of its entry, if the decide function gave it.
        """
        turn, before, at = self._turn, self.states[stream], self._at
        version = before.version + 1
        encoded = turn.former.codec.encode(event, stream, version, turn.keys)
        index = len(self.new)
        id_ = event_id(self._command_id, index) if index else self._event_0
        leaf = canonical.leaf(
            turn.league,
            before.hash,
            stream,
            version,
            id_,
            canonical.microseconds(at),
            encoded.type,
            encoded.schema_version,
            encoded.data,
            self._metadata_hash,
            encoded.sealed,
        )
        hash_ = sha256(leaf).digest()
        state = leads_to
        if state is None:
            decider = turn.former.codec.deciders[category_of(stream)]
            state = decider.evolve(before.state, event)
        self.states[stream] = Loaded(state, version, hash_, at)
        self.first_at.setdefault(stream, at)
        self.events.append(event)
        self.new.append(
            NewEvent(
                stream,
                version,
                id_,
                encoded.type,
                encoded.schema_version,
                at,
                encoded.data,
                encoded.sealed,
                self._metadata,
                hash_,
            )
        )
        turn.bytes += len(encoded.data) + len(self._metadata) + len(encoded.sealed or b"")
