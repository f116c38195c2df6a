"""Queries of the read model ``records``: a player's games in one league, and their totals."""

from datetime import datetime
from typing import Any, Literal

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from service.projections import schema

_PLAYED = ("running", "finished")


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """One entry in one tournament."""

    entrant: str
    tournament: str
    name: str
    """The name of the tournament."""

    season: str | None
    """The season that counts the tournament, or null."""

    state: Literal["announced", "running", "finished", "cancelled"]
    """`announced`, `running`, `finished` or `cancelled`."""

    withdrawn: bool
    """True if the entrant withdrew, or was removed as a no-show."""

    placing: int | None
    """The place, from 1, or null while it is unknown."""

    shared: int | None
    """Number of entrants who share the places from ``placing`` on."""

    payout: int | None
    """Minor units of ``currency``, or null until the payouts are known."""

    currency: str | None
    """The currency of the tournament (ISO 4217), or null without money."""

    hands: int
    """Settled hands that the entrant was dealt into."""

    hands_won: int
    """Settled hands in which the entrant was a winner."""

    busts: int
    """Busts, including those followed by a rebuy."""

    rebuys: int
    """Rebuys taken by this entry."""

    knockouts: int
    """Opponents knocked out for good. If several players share a knock-out, it counts for each."""

    bounties: int
    """Bounties won, in minor units of ``currency``."""

    registered_at: datetime
    """The time of the registration."""

    finished_at: datetime | None
    """The time at which the tournament finished, or null."""

    registered_position: int
    """The position of the registration in the league's log."""


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """The number of finishes in a place. A shared place counts as the first of them."""

    place: int
    """The place, from 1."""

    times: int
    """The number of such finishes."""


class Winnings(msgspec.Struct, frozen=True, kw_only=True):
    """Winnings in one currency, in its minor units."""

    currency: str | None
    """The currency (ISO 4217), or null if the tournaments had none."""

    amount: int
    """Payouts, without bounties."""

    bounties: int
    """Bounties won."""


class SeasonPoints(msgspec.Struct, frozen=True, kw_only=True):
    """A player's points in one season."""

    season: str
    name: str
    """The name of the season."""

    points: str
    """Decimal, at the season's scale."""


class Sums(msgspec.Struct, frozen=True, kw_only=True):
    """Totals over all games of a player."""

    tournaments: int
    """Tournaments in which play began. Several entries in one tournament count once."""

    entries: int
    """Entries that played. Each re-entry counts."""

    wins: int
    """First places that are not shared."""

    hands: int
    """Settled hands that the player was dealt into."""

    hands_won: int
    """Settled hands in which the player was a winner."""

    busts: int
    """Busts, including those followed by a rebuy."""

    rebuys: int
    """Rebuys taken."""

    knockouts: int
    """Opponents knocked out for good."""

    placings: tuple[Placed, ...]
    """Finishes by place, best place first."""

    winnings: tuple[Winnings, ...]
    """Winnings by currency."""

    points: tuple[SeasonPoints, ...]
    """Points by season."""


def _games(league: str, player: str) -> sa.Select[Any]:
    # The columns follow from the members of Game, so a type cannot list them.
    game, tournament = schema.record_game, schema.record_tournament
    return (
        sa.select(
            *(game.c[name] for name in Game.__struct_fields__ if name in game.c),
            *(tournament.c[name] for name in Game.__struct_fields__ if name not in game.c),
        )
        .join(tournament, tournament.c.tournament == game.c.tournament)
        .where(game.c.league == league, game.c.player == player)
    )


async def games(
    connection: AsyncConnection, league: str, player: str, *, limit: int, before: int | None
) -> list[Game]:
    """Return a player's entries, newest first. *before* is a position of registration."""
    position = schema.record_game.c.registered_position
    statement = _games(league, player).order_by(position.desc()).limit(limit)
    if before is not None:
        statement = statement.where(position < before)
    return [Game(**row) for row in (await connection.execute(statement)).mappings()]


async def sums(connection: AsyncConnection, league: str, player: str) -> Sums:
    """Return the totals of a player's games in *league*. All are zero if there are no games."""
    game = _games(league, player).subquery()
    began = sa.and_(game.c.state.in_(_PLAYED), game.c.withdrawn.is_(False))
    counted = await connection.execute(
        sa.select(
            sa.func.count(game.c.tournament.distinct()).filter(began).label("tournaments"),
            sa.func.count().filter(began).label("entries"),
            sa.func.count().filter(game.c.placing == 1, game.c.shared == 1).label("wins"),
            *(
                sa.func.coalesce(sa.func.sum(game.c[name]), 0).label(name)
                for name in ("hands", "hands_won", "busts", "rebuys", "knockouts")
            ),
        )
    )
    placed = await connection.execute(
        sa.select(game.c.placing.label("place"), sa.func.count().label("times"))
        .where(game.c.placing.is_not(None))
        .group_by(game.c.placing)
        .order_by(game.c.placing)
    )
    won = await connection.execute(
        sa.select(
            game.c.currency,
            sa.cast(sa.func.sum(sa.func.coalesce(game.c.payout, 0)), sa.BigInteger),
            sa.cast(sa.func.sum(game.c.bounties), sa.BigInteger),
        )
        .where(sa.or_(game.c.payout > 0, game.c.bounties > 0))
        .group_by(game.c.currency)
        .order_by(game.c.currency)
    )
    return Sums(
        **{name: int(count) for name, count in counted.mappings().one().items()},
        placings=tuple(Placed(**row) for row in placed.mappings()),
        winnings=tuple(Winnings(currency=row[0], amount=row[1], bounties=row[2]) for row in won),
        points=await _points(connection, league, player),
    )


async def _points(
    connection: AsyncConnection, league: str, player: str
) -> tuple[SeasonPoints, ...]:
    season, standing = schema.season, schema.standing
    found = await connection.execute(
        sa.select(
            season.c.season, season.c.name, sa.cast(standing.c.points, sa.Text).label("points")
        )
        .join(standing, standing.c.season == season.c.season)
        .where(season.c.league == league, standing.c.player == player)
        .order_by(season.c.opened_at, season.c.season)
    )
    return tuple(SeasonPoints(**row) for row in found.mappings())
