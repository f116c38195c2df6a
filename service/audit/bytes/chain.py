"""
The log as bytes: positions, hash chains, event identifiers, guards, commitments.

Nothing here trusts the code that wrote the log. Each entry is built again from the
columns alone.
"""

import struct
from collections.abc import Container, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha1, sha256
from typing import NamedTuple
from uuid import UUID

import msgspec

from service.audit.report import Findings
from service.audit.said import said
from service.base.documents import Document, Json
from service.base.errors import EventUnreadable
from service.log.keys import LeagueKeys
from service.log.record import Recorded
from service.log.sealing import Opening, contents_of, texts_in

_ZEROS = bytes(32)
_SECOND = 1_000_000
_NAME = ~(0xF << 76 | 0b11 << 62)
_VERSION_5 = 5 << 76 | 0b10 << 62
"""The bits of a UUID for its version and variant, and their value for version 5."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NO_HEAD = (0, _ZEROS)
_COMMITMENT = b'"commitment":'
_ENTRY = struct.Struct(">1s 11s 16s 32s 32s Q 16s q 32s H 32s 32s 32s").pack


class _Guard(msgspec.Struct, frozen=True):
    stream: str
    version: int
    hash: str


class _Metadata(msgspec.Struct, frozen=True):
    """The metadata of an append, as far as it is checked here."""

    command_id: str
    guards: tuple[_Guard, ...] = ()


_decode = msgspec.json.Decoder().decode
encode = msgspec.json.Encoder(order="sorted").encode
"""Encodes documents in their canonical form."""


class Boxes(NamedTuple):
    """The boxes of an event, opened."""

    texts: dict[str, bytes]
    """The text of each box, by audience."""

    places: dict[str, dict[str, Opening]]
    """By audience and pointer, the salt and the value of each hidden place."""


class Placed(NamedTuple):
    """The parts of a log row that give its place in the log."""

    position: int
    stream: str
    stream_version: int
    event_id: UUID
    type: str
    data: bytes | None
    metadata: bytes
    hash: bytes


class Places:
    """Follows a league's log by position, and checks positions, event identifiers and guards."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self.heads: dict[str, tuple[int, bytes]] = {}
        """The heads of all streams followed or looked up so far."""

        self._position = -1
        self._written = b""
        """Metadata of the current append. Its command and its event count follow."""

        self._namespace = b""
        self._index = 0
        self._passed: list[Placed | Recorded] = []
        """Voided events since the last other one. The next one shows whose append they are of."""

    @property
    def settled(self) -> int:
        """The position up to which the heads are those of the log."""
        return self._passed[0].position - 1 if self._passed else self._position

    def resume(self, before: Sequence[Placed], voided: Container[int] = ()) -> None:
        """
        Begin in the middle of a log.

        Args:
            before: The events of the last append before it, from its first event, with the voided
                events around them.
            voided: Positions of voided events.
        """
        earlier = Places(Findings())
        for each in before:
            if each.position in voided:
                earlier.pass_over(each)
            else:
                earlier.follow(each)
        self.__dict__.update(earlier.__dict__, _findings=self._findings, heads={})

    def follow(self, row: Placed | Recorded) -> bool:
        """Check the place of one event, counting only faults. Return whether an append begins."""
        position, stream = row.position, row.stream
        dense = position == self._position + 1
        self._position = position
        begins = row.metadata != self._written
        if begins:
            self._begin(row)
        else:
            self._index += 1 + len(self._passed)
        if self._passed:
            self._settle(0)
        named = row.event_id.int == _named(self._namespace, self._index)
        if not (dense and named):
            find = self._findings.hold
            find("positions", dense, position, stream, said("positions have a gap"), 0)
            find(
                "event_ids", named, position, stream, said("its identifier is not its command's"), 0
            )
        self.heads[stream] = (row.stream_version, row.hash)
        return begins

    def pass_over(self, row: Placed | Recorded) -> None:
        """Follow a voided event. Only its position and its hash count."""
        dense = row.position == self._position + 1
        self._position = row.position
        self._findings.hold(
            "positions", dense, row.position, row.stream, said("positions have a gap"), 0
        )
        self._passed.append(row)

    def _settle(self, left: int) -> None:
        """Move the heads past voided events, but not past the last *left* of them."""
        end = len(self._passed) - left
        for each in self._passed[:end]:
            self.heads[each.stream] = (each.stream_version, each.hash)
        del self._passed[:end]

    def _own(self, row: Placed | Recorded) -> int:
        """Return how many of the voided events right before *row* its identifier counts."""
        counts = range(len(self._passed) + 1)
        return next((n for n in counts if row.event_id.int == _named(self._namespace, n)), 0)

    def _begin(self, row: Placed | Recorded) -> None:
        """Read and check the metadata of an append, and check its guards."""
        self._written = row.metadata
        told = parsed(row.metadata)
        if encode(told) != row.metadata:
            what = said("its append's metadata is not canonical")
            self._findings.hold("canonical", False, row.position, row.stream, what, count=0)
        try:
            append = msgspec.convert(told, _Metadata)
            self._namespace = bytes.fromhex(append.command_id.replace("-", ""))
            guards = append.guards
        except (msgspec.MsgspecError, ValueError):
            # Forged: the check of the event identifiers reports it.
            self._namespace, guards = b"", ()
        # The first events of this append may be voided: its guards held before them.
        self._index = self._own(row)
        self._settle(self._index)
        for each in guards:
            found, head = self.heads.get(each.stream, _NO_HEAD)
            held = (each.version, each.hash) == (found, head.hex())
            what = said("%(other)s had moved", other=each.stream)
            self._findings.hold("guards", held, row.position, row.stream, what)


