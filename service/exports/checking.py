"""
Checking an archive by itself, without database, network or key.

Every stream's chain is computed again from the columns alone, and positions and versions
must be dense. An event that a repair has voided keeps its place, and must be damaged. The
tree over all hashes must be the one in the manifest, and every signed head of its epoch must
cover it. The texts must be exactly those that the events name, with their words unless they
were erased. Only an outside source can confirm that the signing keys belong to the house.
"""

import hashlib
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from uuid import UUID
from zipfile import BadZipFile, ZipFile

import msgspec

from engine.values import number_of
from service.audit.bytes.chain import Links, Places
from service.audit.report import Findings
from service.base.errors import CheckpointRefused, EventUnreadable
from service.bundles.gathering import CODEC
from service.exports.bundle import (
    CHECKPOINTS,
    FORMAT,
    LOG,
    MANIFEST,
    SIGNERS,
    TEXTS,
    ArchivedHead,
    Line,
    Manifest,
    Written,
)
from service.log.read import voided_by
from service.log.record import Recorded
from service.people.text_refs import named_in, types_with_texts
from service.people.texts import matches
from service.transparency.note import Checkpoint, open_note
from service.transparency.tree import Frontier

FAULTS_MAX = 20
_REPAIR = "positions_voided"
BLOCK = 1 << 20
LINE_MAX = 64 << 20
"""The longest accepted line in bytes, far more than one append may hold."""


class Checked(msgspec.Struct, kw_only=True):
    """The result of checking an archive."""

    league: str = ""
    events: int = 0
    streams: int = 0
    heads: int = 0
    """Signed heads that match the log."""

    texts: int = 0
    voided: int = 0
    """Damaged events that an operator has voided."""

    root: str = ""
    faults: list[str] = []

    @property
    def holds(self) -> bool:
        """True if no fault was found."""
        return not self.faults

    def fault(self, what: str) -> None:
        """Note a fault. After the twentieth, note only that there are more."""
        if len(self.faults) < FAULTS_MAX:
            self.faults.append(what)
        elif len(self.faults) == FAULTS_MAX:
            self.faults.append("and more")


_BROKEN = (
    BadZipFile, OSError, zlib.error, EOFError, KeyError, ValueError, OverflowError,
    msgspec.MsgspecError, NotImplementedError, RuntimeError,
)  # fmt: skip
"""Errors that a damaged file, or one that is not an archive, may cause."""


def check_archive(file: Path, keys: tuple[str, ...] = ()) -> Checked:
    """
    Check an archive.

    Args:
        keys: Public keys from another source. If empty, those in the archive are used.

    Raises:
        OSError: If the file cannot be read.
    """
    checked = Checked()
    with file.open("rb"):
        pass  # a file that cannot be opened is an error, not a damaged archive
    try:
        with ZipFile(file) as archive:
            _check(archive, keys, checked)
    except _BROKEN as error:
        checked.fault(f"the archive cannot be read to its end: {error}")
    return checked


def _check(archive: ZipFile, keys: tuple[str, ...], checked: Checked) -> None:
    manifest = msgspec.json.decode(archive.read(MANIFEST), type=Manifest)
    if manifest.format != FORMAT:
        checked.fault(f"the format is {manifest.format}, not {FORMAT}")
        return
    checked.league = manifest.league
    _files(archive, manifest, checked)
    heads = [msgspec.json.decode(line, type=ArchivedHead) for line in _lines(archive, CHECKPOINTS)]
    named: dict[str, str | None] = {}
    roots = _log(archive, manifest, {head.size for head in heads}, named, checked)
    signers = keys or tuple(
        row["verifier_key"]
        for row in map(msgspec.json.decode, _lines(archive, SIGNERS))
        if row["event"] == "published"
    )
    for head in heads:
        if head.epoch == manifest.epoch:
            _head(head, manifest, roots, signers, checked)
    for line in _lines(archive, TEXTS):
        _text(msgspec.json.decode(line, type=Written), named, checked)
    for name in sorted(named):
        checked.fault(f"{name} is named by an event but missing from the archive")


def _files(archive: ZipFile, manifest: Manifest, checked: Checked) -> None:
    """Compare every file with its entry in the manifest. No file may be missing or extra."""
    there = archive.namelist()
    named = [part.name for part in manifest.files]
    if sorted(there) != sorted([*named, MANIFEST]):
        odd = set(there) ^ {*named, MANIFEST}
        checked.fault(f"the files do not match the manifest: {sorted(odd)}")
    for part in manifest.files:
        if part.name not in there:
            continue
        digest, size, rows = hashlib.sha256(), 0, 0
        with archive.open(part.name) as source:
            while block := source.read(BLOCK):
                digest.update(block)
                size, rows = size + len(block), rows + block.count(b"\n")
        if (size, rows, digest.hexdigest()) != (part.bytes, part.rows, part.sha256):
            checked.fault(f"{part.name} does not match its entry in the manifest")


