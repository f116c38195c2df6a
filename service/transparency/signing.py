"""
Asking the signer: how a league's next head comes about.

The signer is a process of its own with its own key and memory; what asks it needs
the database, and cannot make it sign a tree that does not continue the last one.
"""

from typing import Any
from uuid import UUID

import httpx
import msgspec

from service.errors import CheckpointRefused, StoreUnavailable
from service.eventstore.read import epoch_of, last_position
from service.transparency import ledger
from service.transparency.note import Checkpoint, open_note

_TIMEOUT = 10

_PUBLISH = """
    INSERT INTO signer_key (verifier_key, event) VALUES ($1, 'published') ON CONFLICT DO NOTHING
"""
_KEEP = """
    INSERT INTO checkpoint (league, epoch, size, root, note) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT DO NOTHING
"""


class Head(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last head a signer has signed under an origin, and the key it signs with."""

    origin: str
    size: int
    root: bytes
    verifier_key: str


class SignRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A head to be signed, with the proof that it continues the last one."""

    origin: str
    size: int
    root: bytes
    proof: tuple[bytes, ...]


class Signed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A signed note (C2SP signed-note)."""

    note: str


def origin_of(league: UUID, epoch: int) -> str:
    """Return the origin of a league's checkpoints."""
    return f"holotable/{league}/{epoch}"


async def sign_head(connection: Any, signer: httpx.AsyncClient, league: UUID) -> Checkpoint | None:
    """
    Have the tree over everything in the league's log signed, and keep the note.

    Returns:
        The head that is signed now; none if the log is empty or nothing was new.

    Raises:
        CheckpointRefused: If the signer saw that the log does not continue what it signed
            before: it was cut, rewritten, or restored from an old copy.
        StoreUnavailable: If the signer does not answer.
    """
    size = await last_position(connection, league) + 1
    if not size:
        return None
    epoch = await epoch_of(connection, league)
    origin = origin_of(league, epoch)
    last = msgspec.json.decode(await _ask(signer, "GET", f"/heads/{origin}"), type=Head)
    if last.origin == origin and last.size == size and await _kept(connection, league, epoch, size):
        return None
    await ledger.grow(connection, league, size)
    head = Checkpoint(origin=origin, size=size, root=await ledger.root_at(connection, league, size))
    # Where the log is shorter than what was signed there is no proof; the signer says so.
    old = last.size if last.size <= size else 0
    wanted = SignRequest(
        origin=origin,
        size=size,
        root=head.root,
        proof=tuple(await ledger.consistency(connection, league, old, size)),
    )
    answer = await _ask(signer, "POST", "/heads", content=msgspec.json.encode(wanted))
    note = msgspec.json.decode(answer, type=Signed).note
    if open_note(note, last.verifier_key) != head.text():
        raise CheckpointRefused("the signer has signed something else", origin=origin, size=size)
    await connection.execute(_PUBLISH, last.verifier_key)
    await connection.execute(_KEEP, league, epoch, size, head.root, note)
    return head


async def _kept(connection: Any, league: UUID, epoch: int, size: int) -> bool:
    found = await connection.fetchval(
        "SELECT 1 FROM checkpoint WHERE league = $1 AND epoch = $2 AND size = $3",
        league,
        epoch,
        size,
    )
    return found is not None


async def _ask(signer: httpx.AsyncClient, method: str, path: str, **more: Any) -> bytes:
    try:
        answer = await signer.request(method, path, timeout=_TIMEOUT, **more)
    except httpx.TransportError as error:
        raise StoreUnavailable("the signer does not answer") from error
    if answer.status_code == httpx.codes.CONFLICT:
        problem = msgspec.json.decode(answer.content)
        raise CheckpointRefused(problem["detail"], **problem["facts"])
    if answer.is_error:
        raise StoreUnavailable(f"the signer answered {answer.status_code}")
    return answer.content
