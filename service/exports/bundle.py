"""
The parts of a league's archive: a zip of NDJSON, CSV and JSON files, and a manifest.

``manifest.json`` lists every other file with its bytes, rows and SHA-256. It also holds
the head of the league's tree over ``log.ndjson``. Each line of that file is a row of the
log with all its columns. ``data`` and ``metadata`` are strings with exactly the bytes
that were hashed. ``sealed`` stays sealed, because its key belongs to the house.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import IO, cast
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec

FORMAT = "holotable/archive/1"

MANIFEST = "manifest.json"
LOG = "log.ndjson"
CHECKPOINTS = "checkpoints.ndjson"
SIGNERS = "signers.ndjson"
EPOCHS = "epochs.ndjson"
PLAYERS = "players.ndjson"
TEXTS = "texts.ndjson"
SCHEMAS = "schemas.json"


class Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One event as the log stores it."""

    position: int
    stream: str
    stream_version: int
    event_id: str
    type: str
    schema_version: int
    at: datetime
    data: str
    sealed: str | None
    """Hexadecimal, like the hash."""

    metadata: str
    hash: str


class ArchivedHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A signed head of the league's tree."""

    epoch: int
    size: int
    root: str
    note: str
    signed_at: datetime


class Written(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text that an event names by id and digest. An erased text has no salt and no body."""

    text: str
    author: str
    subject: str | None
    audience: str
    digest: str
    salt: str | None
    body: str | None
    written_at: datetime
    erased_at: datetime | None


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of an archive."""

    name: str
    bytes: int
    rows: int
    """Number of line ends."""

    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table of contents of an archive."""

    format: str
    league: str
    name: str
    sandbox: bool
    epoch: int
    events: int
    root: str
    """Root of the RFC 6962 tree over all events of the log, in hexadecimal."""

    made_at: datetime
    files: tuple[Part, ...]


class Entry:
    """A file of an archive while it is being written."""

    def __init__(self, name: str, target: IO[bytes]) -> None:
        self._name, self._target = name, target
        self._digest = hashlib.sha256()
        self._bytes = self._rows = 0

    def write(self, content: bytes) -> None:
        """Append *content*."""
        self._target.write(content)
        self._digest.update(content)
        self._bytes += len(content)
        self._rows += content.count(b"\n")

    def line(self, value: object) -> None:
        """Append *value* as a line of JSON."""
        self.write(msgspec.json.encode(value) + b"\n")

    def part(self) -> Part:
        """Return the manifest's entry for this file."""
        return Part(
            name=self._name, bytes=self._bytes, rows=self._rows, sha256=self._digest.hexdigest()
        )


class Flow:
    """An unseekable file for a zip: keeps the written bytes until they are taken."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def write(self, content: bytes) -> int:
        """Keep *content* until it is taken."""
        self._waiting += content
        return len(content)

    def flush(self) -> None:
        """Do nothing, because there is no buffer to flush."""

    def take(self) -> bytes:
        """Return the bytes written since the last call."""
        taken, self._waiting = bytes(self._waiting), bytearray()
        return taken


class Archive:
    """A zip that is being written. All its files have the same date."""

    def __init__(self, target: IO[bytes] | Flow, made_at: datetime) -> None:
        self._zip = ZipFile(cast(IO[bytes], target), "w", ZIP_DEFLATED)
        self.made_at = made_at
        self.parts: list[Part] = []

    @contextmanager
    def entry(self, name: str) -> Iterator[Entry]:
        """Open the next file. Only one file may be open at a time. It may have any length."""
        about = ZipInfo(name, self.made_at.timetuple()[:6])
        about.compress_type = ZIP_DEFLATED
        about.external_attr = 0o600 << 16
        with self._zip.open(about, "w", force_zip64=True) as target:
            entry = Entry(name, target)
            yield entry
        self.parts.append(entry.part())

    def close(self) -> None:
        """Write the directory of the zip."""
        self._zip.close()
