"""
Confidential claims: ordinary rows, which no count, feed or list of other people shows.

The log holds nothing about a claim until a referee opens a dispute. The referee is then the
dispute's claimant, so the person who came forward is named nowhere. The row's contents are sealed
with the league's key, including the claimant and the person it is about. Only the state, the
instants and the handler are readable.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

import msgspec
import sqlalchemy as sa
import structlog
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.dispute.values import Subject
from engine.values import DisputeId, identifier
from service.base.errors import EventUnreadable
from service.base.uuids import uuid5
from service.log.keys import LeagueKeys
from service.people.idempotency import RecordedRequest, Requests
from service.people.schema import confidential_claim as relation
from service.people.sealed_rows import KeysOf, close
from service.people.sealed_rows import opened as unsealed

_log = structlog.get_logger(__name__)

_NAME = "confidential_claim"
_SEALED = ("claimant", "about", "subject", "rules", "claim", "answer")
"""Columns of older rows. Their values are now in the box ``told``."""

_GONE = b""
"""The box of a claim that did not open when it was emptied."""


class _Told(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a box."""

    claimant: UUID
    about: UUID | None
    subject: Subject
    rules: tuple[str, ...]
    claim: str | None
    answer: str | None


State = Literal["filed", "opened", "dismissed"]
"""The state of a claim. ``filed`` waits for a referee."""


class Filed(NamedTuple):
    """A claim in its current state. Words are null once their author or subject is erased."""

    id: UUID
    league: UUID
    claimant: UUID
    about: UUID | None
    subject: Subject
    rules: tuple[str, ...]
    claim: str | None
    state: State
    filed_at: datetime
    handled_by: UUID | None = None
    handled_at: datetime | None = None
    answer: str | None = None
    """The reason for its dismissal, for the claimant."""
    dispute: str | None = None


class Search(NamedTuple):
    """
    The claims that opened. The claimant is in the box, so every box is opened.

    One damaged box, or one league without its key, must not end the search for everybody.
    """

    found: list[Filed]
    unreadable: int
    """The number of claims that did not open."""


async def file(
    connection: AsyncConnection,
    keys: KeysOf,
    filed: Filed,
    requests: Requests,
    command: UUID,
    request: bytes,
) -> bool:
    """
    Store a claim. A retry changes nothing. Return whether the claim is new.

    Raises:
      IdempotencyKeyReused: If the same command came with another request.
    """
    # A record that named the claimant or the claim would reveal the claimant. So would the
    # command's identifier: it is a bare digest of the account and of a key that can be guessed.
    own = await keys(filed.league)
    said = RecordedRequest(keyed(own, b"request", command), request, account=filed.league)
    if await requests.before(connection, said, filed.filed_at) is not None:
        return False
    row = {name: value for name, value in filed._asdict().items() if name not in _SEALED}
    row["told"] = _box(own, filed)
    await connection.execute(insert(relation).values(row))
    return True


def keyed(keys: LeagueKeys, use: bytes, command: UUID) -> UUID:
    """Return an identifier that follows from *command*, *use* and the league's key."""
    digest = keys.request_digest(b"holotable/confidential/1/" + use + command.bytes)
    return UUID(hex=digest[:32])


async def claim_of(connection: AsyncConnection, keys: KeysOf, number: UUID) -> Filed | None:
    """Return a claim, or None if it does not exist. The caller checks who may read it."""
    found = await _found(connection, keys, relation.c.id == number)
    return found[0] if found else None


async def claims_in(
    connection: AsyncConnection,
    keys: KeysOf,
    league: UUID,
    *,
    of: Collection[UUID] | None = None,
) -> list[Filed]:
    """
    Return a league's claims that open, oldest first. With *of*, return only these claimants'.
    """
    found = (await search(connection, keys, relation.c.league == league)).found
    return [each for each in found if of is None or each.claimant in of]


async def waiting(connection: AsyncConnection, keys: KeysOf, league: UUID, claimant: UUID) -> int:
    """Return the number of a claimant's claims that have not been handled yet."""
    filed = sa.and_(relation.c.league == league, relation.c.state == "filed")
    found = (await search(connection, keys, filed)).found
    return sum(each.claimant == claimant for each in found)


async def handle(
    connection: AsyncConnection,
    keys: KeysOf,
    filed: Filed,
    by: UUID,
    now: datetime,
    *,
    dispute: str | None = None,
    answer: str | None = None,
) -> bool:
    """
    Record the outcome of a waiting claim. Return False if it was handled before.

    The claim's words are read again here: they may have been erased since *filed* was read.

    Args:
      dispute: The opened dispute. Without it the claim is dismissed, with an *answer*.
    """
    waiting_one = sa.and_(relation.c.id == filed.id, relation.c.state == "filed")
    found = await _found(connection, keys, waiting_one, for_update=True)
    if not found:
        return False
    told = _box(await keys(filed.league), found[0]._replace(answer=answer))
    await connection.execute(
        sa.update(relation)
        .where(relation.c.id == filed.id)
        .values(
            state="dismissed" if dispute is None else "opened",
            handled_by=by,
            handled_at=now,
            dispute=dispute,
            told=told,
        )
    )
    return True


