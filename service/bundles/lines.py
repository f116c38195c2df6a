"""
The lines of a bundle, each canonical JSON.

Source: ``api-spec/bundle.md``, section 1.
"""

from collections.abc import AsyncIterator
from datetime import datetime
from hashlib import sha256
from typing import Literal
from uuid import UUID

import msgspec

from engine.kit.audiences import Reader
from service.base.documents import Json
from service.log import canonical
from service.log.record import Recorded

FORMAT = "holotable/bundle/3"

Kind = Literal["hand", "tournament", "season"]


class _Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="line"):
    pass


class BundleHead(_Line, frozen=True, kw_only=True, tag="head"):
    format: str = FORMAT
    kind: Kind
    subject: str
    league: str
    viewer: str


class SignedHead(_Line, frozen=True, kw_only=True, tag="checkpoint"):
    note: tuple[str, ...]
    """The lines of the note, because control characters are refused in a bundle as in the log."""


class Node(_Line, frozen=True, kw_only=True, tag="node"):
    """A subtree without events of the bundle: leaves from ``first`` up to but without ``end``."""

    first: int
    end: int
    hash: str


class Event(_Line, frozen=True, kw_only=True, tag="event"):
    position: int
    """The position of the event in the league's log."""

    stream: str
    """The stream of the event."""

    version: int
    """The number of the event in its stream, from 1."""

    id: str
    """The identifier of the event, 32 hexadecimal digits."""

    type: str
    """The type of the event."""

    schema_version: int
    """The version of the schema of `data`."""

    at: datetime
    """The instant of the event."""

    data: msgspec.Raw
    """The event as it is stored, with commitments in place of hidden values."""

    metadata: str
    """SHA-256 of the event's metadata, in hexadecimal."""

    sealed: str | None
    """SHA-256 of the event's sealed values, in hexadecimal, or null if it has none."""

    previous: str | None
    """The hash of the event before in the same stream, or null if it is not needed."""


class Withheld(_Line, frozen=True, kw_only=True, tag="withheld"):
    """An event that the viewer may not read, with its place and its hash."""

    position: int
    stream: str
    version: int
    hash: str


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """The stored parts of a damaged event. Its hash should follow from them, and does not."""

    id: str
    type: str
    schema_version: int
    at: datetime
    data: bytes
    """In base64, because damaged data may be any bytes."""

    metadata: str
    sealed: str | None


class Voided(_Line, frozen=True, kw_only=True, tag="voided"):
    """A voided event, with its place and its stored hash."""

    position: int
    stream: str
    version: int
    hash: str
    entry: Entry | None
    """For auditors only, because damaged data may show what should have been sealed."""


class Leaves(_Line, frozen=True, kw_only=True, tag="leaves"):
    """The commitment of every card in the pile that the event at ``position`` commits to."""

    position: int
    hashes: tuple[str, ...]


class Opening(_Line, frozen=True, kw_only=True, tag="opening"):
    position: int
    pointer: str
    salt: str
    value: Json
    """Any JSON, as in the event."""


class End(_Line, frozen=True, kw_only=True, tag="end"):
    lines: int
    sha256: str


Line = BundleHead | SignedHead | Node | Event | Withheld | Voided | Leaves | Opening


def line_of(recorded: Recorded, previous: bytes | None, reader: Reader) -> Event | Withheld:
    """Return an event's line as *reader* may see it. *previous* is as for ``event_line``."""
    if reader.reads(recorded.type):
        return event_line(recorded, previous)
    return Withheld(
        position=recorded.position,
        stream=recorded.stream,
        version=recorded.stream_version,
        hash=recorded.hash.hex(),
    )


def voided_line(recorded: Recorded, *, auditor: bool) -> Voided:
    """Return the line of a voided event. For an *auditor* it includes the event's parts."""
    entry = Entry(
        id=UUID(bytes=recorded.event_id.bytes).hex,
        type=recorded.type,
        schema_version=recorded.schema_version,
        at=recorded.at,
        data=recorded.data,
        metadata=sha256(recorded.metadata).hexdigest(),
        sealed=None if recorded.sealed is None else sha256(recorded.sealed).hexdigest(),
    )
    return Voided(
        position=recorded.position,
        stream=recorded.stream,
        version=recorded.stream_version,
        hash=recorded.hash.hex(),
        entry=entry if auditor else None,
    )


def event_line(recorded: Recorded, previous: bytes | None) -> Event:
    """Return an event's line. *previous* is given only if the event before it is left out."""
    return Event(
        position=recorded.position,
        stream=recorded.stream,
        version=recorded.stream_version,
        id=UUID(bytes=recorded.event_id.bytes).hex,
        type=recorded.type,
        schema_version=recorded.schema_version,
        at=recorded.at,
        data=msgspec.Raw(recorded.data),
        metadata=sha256(recorded.metadata).hexdigest(),
        sealed=None if recorded.sealed is None else sha256(recorded.sealed).hexdigest(),
        previous=None if previous is None else previous.hex(),
    )


async def written(lines: AsyncIterator[Line]) -> AsyncIterator[bytes]:
    """Yield the bytes of each line and of the closing line. Refuse what has no canonical form."""
    digest, count = sha256(), 0
    async for line in lines:
        text = canonical.encode(line) + b"\n"
        digest.update(text)
        count += 1
        yield text
    yield canonical.encode(End(lines=count, sha256=digest.hexdigest())) + b"\n"
