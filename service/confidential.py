"""
What is claimed in confidence: ordinary rows, which no count, feed or list of others shows.

Nothing of them is in the log until a referee opens a dispute, whose claimant is then the
referee: whoever came forward is named nowhere.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.dispute.values import Subject
from engine.values import DisputeId, identifier
from service.idempotency import seen
from service.numbers import uuid5
from service.relations import confidential_claim as relation


class Filed(NamedTuple):
    """A claim as it stands; words are null once somebody they belong to is erased."""

    id: UUID
    league: UUID
    claimant: UUID
    about: UUID | None
    subject: Subject
    rules: tuple[str, ...]
    claim: str | None
    state: str
    """``filed``, ``opened`` or ``dismissed``."""
    filed_at: datetime
    handled_by: UUID | None = None
    handled_at: datetime | None = None
    answer: str | None = None
    """To the claimant: why it was dismissed."""
    dispute: str | None = None


async def file(connection: AsyncConnection, filed: Filed, command: UUID, request: bytes) -> bool:
    """
    Keep a claim, once: a retry of the same command changes nothing; return whether it was kept.

    Raises:
        IdempotencyKeyReused: If the same command came with another request.
    """
    if await seen(connection, command, request, filed.filed_at):
        return False
    row = filed._asdict() | {
        "subject": msgspec.to_builtins(filed.subject),
        "rules": list(filed.rules),
    }
    await connection.execute(insert(relation).values(row))
    return True


async def claim_of(connection: AsyncConnection, number: UUID) -> Filed | None:
    """Return a claim, whoever asks; None if there is none such."""
    found = await connection.execute(sa.select(relation).where(relation.c.id == number))
    row = found.mappings().one_or_none()
    return None if row is None else _filed(row)


async def claims_in(
    connection: AsyncConnection, league: UUID, *, of: UUID | None = None
) -> list[Filed]:
    """Return a league's claims, the oldest first; those of one claimant, if *of* is given."""
    statement = sa.select(relation).where(relation.c.league == league)
    if of is not None:
        statement = statement.where(relation.c.claimant == of)
    ordered = statement.order_by(relation.c.filed_at, relation.c.id)
    return [_filed(row) for row in (await connection.execute(ordered)).mappings()]


async def waiting(connection: AsyncConnection, league: UUID, claimant: UUID) -> int:
    """Return how many claims of somebody nobody has looked into yet."""
    found = await connection.scalar(
        sa.select(sa.func.count())
        .select_from(relation)
        .where(
            relation.c.league == league,
            relation.c.claimant == claimant,
            relation.c.state == "filed",
        )
    )
    return int(found or 0)


async def handle(
    connection: AsyncConnection,
    number: UUID,
    by: UUID,
    now: datetime,
    *,
    dispute: str | None = None,
    answer: str | None = None,
) -> bool:
    """
    Write down what became of a claim that waits; return whether it waited still.

    Args:
        dispute: What was opened; without one it is dismissed, with an *answer*.
    """
    handled = await connection.execute(
        sa.update(relation)
        .where(relation.c.id == number, relation.c.state == "filed")
        .values(
            state="dismissed" if dispute is None else "opened",
            handled_by=by,
            handled_at=now,
            dispute=dispute,
            answer=answer,
        )
    )
    return bool(handled.rowcount)


async def involved(connection: AsyncConnection, dispute: str, person: UUID) -> bool:
    """Whether a dispute was opened upon a claim in confidence that is *person*'s or about them."""
    statement = sa.select(sa.literal(1)).where(
        relation.c.dispute == dispute,
        sa.or_(relation.c.claimant == person, relation.c.about == person),
    )
    return await connection.scalar(statement.limit(1)) is not None


async def erase_claims(connection: AsyncConnection, person: UUID) -> int:
    """Empty every claim *person* made or that is about them, and their answers; return how many."""
    claims = await connection.execute(
        sa.update(relation)
        .where(
            sa.or_(relation.c.claimant == person, relation.c.about == person),
            relation.c.claim.is_not(None),
        )
        .values(claim=None)
    )
    answers = await connection.execute(
        sa.update(relation)
        .where(
            sa.or_(relation.c.handled_by == person, relation.c.about == person),
            relation.c.answer.is_not(None),
        )
        .values(answer=None)
    )
    return claims.rowcount + answers.rowcount


def dispute_of(number: UUID) -> DisputeId:
    """
    Return the one dispute that can be opened upon a claim.

    It follows from the claim, so that two referees who open it at once open one; and
    nobody who sees the dispute finds the claim by it.
    """
    return DisputeId(identifier("dsp", uuid5(number, "dispute")))


def _filed(row: Mapping[Any, Any]) -> Filed:
    known = dict(row) | {
        "subject": msgspec.convert(row["subject"], Subject),
        "rules": tuple(row["rules"]),
    }
    return Filed(**known)