class Links:
    """Follows streams event by event: each hash covers the event and the hash before it."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self.heads: dict[str, tuple[int, bytes]] = {}
        """Version and hash of each stream's last event."""

        self._metadata, self._metadata_hash = b"", b""
        self._at, self._since = _EPOCH, 0

    def follow(self, recorded: Recorded) -> None:
        """Check the bytes of one event, counting only faults."""
        (
            position, stream, version, event_id, type_, schema, at, data, sealed, metadata,
            hash_, league,
        ) = recorded  # fmt: skip
        if metadata != self._metadata:  # the events of an append share it
            self._metadata, self._metadata_hash = metadata, sha256(metadata).digest()
        if at is not self._at:  # and nearly always their instant
            self._at, self._since = at, _microseconds(at)
        before, previous = self.heads.get(stream, _NO_HEAD)
        self.heads[stream] = version, hash_
        # An instant before 1970 is never valid here, and an unreadable instant looks like one.
        if version == before + 1 and self._since >= 0:
            try:
                entry = _ENTRY(
                    b"\x00",
                    b"holotable/1",
                    league.bytes,
                    previous,
                    hash_of_name(stream),
                    version,
                    event_id.bytes,
                    self._since,
                    hash_of_name(type_),
                    schema,
                    sha256(data).digest(),
                    self._metadata_hash,
                    _ZEROS if sealed is None else sha256(sealed).digest(),
                )
            except struct.error:  # forged: a schema version that does not fit an entry
                entry = b""
            if sha256(entry).digest() == hash_:
                return
        self._findings.hold(
            "chains", False, position, stream, said("its hash is not that of its bytes"), 0
        )

    def follows(self, recorded: Recorded) -> bool:
        """Return whether an event continues the head in version and hash. The head stays."""
        apart = Links(Findings())
        apart.heads = {recorded.stream: self.heads.get(recorded.stream, _NO_HEAD)}
        apart.follow(recorded)
        return not apart._findings.kept().checks

    def skip(self, recorded: Recorded) -> None:
        """Move the head past an event without checking it."""
        self.heads[recorded.stream] = (recorded.stream_version, recorded.hash)


def _microseconds(at: datetime) -> int:
    """Return the microseconds since 1970 UTC, exactly."""
    since = at - _EPOCH
    return (since.days * 86_400 + since.seconds) * _SECOND + since.microseconds


@lru_cache(maxsize=16_384)
def hash_of_name(name: str) -> bytes:
    """Return the SHA-256 of a name of a stream or a type, or of a pointer."""
    return sha256(name.encode()).digest()


def _named(namespace: bytes, index: int) -> int:
    """Return UUID version 5 (RFC 4122, 4.3) of a number in a namespace, as an integer."""
    made = sha1(namespace + b"%d" % index, usedforsecurity=False).digest()
    return int.from_bytes(made[:16], "big") & _NAME | _VERSION_5