async def involved(
    connection: AsyncConnection, keys: KeysOf, dispute: str, people: Collection[UUID]
) -> bool:
    """
    Return whether a dispute came from a confidential claim by one of *people* or about one.

    The dispute's identifier decides, and not the claim's column: the dispute is in the log before
    the claim is marked, and a process may end between the two.
    """
    numbers = (await connection.execute(sa.select(relation.c.id))).scalars()
    number = next((each for each in numbers if dispute_of(each) == dispute), None)
    filed = None if number is None else await claim_of(connection, keys, number)
    return filed is not None and (filed.claimant in people or filed.about in people)


async def search(
    connection: AsyncConnection, keys: KeysOf, where: sa.ColumnElement[bool] | None = None
) -> Search:
    """
    Open every claim of every league, or those of *where*, oldest first. Log those that do not open.
    """
    found: list[Filed] = []
    unreadable = 0
    for row in await _rows(connection, sa.true() if where is None else where):
        try:
            found.append(_filed(row, await keys(row["league"])))
        except EventUnreadable as error:
            unreadable += 1
            name = identifier("cnf", row["id"])
            _log.error("confidential_claim_unreadable", claim=name, error=str(error))
    return Search(found, unreadable)


async def erase_claims(
    connection: AsyncConnection, keys: KeysOf, people: Collection[UUID]
) -> tuple[int, int]:
    """
    Empty every claim by *people* or about them, and the answers.

    Returns:
      The number of texts emptied, and the number of claims that did not open.
    """
    emptied = 0
    claims, unreadable = await search(connection, keys)
    named = [
        each.id for each in claims if {each.claimant, each.about, each.handled_by} & set(people)
    ]
    for each in await _found(connection, keys, relation.c.id.in_(named), for_update=True):
        claim, answer = each.claim, each.answer
        if each.claimant in people or each.about in people:
            claim = None
        if each.handled_by in people or each.about in people:
            answer = None
        if (claim, answer) != (each.claim, each.answer):
            emptied += (claim != each.claim) + (answer != each.answer)
            await _seal(connection, keys, each._replace(claim=claim, answer=answer))
    return emptied, unreadable


async def empty_claim(connection: AsyncConnection, keys: KeysOf, number: UUID) -> bool | None:
    """
    Empty a claim and its answer. Return False if they are empty, None if there is no claim.

    If the box does not open, nobody knows what to keep of it, and the whole box is emptied.

    Raises:
      EventUnreadable: If the league's key is missing or foreign. The words may be read later.
    """
    for row in await _rows(connection, relation.c.id == number, for_update=True):
        own = await keys(row["league"])
        try:
            filed = _filed(row, own)
        except EventUnreadable:
            if row["told"] == _GONE:
                return False
            emptied = sa.update(relation).where(relation.c.id == number).values(told=_GONE)
            await connection.execute(emptied)
            return True
        if filed.claim is None and filed.answer is None:
            return False
        await _seal(connection, keys, filed._replace(claim=None, answer=None))
        return True
    return None


async def seal_old(connection: AsyncConnection, keys: KeysOf) -> int:
    """Seal the older claims that are still readable. Return their number."""
    readable = await _found(connection, keys, relation.c.told.is_(None), for_update=True)
    for each in readable:
        await _seal(connection, keys, each)
    return len(readable)


async def _seal(connection: AsyncConnection, keys: KeysOf, filed: Filed) -> None:
    empty = dict.fromkeys(_SEALED)
    told = _box(await keys(filed.league), filed)
    await connection.execute(
        sa.update(relation).where(relation.c.id == filed.id).values(told=told, **empty)
    )


async def _found(
    connection: AsyncConnection,
    keys: KeysOf,
    where: sa.ColumnElement[bool],
    *,
    for_update: bool = False,
) -> list[Filed]:
    """Return claims, oldest first."""
    rows = await _rows(connection, where, for_update=for_update)
    return [_filed(row, await keys(row["league"])) for row in rows]


async def _rows(
    connection: AsyncConnection, where: sa.ColumnElement[bool], *, for_update: bool = False
) -> Sequence[sa.RowMapping]:
    statement = sa.select(relation).where(where).order_by(relation.c.filed_at, relation.c.id)
    if for_update:
        statement = statement.with_for_update()
    return (await connection.execute(statement)).mappings().all()


def dispute_of(number: UUID) -> DisputeId:
    """
    Return the one dispute that can be opened for a claim.

    Its identifier follows from the claim's, so that two referees who open it at once open the same
    dispute. Nobody can find the claim from the dispute.
    """
    return DisputeId(identifier("dsp", uuid5(number, "dispute")))


def _box(keys: LeagueKeys, filed: Filed) -> bytes:
    told = _Told(**{name: value for name, value in filed._asdict().items() if name in _SEALED})
    return close(keys, _NAME, filed.id, "told", msgspec.json.encode(told))


def _filed(row: sa.RowMapping, keys: LeagueKeys) -> Filed:
    known = dict(row)
    box = known.pop("told")
    if box is None:  # filed by an older version, and not sealed yet
        known["subject"] = msgspec.convert(row["subject"], Subject)
        known["rules"] = tuple(row["rules"])
        return Filed(**known)
    told = msgspec.json.decode(unsealed(keys, _NAME, row["id"], "told", box), type=_Told)
    return Filed(**(known | msgspec.structs.asdict(told)))
