"""Queries of the read models for strangers, who see only some tournaments."""

from collections.abc import Collection
from datetime import datetime

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.tournament.model.state import Phase
from engine.values import Visibility
from service.projections import schema
from service.projections.reads import rows


class PublicGame(msgspec.Struct, frozen=True, kw_only=True):
    """One entry in one public tournament."""

    tournament: str
    """The tournament, `trn_…`."""

    name: str
    """The name of the tournament."""

    season: str | None
    """The season that counts the tournament, or null."""

    state: Phase
    """The phase of the tournament."""

    starts_at: datetime | None
    """The planned start."""

    finished_at: datetime | None
    """The time at which the tournament finished or was cancelled, or null."""

    placing: int | None
    """The place, from 1, or null while it is unknown."""

    shared: int | None
    """Number of entrants who share the places from ``placing`` on."""

    payout: int | None
    """The prize in minor units of ``currency``, or null until it is known."""

    currency: str | None
    """The currency (ISO 4217), or null if no money is played for."""

    knockouts: int
    """Opponents knocked out for good."""


class PublicSums(msgspec.Struct, frozen=True, kw_only=True):
    """Totals over a player's entries in public tournaments."""

    tournaments: int
    wins: int
    knockouts: int


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
    return bool(await connection.scalar(sa.select(_hides(sa.literal(season), shown))))


async def shown_seasons(
    connection: AsyncConnection, league: str, shown: Collection[Visibility]
) -> list[rows.SeasonRow]:
    """Return a league's seasons that hide no tournament, oldest first."""
    season = schema.season
    statement = (
        sa.select(season)
        .where(season.c.league == league, ~_hides(season.c.season, shown))
        .order_by(season.c.opened_at, season.c.season)
    )
    found = await connection.execute(statement)
    return [rows.SeasonRow(**row) for row in found.mappings()]


def _hides(season: sa.ColumnElement[str], shown: Collection[Visibility]) -> sa.ColumnElement[bool]:
    """
    Return the test for an announced tournament without one of these visibilities.

    Points from a tournament that its own read model does not know yet are hidden too.
    """
    tournament, ledger = schema.tournament, schema.ledger
    announced = tournament.c.state.not_in(rows.UNANNOUNCED)
    hidden = sa.exists().where(
        tournament.c.season == season,
        announced,
        sa.or_(tournament.c.visibility.is_(None), tournament.c.visibility.not_in(shown)),
    )
    known = sa.exists().where(tournament.c.tournament == ledger.c.tournament, announced)
    unknown = sa.exists().where(ledger.c.season == season, ledger.c.tournament.is_not(None), ~known)
    return sa.or_(hidden, unknown)


_NAMES = PublicGame.__struct_fields__


def _games(
    league: str, player: str, shown: Collection[Visibility]
) -> sa.Select[tuple[object, ...]]:
    game, tournament = schema.record_game, schema.tournament
    return (
        sa.select(
            game.c.registered_position,
            *(tournament.c[each] if each in tournament.c else game.c[each] for each in _NAMES),
        )
        .join(tournament, tournament.c.tournament == game.c.tournament)
        .where(
            game.c.league == league,
            game.c.player == player,
            game.c.withdrawn.is_(False),
            tournament.c.state.not_in(rows.UNANNOUNCED),
            tournament.c.visibility.in_(shown),
        )
    )


async def games(
    connection: AsyncConnection,
    league: str,
    player: str,
    shown: Collection[Visibility],
    *,
    limit: int,
    before: int | None,
) -> list[tuple[int, PublicGame]]:
    """Return a player's entries that strangers may see, newest first, each with its position."""
    position = schema.record_game.c.registered_position
    statement = _games(league, player, shown).order_by(position.desc()).limit(limit)
    if before is not None:
        statement = statement.where(position < before)
    found = (await connection.execute(statement)).mappings()
    return [
        (row["registered_position"], PublicGame(**{name: row[name] for name in _NAMES}))
        for row in found
    ]


async def sums(
    connection: AsyncConnection, league: str, player: str, shown: Collection[Visibility]
) -> PublicSums:
    """Return the totals of the entries that strangers may see."""
    game = _games(league, player, shown).subquery()
    found = await connection.execute(
        sa.select(
            sa.func.count(game.c.tournament.distinct())
            .filter(game.c.state.in_(("running", "paused", "finished")))
            .label("tournaments"),
            sa.func.count().filter(game.c.placing == 1, game.c.shared == 1).label("wins"),
            sa.func.coalesce(sa.func.sum(game.c.knockouts), 0).label("knockouts"),
        )
    )
    return PublicSums(**{name: int(count) for name, count in found.mappings().one().items()})