def canonical(document: bytes) -> bool:
    """Return whether *document* is JSON in canonical form."""
    return encode(parsed(document)) == document


def parsed(document: bytes) -> Json:
    """
    Return the content of *document*, or None if it is not JSON.

    A forged document may hold any JSON, so its type is open here and below.
    """
    try:
        return _decode(document)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def opened(recorded: Recorded, keys: LeagueKeys, findings: Findings) -> Boxes | None:
    """Return the contents of an event's boxes by audience, or None if a box does not open."""
    stream, version = recorded.stream, recorded.stream_version
    try:
        texts = texts_in(keys, stream, version, recorded.sealed or b"", None)
        return Boxes(texts, contents_of(texts, stream, version))
    except EventUnreadable as error:
        what = said("its sealed values do not open: %(reason)s", reason=error.detail)
        findings.hold("commitments", False, recorded.position, stream, what)
        return None


def check_commitments(
    recorded: Recorded, document: Json, boxes: Boxes | None, findings: Findings
) -> None:
    """
    Check that all boxes agree, and that their values match the commitments.

    Args:
        document: The content of the event's document.
    """
    if boxes is None:
        return
    position, stream = recorded.position, recorded.stream
    # Without a commitment every place is a card's, and decoding the event finds exactly these.
    cards_only = _COMMITMENT not in recorded.data
    found = boxes.places
    house = found.get("house", {})
    differing = {
        pointer
        for box in found.values()
        if box is not house
        for pointer, opening in box.items()
        if house.get(pointer) != opening
    }
    if not (all(found.values()) and house.keys() >= differing):
        what = said("a box is empty, or opens a place that the house's box does not")
        findings.hold("commitments", False, position, stream, what)
    begun = about(recorded)
    failed = [
        pointer
        for pointer, (salt, value) in house.items()
        if pointer in differing
        or not _in_form(salt, value)
        or not (cards_only or _committed(document, pointer, begun, (salt, value), found))
    ]
    findings.held(("commitments",), len(house) - len(failed))
    for pointer in failed:
        what = said(
            "the value sealed at %(pointer)s does not match its commitment", pointer=pointer
        )
        findings.hold("commitments", False, position, stream, what)


def _in_form(salt: str, value: msgspec.Raw) -> bool:
    """Return whether an opening is in canonical form. A forged salt may be any text."""
    try:
        return bytes.fromhex(salt).hex() == salt and canonical(bytes(value))
    except ValueError:
        return False


def about(recorded: Recorded) -> bytes:
    """Return the first bytes of every commitment in one event."""
    version = recorded.stream_version.to_bytes(8, "big")
    return b"holotable/commit/1" + recorded.league.bytes + hash_of_name(recorded.stream) + version


def _committed(
    document: Json,
    pointer: str,
    begun: bytes,
    opening: Opening,
    boxes: dict[str, dict[str, Opening]],
) -> bool:
    """
    Return whether a place commits to its opening, and exactly its audience can open it.

    A card's place is always accepted: its leaf is its commitment, and only the boxes give its
    audience.
    """
    place = _at(document, pointer)
    if place is None or "position" in place:
        return place is not None
    audience = place.get("audience")
    able = [name for name, box in boxes.items() if pointer in box]
    if not isinstance(audience, list) or len(audience) != len(able):
        return False
    if not all(name in audience for name in able):
        return False
    salt, value = opening
    text = begun + hash_of_name(pointer) + bytes.fromhex(salt) + bytes(value)
    return place.get("commitment") == sha256(text).hexdigest()


def _at(document: Json, pointer: str) -> Document | None:
    here = document
    try:
        for step, index in _steps(pointer):
            if isinstance(here, list):
                here = here[len(here) if index is None else index]
            else:
                here = here[step]
    except (KeyError, IndexError, TypeError):
        return None
    return here if isinstance(here, dict) else None


@lru_cache(maxsize=4_096)
def _steps(pointer: str) -> tuple[tuple[str, int | None], ...]:
    """Return the steps of an RFC 6901 pointer, each as a key, and as an index if it is a number."""
    return tuple((step, int(step) if step.isdecimal() else None) for step in pointer.split("/")[1:])
