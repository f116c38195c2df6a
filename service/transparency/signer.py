"""
The signer of tree heads: a key, and a memory of every head signed before.

The signer trusts no client. It signs a head only if a consistency proof leads to it from
the last head it signed for that origin. A log that was rewritten, cut or restored from an
old copy therefore gets no signature.
"""

import fcntl
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Self

import msgspec

from service.base.errors import CheckpointRefused
from service.transparency.note import Checkpoint, SigningKey
from service.transparency.receipt import CommandReceipt, parse_receipt
from service.transparency.tree import EMPTY_ROOT, consistent

ORIGIN_PREFIX = "holotable/"


class MemoryDamaged(Exception):
    """A file of the signer's memory cannot be read. The text names it."""


class _Remembered(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    origin: str
    size: int
    root: bytes


def league_and_epoch(origin: str) -> tuple[str, int]:
    """
    Return the league and the epoch of an origin ``holotable/<league>/<epoch>``.

    Raises:
        CheckpointRefused: If *origin* has another form.
    """
    league, _, epoch = origin.removeprefix(ORIGIN_PREFIX).partition("/")
    canonical = epoch.isascii() and epoch.isdecimal() and str(int(epoch)) == epoch
    if not origin.startswith(ORIGIN_PREFIX) or not league or not canonical:
        raise CheckpointRefused(f"{origin!r} is not the origin of a league's log")
    return league, int(epoch)


class Memory:
    """
    The last head signed for each league, in one small file for each, replaced as a whole.

    Args:
        folder: The folder of the files, made if missing. Only one process may use it.

    Raises:
        BlockingIOError: If another signer uses *folder*.

    Reading raises :class:`MemoryDamaged` for a file that is not as it was written. To take it for a
    missing one would let the signer sign another log.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder
        self._lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)

    def _file(self, league: str) -> Path:
        return self._folder / f"{sha256(league.encode()).hexdigest()}.json"

    def recall(self, league: str) -> Checkpoint | None:
        """Return the last head signed for *league*, of any epoch."""
        with suppress(FileNotFoundError):
            return _read(self._file(league))
        return None

    def everything(self) -> list[Checkpoint]:
        """Return the last head of every league."""
        return [_read(file) for file in sorted(self._folder.glob("*.json"))]

    def keep(self, league: str, head: Checkpoint) -> None:
        """Remember *head*. When this function returns, the head survives a crash."""
        target = self._file(league)
        draft = target.with_suffix(".new")
        kept = _Remembered(origin=head.origin, size=head.size, root=head.root)
        with draft.open("wb") as file:
            file.write(msgspec.json.encode(kept))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _read(file: Path) -> Checkpoint:
    try:
        kept = msgspec.json.decode(file.read_bytes(), type=_Remembered)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise MemoryDamaged(f"the signer cannot read {file.name} of its memory") from error
    return Checkpoint(origin=kept.origin, size=kept.size, root=kept.root)


class Signer:
    """Signs heads that continue the ones it has signed before."""

    def __init__(self, key: SigningKey, memory: Memory) -> None:
        self._key = key
        self._memory = memory

    @property
    def verifier_key(self) -> str:
        """The public key that checks its signatures."""
        return self._key.verifier_key()

    def last(self, origin: str) -> Checkpoint:
        """Return the last head signed for *origin*, or the empty tree before the first."""
        league, epoch = league_and_epoch(origin)
        head = self._memory.recall(league)
        if head is None or league_and_epoch(head.origin)[1] < epoch:
            return Checkpoint(origin=origin, size=0, root=EMPTY_ROOT)
        return head

    def heads(self) -> list[Checkpoint]:
        """Return the last head of every league, also of one that its database has lost."""
        return self._memory.everything()

    def sign(self, head: Checkpoint, proof: tuple[bytes, ...]) -> str:
        """
        Return *head* as a signed note, and remember it.

        Args:
            head: The head to sign.
            proof: The proof that the tree continues ``last(head.origin)`` (RFC 6962, 2.1.2).

        Raises:
            CheckpointRefused: If the head does not follow from the last one. A higher epoch starts
                a new tree. A lower epoch is refused for good.
        """
        league, epoch = league_and_epoch(head.origin)
        last = self.last(head.origin)
        if league_and_epoch(last.origin)[1] > epoch:
            raise CheckpointRefused(
                "a head of a later epoch has been signed", origin=head.origin, last=last.origin
            )
        if not consistent(last.size, last.root, head.size, head.root, proof):
            raise CheckpointRefused(
                "the tree does not continue the last signed one",
                origin=head.origin,
                size=head.size,
                last_size=last.size,
            )
        # The head is remembered before anybody gets the note. A crash in between loses only a
        # signature.
        self._memory.keep(league, head)
        return self._key.sign(head.text())

    def sign_receipt(self, receipt: CommandReceipt) -> str:
        """
        Return *receipt* as a signed note. Nothing about it is remembered.

        Raises:
            CheckpointRefused: If the receipt's text does not parse back to the same receipt.
        """
        text = receipt.text()
        if parse_receipt(text) != receipt:
            raise CheckpointRefused("the receipt is not in canonical form")
        return self._key.sign(text)