def _log(
    archive: ZipFile,
    manifest: Manifest,
    sizes: set[int],
    named: dict[str, str | None],
    checked: Checked,
) -> dict[int, bytes]:
    """
    Follow the log event by event. Return the roots of its tree at *sizes*.

    Args:
        named: Filled with the texts that events name, and their digests.
    """
    findings, tree = Findings(), Frontier()
    places, links = Places(findings), Links(findings)
    league = number_of(manifest.league)
    roots: dict[int, bytes] = {}
    voided = _voided(archive)
    for line in _lines(archive, LOG):
        recorded = _recorded(msgspec.json.decode(line, type=Line), league)
        if recorded.position in voided:
            _check_voided(recorded, links, checked)
            places.pass_over(recorded)
            links.skip(recorded)
        else:
            places.follow(recorded)
            links.follow(recorded)
        tree.append(recorded.hash)
        if recorded.type in types_with_texts():
            for name, digest in named_in(msgspec.json.decode(recorded.data)).items():
                named[name] = named.get(name) or digest
        if tree.size in sizes:
            roots[tree.size] = tree.root()
    for check in findings.checks.values():
        for fault in check.faults:
            checked.fault(f"position {fault.position} ({fault.stream}): {fault.what}")
    checked.events, checked.streams = tree.size, len(links.heads)
    checked.root = tree.root().hex()
    if (tree.size, checked.root) != (manifest.events, manifest.root):
        checked.fault(
            f"the log has {tree.size} events under root {checked.root}, the manifest says "
            f"{manifest.events} under {manifest.root}"
        )
    return roots


def _voided(archive: ZipFile) -> frozenset[int]:
    """Return the positions of the events that repairs have voided."""
    repairs = (line for line in _lines(archive, LOG) if _REPAIR.encode() in line)
    lines = (msgspec.json.decode(line, type=Line) for line in repairs)
    return voided_by(line.data for line in lines if line.type == _REPAIR)


def _check_voided(recorded: Recorded, links: Links, checked: Checked) -> None:
    """
    Check that a voided event is damaged. Otherwise somebody could void what really happened.

    Damage of a sealed value shows only with the league's key, so an event with one is passed over.
    """
    checked.voided += 1
    if recorded.sealed is not None or not links.follows(recorded):
        return
    try:
        CODEC.decode(recorded, None)
    except EventUnreadable:
        return
    checked.fault(
        f"position {recorded.position} ({recorded.stream}): it was voided, but its bytes are well "
        "formed"
    )


def _recorded(line: Line, league: UUID) -> Recorded:
    return Recorded(
        line.position,
        line.stream,
        line.stream_version,
        UUID(line.event_id),
        line.type,
        line.schema_version,
        line.at,
        line.data.encode(),
        None if line.sealed is None else bytes.fromhex(line.sealed),
        line.metadata.encode(),
        bytes.fromhex(line.hash),
        league,
    )


def _head(
    head: ArchivedHead,
    manifest: Manifest,
    roots: dict[int, bytes],
    signers: tuple[str, ...],
    checked: Checked,
) -> None:
    said = bytes.fromhex(head.root)
    origin = f"holotable/{number_of(manifest.league)}/{head.epoch}"
    text = Checkpoint(origin=origin, size=head.size, root=said).text()
    if not any(_signed(head.note, signer) == text for signer in signers):
        checked.fault(f"the head of {head.size} events is signed by no known key")
    elif roots.get(head.size) != said:
        checked.fault(f"the first {head.size} events are not those of the signed head")
    else:
        checked.heads += 1


def _signed(note: str, signer: str) -> str | None:
    with suppress(CheckpointRefused):  # another key may have signed it
        return open_note(note, signer)
    return None


def _text(written: Written, named: dict[str, str | None], checked: Checked) -> None:
    """Compare a text with the event that names it, and remove its name from *named*."""
    checked.texts += 1
    if written.text not in named:
        checked.fault(f"{written.text} is named by no event, or is in the archive twice")
        return
    digest = named.pop(written.text) or written.digest
    salt = None if written.salt is None else bytes.fromhex(written.salt)
    gone = salt is None and written.body is None and written.erased_at is not None
    if not gone and (written.body is None or not matches(salt, written.body, digest)):
        checked.fault(f"{written.text} does not match its digest")
    elif digest != written.digest:
        checked.fault(f"{written.text} has another digest than the event that names it")


def _lines(archive: ZipFile, name: str) -> Iterator[bytes]:
    with archive.open(name) as source:
        while line := source.readline(LINE_MAX):
            yield line
