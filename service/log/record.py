"""What the log says of an event, and what an append asks of the log."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

import msgspec

from engine.values import number_of
from service.base.uuids import uuid_of


class Guard(msgspec.Struct, frozen=True, kw_only=True):
    """A stream that must not have moved for an append to be made."""

    stream: str
    version: int
    hash: str


class Metadata(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """
    Who asked for an append, and what it built on.

    Members may be added and unknown ones are ignored; only an append's actor and
    auditors are ever shown it.
    """

    command_id: UUID
    actor: str
    request_digest: str
    """HMAC-SHA256 of the request under a key of the league, in hexadecimal."""

    received_at: datetime
    revision: str
    correlation_id: str | None = None
    causation_id: str | None = None
    guards: tuple[Guard, ...] = ()
    read_at: datetime | None = None
    """What the process's clock said, if its events are dated otherwise."""


_metadata = msgspec.json.Decoder(Metadata)


class Recorded(NamedTuple):
    """A row of the log."""

    position: int
    stream: str
    stream_version: int
    event_id: UUID
    type: str
    schema_version: int
    at: datetime
    data: bytes
    sealed: bytes | None
    metadata: bytes
    hash: bytes
    league: UUID

    def about(self) -> Metadata:
        """Return the metadata, decoded."""
        return _metadata.decode(self.metadata)


class NewEvent(NamedTuple):
    """An event that is to be recorded; everything but its position is settled."""

    stream: str
    stream_version: int
    event_id: UUID
    type: str
    schema_version: int
    at: datetime
    data: bytes
    sealed: bytes | None
    metadata: bytes
    hash: bytes


class Head(NamedTuple):
    """A stream as an append expects to find it: version and hash, or (0, zeros)."""

    stream: str
    version: int
    hash: bytes
    written: bool = False
    """False for a guard."""

    first_at: datetime | None = None
    """Instant of the first event that the append writes to it."""


@dataclass(slots=True)
class Append:
    """One command's events, all or nothing; without events, only a question."""

    event_0: UUID
    """Identifier of the command's first event, whether or not it causes one."""

    heads: Sequence[Head]
    events: list[NewEvent] = field(default_factory=list)


@dataclass(slots=True)
class Outcome:
    """What became of the appends of one call, by their index in it."""

    epoch: int
    """The league's; if it is not the one expected, nothing else was looked at."""

    first: dict[int, int] = field(default_factory=dict)
    """Position of the first event of each append that was made."""

    failed: set[int] = field(default_factory=set)
    """Appends one of whose streams had moved, or that built on such an append."""

    duplicates: dict[int, int] = field(default_factory=dict)
    """Position of the event 0 of each append that the log holds already."""


class Disconnected(Exception):
    """The database went away; whether the call was committed is not known."""


class StatementFailed(Exception):
    """The database refused the call as a whole; nothing of it was made."""


class DatedAhead(StatementFailed):
    """An event was dated more than a second ahead: the clock was set back, or read wrongly."""


@lru_cache(maxsize=65_536)
def league_number(league: str) -> UUID:
    """Return the UUID in a league's identifier; ``ValueError`` if it is none."""
    return uuid_of(number_of(league).bytes)
