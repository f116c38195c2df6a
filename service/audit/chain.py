"""
The log as bytes: positions, hash chains, event identifiers, guards, commitments.

Nothing here trusts the code that wrote the log: the entry is put together again
from the columns alone.
"""

from hashlib import sha256
from typing import Any
from uuid import UUID, uuid5

import msgspec

from service.audit.report import Findings
from service.errors import EventUnreadable
from service.eventstore.record import Recorded
from service.eventstore.sealing import unseal
from service.keys import LeagueKeys

_ZEROS = bytes(32)
_SECOND = 1_000_000


class Chains:
    """Follows a league's log event by event; knows each stream's head."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self.heads: dict[str, tuple[int, bytes]] = {}
        self._position = -1
        self._command: tuple[bytes, int] = (b"", 0)
        self._about: dict[str, Any] = {}

    def follow(self, recorded: Recorded) -> str:
        """Check one event's bytes and place; return the identifier of the command it belongs to."""
        find, position, stream = self._findings.hold, recorded.position, recorded.stream
        find("positions", position == self._position + 1, position, stream, "positions have a gap")
        self._position = position
        version, previous = self.heads.get(stream, (0, _ZEROS))
        find(
            "chains",
            recorded.stream_version == version + 1
            and recorded.hash == entry_hash(recorded, previous),
            position,
            stream,
            f"the hash of version {recorded.stream_version} is not that of its bytes",
        )
        command = self._begin(recorded)
        self.heads[stream] = (recorded.stream_version, recorded.hash)
        return command

    def _begin(self, recorded: Recorded) -> str:
        """Check what an append says of itself: its guards, and the names of its events."""
        find, position, stream = self._findings.hold, recorded.position, recorded.stream
        written, index = self._command
        index = index + 1 if written == recorded.metadata else 0
        if index == 0:
            self._about = msgspec.json.decode(recorded.metadata)
            for guard in self._about.get("guards", ()):
                version, head = self.heads.get(guard["stream"], (0, _ZEROS))
                held = (guard["version"], guard["hash"]) == (version, head.hex())
                find("guards", held, position, stream, f"{guard['stream']} had moved")
        self._command = (recorded.metadata, index)
        command = str(self._about["command_id"])
        named = recorded.event_id == uuid5(UUID(command), str(index))
        find("event_ids", named, position, stream, f"event {index} of its command has another id")
        return command


def entry_hash(recorded: Recorded, previous: bytes) -> bytes:
    """Return the hash that a row's columns give after *previous*."""
    at = recorded.at
    microseconds = int(at.replace(microsecond=0).timestamp()) * _SECOND + at.microsecond
    sealed = _ZEROS if recorded.sealed is None else sha256(recorded.sealed).digest()
    entry = (
        b"holotable/1"
        + recorded.league.bytes
        + previous
        + sha256(recorded.stream.encode()).digest()
        + recorded.stream_version.to_bytes(8, "big")
        + recorded.event_id.bytes
        + microseconds.to_bytes(8, "big", signed=True)
        + sha256(recorded.type.encode()).digest()
        + recorded.schema_version.to_bytes(2, "big")
        + sha256(recorded.data).digest()
        + sha256(recorded.metadata).digest()
        + sealed
    )
    return sha256(b"\x00" + entry).digest()


def open_commitments(recorded: Recorded, keys: LeagueKeys, findings: Findings) -> None:
    """Check that every box opens, that all say the same, and that it is what was committed to."""
    if recorded.sealed is None:
        return
    position, stream = recorded.position, recorded.stream
    try:
        boxes = unseal(keys, stream, recorded.stream_version, recorded.sealed, None)
    except EventUnreadable as error:
        findings.hold("commitments", False, position, stream, error.detail)
        return
    document = msgspec.json.decode(recorded.data)
    house = boxes.get("house", {})
    for pointer, (salt, value) in house.items():
        place = _at(document, pointer)
        alike = all(box.get(pointer, (salt, value)) == (salt, value) for box in boxes.values())
        held = place is not None and (
            "position" in place
            or place.get("commitment") == _commitment(recorded, pointer, salt, bytes(value))
        )
        what = f"what was sealed at {pointer} is not what was committed to"
        findings.hold("commitments", alike and held, position, stream, what)


def _commitment(recorded: Recorded, pointer: str, salt: str, value: bytes) -> str:
    text = (
        b"holotable/commit/1"
        + recorded.league.bytes
        + sha256(recorded.stream.encode()).digest()
        + recorded.stream_version.to_bytes(8, "big")
        + sha256(pointer.encode()).digest()
        + bytes.fromhex(salt)
        + value
    )
    return sha256(text).hexdigest()


def _at(document: Any, pointer: str) -> dict[str, Any] | None:
    here = document
    for step in pointer.split("/")[1:]:
        try:
            here = here[int(step)] if isinstance(here, list) else here[step]
        except (KeyError, IndexError, ValueError, TypeError):
            return None
    return here if isinstance(here, dict) else None
