"""
Asking the signer for a league's next head.

The signer is a process of its own with its own key and memory. The process that asks it
needs the database, and cannot get a signature for a tree that does not continue the last one.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from uuid import UUID

import httpx
import msgspec

from service.base.drivers import Driver
from service.base.errors import CheckpointRefused, LogIncomplete
from service.base.settings import Settings
from service.log.read import epoch_of, last_position
from service.transparency import ledger
from service.transparency.messages import Damage, Head, Heads, LastHead, Signed, SignRequest
from service.transparency.note import Checkpoint, open_note
from service.transparency.signer import league_and_epoch
from service.transparency.tree import EMPTY_ROOT

GIVEN_UP = 2**53 - 1
"""The epoch that the signer remembers of a league that was released to another cell."""

_TIMEOUT = 10

_PUBLISH = """
    INSERT INTO signer_key (verifier_key, event) VALUES ($1, 'published') ON CONFLICT DO NOTHING
"""
_REVOKED = "SELECT 1 FROM signer_key WHERE verifier_key = $1 AND event = 'revoked'"
_KEEP = """
    INSERT INTO checkpoint (league, epoch, size, root, note) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT DO NOTHING
"""


class SignerAway(Exception):
    """The signer did not answer. The same request may be made again."""


class SignerStrange(SignerAway):
    """The signer answered that it has another token than this process."""


class SignerDamaged(SignerAway):
    """The signer cannot read a file of its memory. The text names the file."""


def client_of(settings: Settings) -> httpx.AsyncClient | None:
    """Return a client for the signer of *settings*, or None if no signer is set."""
    if settings.signer_url is None:
        return None
    known_by = {"Authorization": f"Bearer {settings.signer_token}"}
    # Ignore any proxy of the environment: the signer is our own and near.
    return httpx.AsyncClient(base_url=settings.signer_url, trust_env=False, headers=known_by)


@asynccontextmanager
async def asking(settings: Settings) -> AsyncIterator[httpx.AsyncClient | None]:
    """Yield the client of :func:`client_of`, which is closed afterwards."""
    signer = client_of(settings)
    if signer is None:
        yield None
        return
    async with signer:
        yield signer


def origin_of(league: UUID, epoch: int) -> str:
    """Return the origin of a league's checkpoints."""
    return f"holotable/{league}/{epoch}"


async def give_up(signer: httpx.AsyncClient, league: UUID) -> None:
    """
    Have the signer refuse every later head of a league. It cannot be taken back.

    The signer never signs for an earlier epoch than before. So it is asked for the empty head of
    an epoch that no log reaches.

    Raises:
        SignerAway: If the signer does not answer.
    """
    last = SignRequest(origin=origin_of(league, GIVEN_UP), size=0, root=EMPTY_ROOT, proof=())
    await ask(signer, "POST", "/heads", content=msgspec.json.encode(last))


async def last_head(signer: httpx.AsyncClient, origin: str) -> LastHead:
    """
    Return the last head that the signer signed for *origin* or for a later epoch.

    Raises:
        SignerAway: If the signer does not answer.
    """
    return msgspec.json.decode(await ask(signer, "GET", f"/heads/{origin}"), type=LastHead)


async def last_heads(signer: httpx.AsyncClient) -> dict[UUID, Head]:
    """
    Return the last head of every league that the signer has ever signed for.

    Raises:
        SignerAway: If the signer does not answer, or is of an older version.
    """
    told, found = msgspec.json.decode(await ask(signer, "GET", "/heads"), type=Heads), {}
    for each in told.heads:
        with suppress(ValueError):  # a client of the signer may ask under any name
            found[UUID(league_and_epoch(each.origin)[0])] = each
    return found


async def sign_head(
    connection: Driver, signer: httpx.AsyncClient, league: UUID
) -> Checkpoint | None:
    """
    Get the tree over the league's whole log signed, and store the note.

    Any number of processes may do this at once.

    Returns:
        The newly signed head, or None if the log is empty or has nothing new.

    Raises:
        CheckpointRefused: If the log does not continue the last signed head, or the signer's
            key is revoked. A log that was cut, rewritten or restored does not continue it.
        SignerAway: If the signer does not answer.
    """
    origin = origin_of(league, await epoch_of(connection, league))
    last = await last_head(signer, origin)
    while True:
        try:
            return await _signed(connection, signer, league, origin, last)
        except CheckpointRefused:
            later = await last_head(signer, origin)
            if later == last:
                raise
            last = later  # another process had a head signed meanwhile


async def _signed(
    connection: Driver, signer: httpx.AsyncClient, league: UUID, origin: str, last: LastHead
) -> Checkpoint | None:
    # After the last head was asked for, so that it is no shorter unless it was cut.
    size = await last_position(connection, league) + 1
    if size == last.size == 0:
        return None
    if await connection.fetchval(_REVOKED, last.verifier_key):
        raise CheckpointRefused("the signer's key is revoked", verifier_key=last.verifier_key)
    epoch = int(origin.rpartition("/")[2])
    if last.origin == origin and last.size == size and await _kept(connection, league, epoch, size):
        return None
    try:
        await ledger.grow(connection, league, size)
        root = await ledger.root_at(connection, league, size)
        # A log shorter than the last signed head has no proof, and the signer refuses it.
        old = last.size if last.size <= size else 0
        proof = await ledger.consistency(connection, league, old, size)
    except LogIncomplete as error:
        raise CheckpointRefused(
            "the log has lost events below its end", origin=origin, size=size
        ) from error
    wanted = SignRequest(origin=origin, size=size, root=root, proof=tuple(proof))
    answer = await ask(signer, "POST", "/heads", content=msgspec.json.encode(wanted))
    note = msgspec.json.decode(answer, type=Signed).note
    head = Checkpoint(origin=origin, size=size, root=root)
    if open_note(note, last.verifier_key) != head.text():
        raise CheckpointRefused(
            "the signer's note does not match the request", origin=origin, size=size
        )
    await connection.execute(_PUBLISH, last.verifier_key)
    await connection.execute(_KEEP, league, epoch, size, root, note)
    return head


async def _kept(connection: Driver, league: UUID, epoch: int, size: int) -> bool:
    found = await connection.fetchval(
        "SELECT 1 FROM checkpoint WHERE league = $1 AND epoch = $2 AND size = $3",
        league,
        epoch,
        size,
    )
    return found is not None


async def ask(
    signer: httpx.AsyncClient, method: str, path: str, content: bytes | None = None
) -> bytes:
    """
    Return the signer's answer to one request.

    Raises:
        CheckpointRefused: If the signer refuses.
        SignerStrange: If the signer has another token.
        SignerDamaged: If a file of its memory is damaged.
        SignerAway: If the signer does not answer, or answers with another error.
    """
    try:
        answer = await signer.request(method, path, timeout=_TIMEOUT, content=content)
    except httpx.TransportError as error:
        raise SignerAway("the signer does not answer") from error
    if answer.status_code == httpx.codes.CONFLICT:
        problem = msgspec.json.decode(answer.content)
        raise CheckpointRefused(problem["detail"], **problem["facts"])
    if answer.status_code == httpx.codes.UNAUTHORIZED:
        raise SignerStrange("the signer has another HOLOTABLE_SIGNER_TOKEN than this process")
    if answer.status_code == httpx.codes.INTERNAL_SERVER_ERROR:
        with suppress(msgspec.MsgspecError):
            raise SignerDamaged(msgspec.json.decode(answer.content, type=Damage).memory)
    if answer.is_error:
        raise SignerAway(f"the signer answered {answer.status_code}")
    return answer.content
