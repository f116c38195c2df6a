"""
Queries of the read models.

Every function takes a connection that may SELECT in the schema ``reads`` and
returns structs. If nothing is found, it returns ``None`` or an empty list.
"""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import EntrantId
from service.projections import schema
from service.projections.applying.checkpoints import standing
from service.projections.applying.projection import NOTHING
from service.projections.reads import rows
from service.projections.reads.hand_rows import HandRow

NAMES = (
    "members", "tournaments", "tables", "hands", "standings", "records", "ratings",
    "disputes", "openings")  # fmt: skip
"""The projections, in the order in which they are shown."""

_OVER = ("finished", "cancelled")
_POINTS = ("points", "best")
_RATED = ("mu", "sigma", "ordinal")
_GONE = ("withdrawn", "no_show", "cashed_out", "eliminated", "finished")

Row = TypeVar("Row", bound=msgspec.Struct)


async def leagues_of(connection: AsyncConnection, player: str) -> list[rows.Membership]:
    """Return the leagues that *player* is a member of, ordered by name."""
    league, member = schema.league, schema.member
    statement = (
        sa.select(league.c.league, league.c.name, member.c.role, league.c.sandbox)
        .join(member, member.c.league == league.c.league)
        .where(member.c.player == player)
        .order_by(league.c.name, league.c.league)
    )
    return await _all(connection, statement, rows.Membership)


async def league(connection: AsyncConnection, league: str) -> rows.LeagueRow | None:
    """Return one league."""
    statement = sa.select(schema.league).where(schema.league.c.league == league)
    return await _one(connection, statement, rows.LeagueRow)


async def tournaments(
    connection: AsyncConnection,
    league: str,
    *,
    season: str | None = None,
    state: str | None = None,
    limit: int = 100,
    before: int | None = None,
    drafts: bool = False,
) -> list[rows.TournamentRow]:
    """
    Return a league's tournaments, newest first. *before* pages by ``announced_position``.

    Args:
        drafts: True to include drafts, which only staff may see.
    """
    tournament = schema.tournament
    statement = sa.select(tournament).where(tournament.c.league == league)
    if season is not None:
        statement = statement.where(tournament.c.season == season)
    if state is not None:
        statement = statement.where(tournament.c.state == state)
    if not drafts:
        statement = statement.where(tournament.c.state.not_in(rows.UNANNOUNCED))
    elif state is None:
        statement = statement.where(tournament.c.state != "discarded")
    if before is not None:
        statement = statement.where(tournament.c.announced_position < before)
    statement = statement.order_by(tournament.c.announced_position.desc()).limit(limit)
    return await _all(connection, statement, rows.TournamentRow)


async def tournaments_named(
    connection: AsyncConnection, wanted: Sequence[str]
) -> list[rows.TournamentRow]:
    """Return the tournaments among *wanted* that are known."""
    statement = sa.select(schema.tournament).where(schema.tournament.c.tournament.in_(wanted))
    return await _all(connection, statement, rows.TournamentRow)


async def tournament(connection: AsyncConnection, tournament: str) -> rows.TournamentRow | None:
    """Return one tournament."""
    statement = sa.select(schema.tournament).where(schema.tournament.c.tournament == tournament)
    return await _one(connection, statement, rows.TournamentRow)


async def entries_of(
    connection: AsyncConnection, player: str, tournaments: Sequence[str]
) -> dict[str, EntrantId]:
    """Return a player's newest entry in each of *tournaments*, unless it was given up or lost."""
    entrant = schema.entrant
    found = await connection.execute(
        sa.select(entrant.c.tournament, entrant.c.entrant)
        .where(
            entrant.c.player == player,
            entrant.c.tournament.in_(tournaments),
            entrant.c.state.not_in(("withdrawn", "no_show")),
        )
        .order_by(entrant.c.number)
    )
    return {row.tournament: EntrantId(row.entrant) for row in found}


async def players_of(connection: AsyncConnection, entrants: Sequence[str]) -> dict[str, str]:
    """Return the players of *entrants*, by entrant, also of entries that have ended."""
    entrant = schema.entrant
    found = await connection.execute(
        sa.select(entrant.c.entrant, entrant.c.player).where(entrant.c.entrant.in_(entrants))
    )
    return {row.entrant: row.player for row in found}


