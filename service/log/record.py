"""A stored event, and the append that asks the log to store events."""

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
    """A stream that must not have moved when the append is made."""

    stream: str
    version: int
    hash: str


class Metadata(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """
    The actor of an append, and the streams it was decided on.

    Members may be added, and unknown ones are ignored. Only an append's actor and auditors may read
    it.
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
    """The instant by the process's clock, if the events are dated differently."""

    entered: bool | msgspec.UnsetType = msgspec.UNSET
    """True if the actor is staff who play in the tournament. Absent otherwise."""


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
        """Return the decoded metadata."""
        return _metadata.decode(self.metadata)


class NewEvent(NamedTuple):
    """An event to append. Everything but its position is settled."""

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
    """The instant of the first event that the append writes to the stream."""


@dataclass(slots=True)
class Append:
    """One command's events, all or nothing. Without events, it only checks its heads."""

    event_0: UUID
    """The identifier of the command's first event, whether or not the command causes events."""

    heads: Sequence[Head]
    events: list[NewEvent] = field(default_factory=list)


@dataclass(slots=True)
class Outcome:
    """The outcome of each append of one call, by its index in the call."""

    epoch: int
    """The league's epoch. If it is not the expected one, nothing was appended."""

    first: dict[int, int] = field(default_factory=dict)
    """The position of the first event of each append that was made."""

    failed: set[int] = field(default_factory=set)
    """Appends with a stream that had moved, and appends that built on them."""

    duplicates: dict[int, int] = field(default_factory=dict)
    """The position of the first event of each append that the log already holds."""


class Disconnected(Exception):
    """The database went away. The call may or may not have been committed."""


class StatementFailed(Exception):
    """The database refused the call as a whole and appended nothing."""


class LeagueClosed(StatementFailed):
    """
    The league takes no commands, by order of an operator.

    Args:
      message: The database's sentence.
      why: ``suspended``, or ``maintenance:`` and the seconds until a client should ask again.
    """

    def __init__(self, message: str, why: str) -> None:
        super().__init__(message)
        self.why = why


class DatedAhead(StatementFailed):
    """An event was dated more than a second ahead: the clock was set back, or read wrongly."""


@lru_cache(maxsize=65_536)
def league_number(league: str) -> UUID:
    """Return the UUID in a league's identifier. Raise ``ValueError`` if it holds none."""
    return uuid_of(number_of(league).bytes)
