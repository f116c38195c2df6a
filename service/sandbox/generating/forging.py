"""
Forged bundles: one place is changed, and everything else is made to agree with the change.

Hashes, the heads that other events name, the tree's root and the signature follow the change.
Therefore the change itself is the bundle's only defect.
"""

import copy
import re
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256

import msgspec

from service.base.documents import Document, Json
from service.bundles.writing import uncovered
from service.transparency.note import Checkpoint, SigningKey

Line = Document
Where = Callable[[Json], bool]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HASH_AS_TEXT = re.compile(rb'(?<!\\)"([0-9a-f]{64})"(?!:)')
"""A whole text in JSON, and neither a key nor the end of a longer text."""


def digest(data: bytes) -> bytes:
    """Return SHA-256 of *data*."""
    return sha256(data).digest()


def encode(value: object) -> bytes:
    """Return the canonical JSON of *value*."""
    return msgspec.json.encode(value, order="sorted")


def finish(lines: list[Line]) -> bytes:
    """Return *lines* as a bundle, with a correct last line added."""
    before = b"".join(encode(line) + b"\n" for line in lines)
    end = {"line": "end", "lines": len(lines), "sha256": digest(before).hex()}
    return before + encode(end) + b"\n"


class Forgery:
    """
    The lines of a bundle, to be changed and written again.

    Args:
        raw: A sound bundle.
        key: The key that signs the changed bundle.
    """

    def __init__(self, raw: bytes, key: SigningKey) -> None:
        self.lines: list[Line] = [msgspec.json.decode(line) for line in raw.splitlines()]
        self.key = key
        self.league = bytes.fromhex(self.lines[0]["league"][4:])
        self.rulesets = {
            line["stream"]: line["data"]["ruleset"] for line in self.events("table_opened")
        }
        """The rulesets, by the stream of the table."""

        # Each original hash leads to its event, so that names of heads can follow a change.
        self.old = {leaf.hex(): place for place, leaf in self._heads().items()}

    def copy(self) -> "Forgery":
        """Return a copy that can be changed independently."""
        other = copy.copy(self)
        # This is much faster than a deep copy of the lines.
        other.lines = msgspec.json.decode(msgspec.json.encode(self.lines))
        return other

    def events(self, kind: str | None = None, where: Where = lambda data: True) -> list[Line]:
        """Return the events of a type for which *where* accepts the data, by position."""
        return [
            line
            for line in self.lines
            if line["line"] == "event" and kind in (None, line["type"]) and where(line["data"])
        ]

    def data(self, kind: str, where: Where = lambda data: True, nth: int = 0) -> Json:
        """Return the data of the event number *nth*, from 0, that :meth:`events` finds."""
        return self.events(kind, where)[nth]["data"]

    def opening(self, event: Line, pointer: str) -> Line:
        """Return the opening of the hidden value at *pointer* in *event*."""
        return self.openings(event)[pointer]

    def openings(self, event: Line) -> dict[str, Line]:
        """Return all openings of *event* by pointer."""
        at = event["position"]
        found = (line for line in self.lines if line.get("position") == at)
        return {line["pointer"]: line for line in found if line["line"] == "opening"}

    def commit(self, event: Line, pointer: str, value: object) -> None:
        """Replace the hidden value at *pointer* in *event*, and its commitment."""
        opening = self.opening(event, pointer)
        opening["value"] = value
        place = self.league + digest(event["stream"].encode()) + event["version"].to_bytes(8, "big")
        secret = bytes.fromhex(opening["salt"]) + encode(value)
        commitment = digest(b"holotable/commit/1" + place + digest(pointer.encode()) + secret)
        event["data"][pointer[1:]]["commitment"] = commitment.hex()

    def leave_out(self, stream: str) -> None:
        """Leave a whole stream out, as if the viewer could not see it."""
        gone = {line["position"] for line in self.events() if line["stream"] == stream}
        leaves, nodes = self._leaves(self._heads()), self._nodes()
        kept = sorted(set(leaves) - gone)
        covered = [
            {"line": "node", "first": a, "end": b, "hash": root(a, b, leaves, nodes).hex()}
            for a, b in uncovered(kept, self._size())
        ]
        rest = [line for line in self.lines[2:] if line["line"] != "node"]
        self.lines = [
            *self.lines[:2],
            *covered,
            *(e for e in rest if e.get("position") not in gone),
        ]

    def write(self) -> bytes:
        """Return the bundle with new hashes and a new signature."""
        leaves = self._leaves(self._heads(relink=True))
        note: list[str] = self.lines[1]["note"]
        size = self._size()
        head = Checkpoint(origin=note[0], size=size, root=root(0, size, leaves, self._nodes()))
        self.lines[1]["note"] = self.key.sign(head.text()).split("\n")
        return finish(self.lines[:-1])

    def _size(self) -> int:
        return int(self.lines[1]["note"][1])

    def _nodes(self) -> dict[tuple[int, int], bytes]:
        nodes = (line for line in self.lines if line["line"] == "node")
        return {(each["first"], each["end"]): bytes.fromhex(each["hash"]) for each in nodes}

    def _leaves(self, heads: dict[tuple[str, int], bytes]) -> dict[int, bytes]:
        kept = (line for line in self.lines if line["line"] in ("event", "withheld", "voided"))
        return {line["position"]: heads[line["stream"], line["version"]] for line in kept}

    def _heads(self, *, relink: bool = False) -> dict[tuple[str, int], bytes]:
        """Return the hash of each event. With *relink*, first replace old hashes in the data."""
        heads = {
            (line["stream"], line["version"]): bytes.fromhex(line["hash"])
            for line in self.lines
            if line["line"] in ("withheld", "voided")
        }
        for event in self.events():
            if relink:
                self._relink(event, heads)
            before = heads.get((event["stream"], event["version"] - 1), bytes(32))
            previous = bytes.fromhex(event["previous"]) if event["previous"] else before
            leaf = digest(b"\0" + self.entry(event, previous))
            heads[event["stream"], event["version"]] = leaf
        return heads

    def _relink(self, event: Line, heads: dict[tuple[str, int], bytes]) -> None:
        """Replace the original hashes that *event* names with those of the same places now."""

        def new(found: re.Match[bytes]) -> bytes:
            place = self.old.get(found[1].decode())
            return found[0] if place not in heads else b'"%b"' % heads[place].hex().encode()

        data = encode(event["data"])
        linked = _HASH_AS_TEXT.sub(new, data)
        if linked != data:
            event["data"] = msgspec.json.decode(linked)

    def entry(self, event: Line, previous: bytes) -> bytes:
        """Return the 253 bytes from which an event's hash is computed."""
        at = datetime.fromisoformat(event["at"]) - _EPOCH
        microseconds = (at.days * 86_400 + at.seconds) * 1_000_000 + at.microseconds
        fixed = b"holotable/1" + self.league + previous + digest(event["stream"].encode())
        fixed += event["version"].to_bytes(8, "big") + bytes.fromhex(event["id"])
        fixed += microseconds.to_bytes(8, "big") + digest(event["type"].encode())
        sealed = bytes.fromhex(event["sealed"]) if event["sealed"] else bytes(32)
        data = digest(encode(event["data"]))
        metadata = bytes.fromhex(event["metadata"])
        return b"".join((fixed, event["schema_version"].to_bytes(2, "big"), data, metadata, sealed))


def root(
    first: int, end: int, leaves: dict[int, bytes], nodes: dict[tuple[int, int], bytes]
) -> bytes:
    """Return the RFC 6962 hash over the leaves from *first* to *end* - 1."""
    if (first, end) in nodes:
        return nodes[first, end]
    if end - first == 1:
        return leaves[first]
    power = 1
    while power * 2 < end - first:
        power *= 2
    left = root(first, first + power, leaves, nodes)
    return digest(b"\x01" + left + root(first + power, end, leaves, nodes))


def signed_by(raw: bytes, key: SigningKey) -> bytes:
    """Return the bundle *raw*, signed with *key* instead of its own key."""
    lines = [msgspec.json.decode(line) for line in raw.splitlines()]
    text = "\n".join(lines[1]["note"][:3]) + "\n"
    lines[1]["note"] = key.sign(text).split("\n")
    return finish(lines[:-1])


def with_signature_of(raw: bytes, other: bytes) -> bytes:
    """Return *raw* under the signed head of *other*."""
    lines = [msgspec.json.decode(line) for line in raw.splitlines()]
    lines[1]["note"] = msgspec.json.decode(other.splitlines()[1])["note"]
    return finish(lines[:-1])