async def winners_of(
    connection: AsyncConnection, tournaments: Sequence[str]
) -> dict[str, list[str]]:
    """Return the players in first place of each of *tournaments* that has one."""
    entrant = schema.entrant
    statement = (
        sa.select(entrant.c.tournament, entrant.c.player)
        .where(entrant.c.tournament.in_(tournaments), entrant.c.placing == 1)
        .order_by(entrant.c.number)
    )
    found: dict[str, list[str]] = {}
    for row in await connection.execute(statement):
        found.setdefault(row.tournament, []).append(row.player)
    return found


async def tables(connection: AsyncConnection, tournament: str) -> list[rows.TableRow]:
    """Return a tournament's tables by number, with their seats."""
    return await _tables(connection, schema.table_summary.c.tournament == tournament)


async def table(connection: AsyncConnection, table: str) -> rows.TableRow | None:
    """Return one table with its seats."""
    found = await _tables(connection, schema.table_summary.c.table == table)
    return found[0] if found else None


async def hands(
    connection: AsyncConnection, table: str, *, limit: int = 100, after: int = 0
) -> list[HandRow]:
    """Return a table's hands by number. *after* is the last number already seen."""
    hand = schema.hand
    statement = (
        sa.select(hand)
        .where(hand.c.table == table, hand.c.number > after)
        .order_by(hand.c.number)
        .limit(limit)
    )
    return await _all(connection, statement, HandRow)


async def tournament_hands(
    connection: AsyncConnection,
    tournament: str,
    *,
    limit: int = 100,
    before: int | None = None,
    settled: bool = False,
) -> list[HandRow]:
    """
    Return a tournament's hands, newest first.

    Args:
        before: Pages by ``first_position``.
        settled: True to return only hands that are over.
    """
    hand = schema.hand
    statement = sa.select(hand).where(hand.c.tournament == tournament)
    if settled:
        statement = statement.where(hand.c.state == "settled")
    if before is not None:
        statement = statement.where(hand.c.first_position < before)
    statement = statement.order_by(hand.c.first_position.desc()).limit(limit)
    return await _all(connection, statement, HandRow)


async def hand(connection: AsyncConnection, hand: str) -> HandRow | None:
    """Return one hand."""
    statement = sa.select(schema.hand).where(schema.hand.c.hand == hand)
    return await _one(connection, statement, HandRow)


async def seats_of(connection: AsyncConnection, player: str) -> list[rows.SeatOf]:
    """Return the entries with which *player* is still in a tournament that is not over."""
    entrant, seat, tournament = schema.entrant, schema.seat, schema.tournament
    statement = (
        sa.select(
            entrant.c.league,
            entrant.c.tournament,
            tournament.c.name.label("tournament_name"),
            entrant.c.entrant,
            entrant.c.state,
            seat.c.table,
            seat.c.seat,
            seat.c.stack,
        )
        .join(tournament, tournament.c.tournament == entrant.c.tournament)
        .outerjoin(seat, seat.c.entrant == entrant.c.entrant)
        .where(
            entrant.c.player == player,
            tournament.c.state.not_in(_OVER),
            entrant.c.state.not_in(_GONE),
        )
        .order_by(tournament.c.announced_position, entrant.c.number)
    )
    return await _all(connection, statement, rows.SeatOf)


async def season(connection: AsyncConnection, season: str) -> rows.SeasonRow | None:
    """Return one season."""
    statement = sa.select(schema.season).where(schema.season.c.season == season)
    return await _one(connection, statement, rows.SeasonRow)


async def seasons(connection: AsyncConnection, league: str) -> list[rows.SeasonRow]:
    """Return a league's seasons, oldest first."""
    statement = (
        sa.select(schema.season)
        .where(schema.season.c.league == league)
        .order_by(schema.season.c.opened_at, schema.season.c.season)
    )
    return await _all(connection, statement, rows.SeasonRow)


async def standings(
    connection: AsyncConnection,
    season: str,
    *,
    limit: int | None = None,
    after: tuple[int, str] | None = None,
) -> list[rows.StandingRow]:
    """
    Return a season's standings by rank. Players who share a rank are ordered by identifier.

    Args:
        limit: The largest number of rows. None returns all.
        after: Rank and player of the last row already seen.
    """
    standing = schema.standing
    columns = [
        sa.cast(each, sa.Text).label(each.name) if each.name in _POINTS else each
        for each in standing.columns
        if each.name != "league"
    ]
    statement = (
        sa.select(*columns)
        .where(standing.c.season == season)
        .order_by(standing.c.rank, standing.c.player)
        .limit(limit)
    )
    if after is not None:
        place = sa.tuple_(standing.c.rank, standing.c.player)
        statement = statement.where(place > sa.tuple_(*after))
    return await _all(connection, statement, rows.StandingRow)


