"""
The lines of a bundle, each canonical JSON.

Source: ``api-spec/bundle.md``, section 1.
"""

from collections.abc import AsyncIterator
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal
from uuid import UUID

import msgspec

from engine.kit.audiences import Reader
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
    """Its lines: control characters are refused in a bundle as they are in the log."""


class Node(_Line, frozen=True, kw_only=True, tag="node"):
    """A subtree without an event of the bundle: leaves from ``first`` to below ``end``."""

    first: int
    end: int
    hash: str


class Event(_Line, frozen=True, kw_only=True, tag="event"):
    position: int
    stream: str
    version: int
    id: str
    type: str
    schema_version: int
    at: datetime
    data: msgspec.Raw
    metadata: str
    sealed: str | None
    previous: str | None


class Withheld(_Line, frozen=True, kw_only=True, tag="withheld"):
    """An event that the viewer may not read: its place, and its hash."""

    position: int
    stream: str
    version: int
    hash: str


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a damaged event that its hash should be made of."""

    id: str
    type: str
    schema_version: int
    at: datetime
    data: bytes
    """Written in base64: damaged data may be anything."""

    metadata: str
    sealed: str | None


class Voided(_Line, frozen=True, kw_only=True, tag="voided"):
    """An event that was taken out of folding: its place, and the hash stored with it."""

    position: int
    stream: str
    version: int
    hash: str
    entry: Entry | None
    """For auditors only: damaged data may hold openly what should have been sealed."""


class Leaves(_Line, frozen=True, kw_only=True, tag="leaves"):
    """The commitment of every card of the pile that the event at ``position`` commits to."""

    position: int
    hashes: tuple[str, ...]


class Opening(_Line, frozen=True, kw_only=True, tag="opening"):
    position: int
    pointer: str
    salt: str
    value: Any
    """As the event has it: any JSON."""


class End(_Line, frozen=True, kw_only=True, tag="end"):
    lines: int
    sha256: str


Line = BundleHead | SignedHead | Node | Event | Withheld | Voided | Leaves | Opening


def line_of(recorded: Recorded, previous: bytes | None, reader: Reader) -> Event | Withheld:
    """Return an event's line as *reader* may see it; *previous* as for ``event_line``."""
    if reader.reads(recorded.type):
        return event_line(recorded, previous)
    return Withheld(
        position=recorded.position,
        stream=recorded.stream,
        version=recorded.stream_version,
        hash=recorded.hash.hex(),
    )


def voided_line(recorded: Recorded, *, auditor: bool) -> Voided:
    """Return the line of an event that is out of folding, with its parts for an *auditor*."""
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
    """Return an event's line; *previous* only where the event before is left out."""
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
    """Yield the bytes of each line, and of the closing one; what cannot be canonical is refused."""
    digest, count = sha256(), 0
    async for line in lines:
        text = canonical.encode(line) + b"\n"
        digest.update(text)
        count += 1
        yield text
    yield canonical.encode(End(lines=count, sha256=digest.hexdigest())) + b"\n"
