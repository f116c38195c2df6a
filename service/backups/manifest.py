"""The manifest of a backup: its parts with their digests, and the state of the copied log."""

import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import file_digest
from pathlib import Path
from typing import Final, Literal

import msgspec

MANIFEST: Final = "manifest.json"
DUMP: Final = "database.dump"
KEYS: Final = "keys.json"
SEALED_KEYS: Final = "keys.sealed"


class BackupRefused(Exception):
    """
    The reason why a backup cannot be taken or restored.

    Args:
        why: One sentence, without a secret.
        step: What the operator can do.
    """

    def __init__(self, why: str, step: str) -> None:
        super().__init__(why)
        self.step = step


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the backup."""

    sha256: str
    size: int
    """The size in bytes."""


class LogFault(msgspec.Struct, frozen=True, kw_only=True):
    """
    A fault of a league's log or of its key.

    Another version may say it in other words, so faults are compared without them.
    """

    check: str
    """The check that failed: ``events``, ``chains``, ``tree``, ``named`` or ``key``."""

    position: int | None = None
    number: int | None = None
    """The number of events in the log, or of further faults of the check."""

    said: str
    """The fault in a sentence."""

    @property
    def facts(self) -> tuple[str, int | None, int | None]:
        """The fault without its words."""
        return self.check, self.position, self.number


class League(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a league's log in the copy."""

    events: int
    root: str
    """The root of the tree over all events (RFC 6962), in hexadecimal."""

    epoch: int
    signed: int
    """The size of the newest signed head of this epoch, or 0."""

    head: str | None
    """The newest signed head, as the signer signed it."""

    faults: tuple[LogFault | str, ...] = ()
    """
    The faults of the log that was copied. Backups of earlier versions name none, or only in words.
    """


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The first file to read of a backup. It holds no secret."""

    format: Literal[1] = 1
    holotable: str
    """The version of the program that took the backup."""

    taken_at: datetime
    """The instant of the backup, by the database's clock."""

    postgresql: int
    """The major version of the server."""

    dumped_by: int
    """The major version of ``pg_dump``. Older versions of ``pg_restore`` cannot read the copy."""

    schema: str
    """The revision of the database schema."""

    keys: Literal["plain", "sealed", "none"]
    """The form of the keys: as they are, sealed by a passphrase, or left out."""

    leagues: dict[str, League]
    parts: dict[str, Part]
    """The parts by name of the file."""

    @property
    def events(self) -> int:
        """The number of events in all leagues."""
        return sum(each.events for each in self.leagues.values())

    @property
    def faults(self) -> list[str]:
        """The faults of all leagues, each with its league."""
        return said({name: each.faults for name, each in self.leagues.items()})

    def names(self, league: str, fault: LogFault) -> bool:
        """Return whether *fault* was in the log of *league* that was copied."""
        end = self.leagues.get(league)
        return end is not None and any(
            each == fault.said if isinstance(each, str) else each.facts == fault.facts
            for each in end.faults
        )


def said(faults: Mapping[str, Iterable[LogFault | str]]) -> list[str]:
    """Return a sentence for each fault, with its league."""
    return [
        f"{league}: {fault if isinstance(fault, str) else fault.said}"
        for league, each in faults.items()
        for fault in each
    ]


def part_of(file: Path) -> Part:
    """Return the digest and the size of *file*."""
    with file.open("rb") as opened:
        return Part(sha256=file_digest(opened, "sha256").hexdigest(), size=file.stat().st_size)


def write(manifest: Manifest, folder: Path) -> None:
    """Write *manifest* into *folder*, for people to read too."""
    text = msgspec.json.format(msgspec.json.encode(manifest, order="sorted"), indent=2)
    with (folder / MANIFEST).open("wb") as file:
        file.write(text + b"\n")
        file.flush()
        os.fsync(file.fileno())


def read(folder: Path) -> Manifest:
    """
    Return the manifest of the backup in *folder*, after comparing every part with it.

    Raises:
        BackupRefused: If it is no backup, or a part is missing or changed.
    """
    again = "use another backup"
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except FileNotFoundError:
        raise BackupRefused(
            f"{folder} holds no {MANIFEST}: it is not a backup, or not a finished one", again
        ) from None
    except msgspec.MsgspecError as error:
        raise BackupRefused(f"{MANIFEST} cannot be read: {error}", again) from None
    for name, part in manifest.parts.items():
        file = folder / Path(name).name
        if not file.is_file():
            raise BackupRefused(f"{name} is missing from the backup", again)
        if part_of(file) != part:
            raise BackupRefused(f"{name} is not the file that was backed up", again)
    return manifest
