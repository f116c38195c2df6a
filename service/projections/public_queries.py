"""Queries of the read models for strangers, who see only some tournaments."""

from collections.abc import Collection

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import Visibility
from service.projections import rows, schema


async def shown_tournaments(
    connection: AsyncConnection,
    league: str,
    shown: Collection[Visibility],
    *,
    limit: int,
    before: int | None = None,
) -> list[rows.TournamentRow]:
    """Return a league's announced tournaments with one of these visibilities, newest first."""
    tournament = schema.tournament
    statement = sa.select(tournament).where(
        tournament.c.league == league,
        tournament.c.state.not_in(rows.UNANNOUNCED),
        tournament.c.visibility.in_(shown),
    )
    if before is not None:
        statement = statement.where(tournament.c.announced_position < before)
    statement = statement.order_by(tournament.c.announced_position.desc()).limit(limit)
    found = await connection.execute(statement)
    return [rows.TournamentRow(**row) for row in found.mappings()]


async def shown_among(
    connection: AsyncConnection, tournaments: Collection[str], shown: Collection[Visibility]
) -> frozenset[str]:
    """Return those of *tournaments* that have one of these visibilities."""
    tournament = schema.tournament
    statement = sa.select(tournament.c.tournament).where(
        tournament.c.tournament.in_(tournaments), tournament.c.visibility.in_(shown)
    )
    return frozenset(await connection.scalars(statement))


async def hides_tournaments(
    connection: AsyncConnection, season: str, shown: Collection[Visibility]
) -> bool:
    """Return whether a season has an announced tournament without one of these visibilities."""
    tournament = schema.tournament
    hidden = sa.or_(tournament.c.visibility.is_(None), tournament.c.visibility.not_in(shown))
    statement = sa.select(
        sa.exists().where(
            tournament.c.season == season, tournament.c.state.not_in(rows.UNANNOUNCED), hidden
        )
    )
    return bool(await connection.scalar(statement))
