"""Queries of the read models ``disputes`` and ``openings``."""

from collections.abc import Collection, Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from service.projections import schema
from service.projections.reads import rows


async def disputes(
    connection: AsyncConnection, league: str, *, limit: int, before: int | None = None
) -> list[rows.DisputeRow]:
    """Return a league's disputes, newest first. *before* pages by ``opened_position``."""
    dispute = schema.dispute
    statement = sa.select(dispute).where(dispute.c.league == league)
    if before is not None:
        statement = statement.where(dispute.c.opened_position < before)
    ordered = statement.order_by(dispute.c.opened_position.desc()).limit(limit)
    found = await connection.execute(ordered)
    return [rows.DisputeRow(**row) for row in found.mappings()]


async def disputes_open(connection: AsyncConnection, league: str, claimant: str) -> int:
    """Return the number of a claimant's disputes that still wait for a ruling."""
    dispute = schema.dispute
    found = await connection.scalar(
        sa.select(sa.func.count())
        .select_from(dispute)
        .where(
            dispute.c.league == league,
            dispute.c.claimant == claimant,
            dispute.c.state.in_(("open", "appealed")),
        )
    )
    return int(found or 0)


async def disputes_known(connection: AsyncConnection, disputes: Collection[str]) -> frozenset[str]:
    """Return those of *disputes* that the read model knows, in whatever state."""
    dispute = schema.dispute
    found = await connection.scalars(
        sa.select(dispute.c.dispute).where(dispute.c.dispute.in_(disputes))
    )
    return frozenset(found)


async def disputes_ruled(
    connection: AsyncConnection, league: str, rules: Sequence[str], *, limit: int
) -> list[str]:
    """Return the disputes in which a ruling cites one of *rules*, the latest first."""
    ruled = schema.dispute_rule
    latest = sa.func.max(ruled.c.ruled_position)
    found = await connection.execute(
        sa.select(ruled.c.dispute)
        .where(ruled.c.league == league, ruled.c.rule.in_(rules))
        .group_by(ruled.c.dispute)
        .order_by(latest.desc())
        .limit(limit)
    )
    return list(found.scalars())


async def openings(
    connection: AsyncConnection, league: str, *, limit: int, before: int | None = None
) -> list[rows.OpeningRow]:
    """Return the openings of a league's sealed values, newest first. *before* is a position."""
    opening = schema.opening
    statement = sa.select(opening).where(opening.c.league == league)
    if before is not None:
        statement = statement.where(opening.c.position < before)
    found = await connection.execute(statement.order_by(opening.c.position.desc()).limit(limit))
    return [rows.OpeningRow(**row) for row in found.mappings()]
