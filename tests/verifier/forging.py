"""Rewrite a bundle so that all in it agrees again, down to a signature by a key of one's own."""

import base64
import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.verifier.loading import verifier

Line = dict[str, Any]

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
NAME = "forger.example"
_RAW = b"\x01" + KEY.public_key().public_bytes_raw()
_ID = hashlib.sha256(NAME.encode() + b"\n" + _RAW).digest()[:4]
PUBLIC = verifier.read_key(f"{NAME}+{_ID.hex()}+{base64.b64encode(_RAW).decode()}")


def digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def encode(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


class Forgery:
    """The lines of a bundle, to be changed and written anew."""

    def __init__(self, raw: bytes) -> None:
        self.lines: list[Line] = [json.loads(line) for line in raw.splitlines()]
        self.league = bytes.fromhex(self.lines[0]["league"][4:])
        # Heads of streams that other events name, by what they were before.
        self.old = {event.leaf.hex(): (event.stream, event.version) for event in _with_leaves(raw)}

    def events(self, kind: str, where: Callable[[Any], bool] = lambda data: True) -> list[Line]:
        found = [line for line in self.lines if line["line"] == "event" and line["type"] == kind]
        return [line for line in found if where(line["data"])]

    def data(
        self, kind: str, where: Callable[[Any], bool] = lambda data: True, nth: int = 0
    ) -> Any:
        return self.events(kind, where)[nth]["data"]

    def opening(self, event: Line, pointer: str) -> Line:
        found = [
            line for line in self.lines if line["line"] == "opening" and line["pointer"] == pointer
        ]
        return next(line for line in found if line["position"] == event["position"])

    def commit(self, event: Line, pointer: str, value: object) -> None:
        """Another value at a sealed place of *event*, with its commitment."""
        opening = self.opening(event, pointer)
        opening["value"] = value
        place = self.league + digest(event["stream"].encode()) + event["version"].to_bytes(8, "big")
        secret = bytes.fromhex(opening["salt"]) + encode(value)
        commitment = digest(b"holotable/commit/1" + place + digest(pointer.encode()) + secret)
        event["data"][pointer[1:]]["commitment"] = commitment.hex()

    def write(self) -> bytes:
        leaves: dict[int, bytes] = {}
        heads: dict[tuple[str, int], bytes] = {}
        for event in self.lines:
            if event["line"] != "event":
                continue
            head = event["data"].get("tournament_head")
            if head in self.old and self.old[head] in heads:
                event["data"]["tournament_head"] = heads[self.old[head]].hex()
            before = heads.get((event["stream"], event["version"] - 1), bytes(32))
            previous = bytes.fromhex(event["previous"]) if event["previous"] else before
            leaf = digest(b"\0" + self.entry(event, previous))
            leaves[event["position"]] = heads[event["stream"], event["version"]] = leaf
        note = self.lines[1]["note"]
        nodes = {
            (n["first"], n["end"]): bytes.fromhex(n["hash"])
            for n in self.lines
            if n["line"] == "node"
        }
        note[2] = base64.b64encode(root(0, int(note[1]), leaves, nodes)).decode()
        text = "\n".join(note[:3]).encode() + b"\n"
        note[4:] = [f"— {NAME} {base64.b64encode(_ID + KEY.sign(text)).decode()}", ""]
        return finish(self.lines[:-1])

    def entry(self, event: Line, previous: bytes) -> bytes:
        at = datetime.fromisoformat(event["at"]) - datetime(1970, 1, 1, tzinfo=UTC)
        microseconds = (at.days * 86_400 + at.seconds) * 1_000_000 + at.microseconds
        fixed = b"holotable/1" + self.league + previous + digest(event["stream"].encode())
        fixed += (
            event["version"].to_bytes(8, "big")
            + bytes.fromhex(event["id"])
            + microseconds.to_bytes(8, "big")
        )
        fixed += digest(event["type"].encode()) + event["schema_version"].to_bytes(2, "big")
        sealed = bytes.fromhex(event["sealed"]) if event["sealed"] else bytes(32)
        metadata = bytes.fromhex(event["metadata"])
        return b"".join((fixed, digest(encode(event["data"])), metadata, sealed))


def _with_leaves(raw: bytes) -> list[Any]:
    """The bundle's events with their hashes as they are."""
    bundle = verifier.read_bundle(raw)
    note = bundle.note
    verifier.check_hashes(bundle, int(note[1]), base64.b64decode(note[2]), verifier.Report())
    return list(bundle.events)


def root(
    first: int, end: int, leaves: dict[int, bytes], nodes: dict[tuple[int, int], bytes]
) -> bytes:
    if (first, end) in nodes:
        return nodes[first, end]
    if end - first == 1:
        return leaves[first]
    power = 1
    while power * 2 < end - first:
        power *= 2
    return digest(
        b"\x01"
        + root(first, first + power, leaves, nodes)
        + root(first + power, end, leaves, nodes)
    )


def finish(lines: list[Line]) -> bytes:
    """*lines* with a right last one."""
    before = b"".join(encode(line) + b"\n" for line in lines)
    return (
        before
        + encode({"line": "end", "lines": len(lines), "sha256": digest(before).hex()})
        + b"\n"
    )