async def ratings(
    connection: AsyncConnection,
    league: str,
    *,
    limit: int = 100,
    after: tuple[str, str] | None = None,
) -> list[rows.RatingRow]:
    """
    Return a league's ratings, strongest player first. Equal ratings are ordered by player.

    Args:
        after: Ordinal and player of the last row already seen.
    """
    rating = schema.rating
    numbers = (sa.cast(rating.c[each], sa.Text).label(each) for each in _RATED)
    statement = sa.select(rating.c.player, *numbers, rating.c.played).where(
        rating.c.league == league
    )
    if after is not None:
        ordinal, player = Decimal(after[0]), after[1]
        statement = statement.where(
            sa.or_(
                rating.c.ordinal < ordinal,
                sa.and_(rating.c.ordinal == ordinal, rating.c.player > player),
            )
        )
    statement = statement.order_by(rating.c.ordinal.desc(), rating.c.player).limit(limit)
    return await _all(connection, statement, rows.RatingRow)


async def rating_history(
    connection: AsyncConnection, player: str, *, league: str | None = None
) -> list[rows.RatingChange]:
    """Return a player's rating after each tournament, newest first. None means every league."""
    change = schema.rating_change
    numbers = (sa.cast(change.c[each], sa.Text).label(each) for each in _RATED)
    statement = sa.select(change.c.league, change.c.tournament, change.c.place, *numbers).where(
        change.c.player == player
    )
    if league is not None:
        statement = statement.where(change.c.league == league)
    statement = statement.order_by(change.c.position.desc())
    return await _all(connection, statement, rows.RatingChange)


async def report(connection: AsyncConnection, identifier: str) -> rows.ReportRow | None:
    """Return one audit."""
    statement = sa.select(schema.audit_report).where(schema.audit_report.c.id == identifier)
    return await _one(connection, statement, rows.ReportRow)


async def reports(
    connection: AsyncConnection, league: str, limit: int, before: tuple[datetime, str] | None
) -> list[rows.ReportRow]:
    """
    Return the audits of *league*, newest first.

    Args:
        before: The time and the identifier of the last one that is known, or None.
    """
    audit = schema.audit_report
    order = sa.tuple_(audit.c.requested_at, audit.c.id)
    statement = sa.select(audit).where(audit.c.league == league)
    if before is not None:
        statement = statement.where(order < before)
    statement = statement.order_by(audit.c.requested_at.desc(), audit.c.id.desc()).limit(limit)
    return await _all(connection, statement, rows.ReportRow)


async def position_of(connection: AsyncConnection, name: str, league: str) -> int:
    """
    Return the checkpoint of projection *name* in *league*.

    It is -1 if the projection has not begun, or if the checkpoint is misplaced.
    """
    found = await standing(connection, [name], [league])
    return found[0].position if found and not found[0].misplaced else NOTHING


async def _all(
    connection: AsyncConnection, statement: sa.Executable, shape: type[Row]
) -> list[Row]:
    found = await connection.execute(statement)
    return [shape(**row) for row in found.mappings()]


async def _one(
    connection: AsyncConnection, statement: sa.Executable, shape: type[Row]
) -> Row | None:
    row = (await connection.execute(statement)).mappings().first()
    return None if row is None else shape(**row)


async def _tables(
    connection: AsyncConnection, condition: sa.ColumnElement[bool]
) -> list[rows.TableRow]:
    summary, seat = schema.table_summary, schema.seat
    found = await connection.execute(sa.select(summary).where(condition).order_by(summary.c.number))
    summaries = list(found.mappings())
    placed = await connection.execute(
        sa.select(seat.c.table, seat.c.seat, seat.c.entrant, seat.c.stack)
        .where(seat.c.table.in_([row["table"] for row in summaries]))
        .order_by(seat.c.table, seat.c.seat)
    )
    seats: dict[str, list[rows.SeatRow]] = {}
    for row in placed:
        seats.setdefault(row.table, []).append(
            rows.SeatRow(seat=row.seat, entrant=row.entrant, stack=row.stack)
        )
    return [rows.TableRow(**row, seats=tuple(seats.get(row["table"], ()))) for row in summaries]
