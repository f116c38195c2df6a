"""
The exported tables: standings, results, payouts, refunds.

Results are read in chunks, ordered by the position at which each entry was registered.
That position never changes, and reading stops at the end the log had at the start. A long
table therefore needs no long snapshot, and no row is lost or repeated.
"""

from collections.abc import AsyncIterable, AsyncIterator, Sequence
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from engine.tournament.model.values.money import Refund
from service.exports.csvs import Cell, lines
from service.people.accounts import names
from service.projections import schema
from service.projections.reads import queries
from service.projections.reads.rows import StandingRow

CHUNK = 500

STANDINGS = (
    "rank", "player", "name", "points", "played", "wins", "best", "best_placing",
    "counted", "qualified", "decided_by",
)  # fmt: skip
RESULTS = (
    "tournament", "tournament_name", "season", "state", "entrant", "player", "name", "bot",
    "withdrawn", "placing", "shared", "payout_minor", "bounties_minor", "currency", "hands",
    "knockouts", "registered_at", "finished_at",
)  # fmt: skip
PAYOUTS = (
    "tournament", "tournament_name", "placing", "shared", "entrant", "player", "name",
    "amount_minor", "currency", "finished_at",
)  # fmt: skip


REFUNDS = (
    "tournament", "tournament_name", "entrant", "player", "name", "paid_in_minor", "fee_minor",
    "bounty_minor", "prize_minor", "equal_minor", "chips_minor", "amount_minor", "currency",
    "policy",
)  # fmt: skip


async def standings(engine: AsyncEngine, season: str) -> AsyncIterator[bytes]:
    """Yield a season's standings as CSV. They are read at once, so all ranks are of one moment."""
    async with engine.connect() as connection:
        rows = await queries.standings(connection, season)
    yield lines([STANDINGS])
    for start in range(0, len(rows), CHUNK):
        part = rows[start : start + CHUNK]
        called = await _called(engine, [each.player for each in part])
        yield lines([_standing_cell(each, name, called) for name in STANDINGS] for each in part)


async def results(
    engine: AsyncEngine, league: str, tournament: str | None = None
) -> AsyncIterator[bytes]:
    """Yield the entries of a tournament, or of the whole league, in order of registration."""
    yield lines([RESULTS])
    async for part in _entries(engine, league, _of(tournament)):
        called = await _called(engine, [row["player"] for row in part])
        yield lines([_cell(row, name, called) for name in RESULTS] for row in part)


async def payouts(
    engine: AsyncEngine, league: str, tournament: str | None = None
) -> AsyncIterator[bytes]:
    """Yield the payouts of a tournament, or of the whole league."""
    yield lines([PAYOUTS])
    paid = sa.and_(_of(tournament), schema.record_game.c.payout > 0)
    async for part in _entries(engine, league, paid):
        called = await _called(engine, [row["player"] for row in part])
        yield lines([_cell(row, name, called) for name in PAYOUTS] for row in part)


class Owed(NamedTuple):
    """The refunds that a cancelled tournament owes."""

    tournament: str
    name: str
    currency: str | None
    policy: str | None
    refunds: Sequence[Refund]


async def refunds(engine: AsyncEngine, cancelled: AsyncIterable[Owed]) -> AsyncIterator[bytes]:
    """Yield the refunds that *cancelled* tournaments owe their entrants, part by part."""
    yield lines([REFUNDS])
    async for owed in cancelled:
        for start in range(0, len(owed.refunds), CHUNK):
            part = owed.refunds[start : start + CHUNK]
            called = await _called(engine, [each.player for each in part])
            yield lines(
                (
                    owed.tournament,
                    owed.name,
                    each.entrant,
                    each.player,
                    called.get(each.player),
                    each.paid_in,
                    each.fee,
                    each.bounty,
                    each.prize,
                    each.equal,
                    each.chips,
                    each.amount,
                    owed.currency,
                    owed.policy,
                )
                for each in part
            )


def _of(tournament: str | None) -> sa.ColumnElement[bool]:
    if tournament is None:
        return sa.true()
    return schema.record_game.c.tournament == tournament


def _standing_cell(row: StandingRow, name: str, called: dict[str, str]) -> Cell:
    match name:
        case "name":
            return called.get(row.player)
        case "points":
            return Decimal(row.points)
        case "best":
            return None if row.best is None else Decimal(row.best)
        case _:
            cell: Cell = getattr(row, name)
            return cell


def _cell(row: sa.RowMapping, name: str, called: dict[str, str]) -> Cell:
    match name:
        case "name":
            return called.get(row["player"])
        case "tournament_name":
            return str(row["tournament_name"])
        case "payout_minor" | "amount_minor":
            amount: int | None = row["payout"]
            return amount
        case "bounties_minor":
            return int(row["bounties"])
        case _:
            cell: Cell = row[name]
            return cell


async def _entries(
    engine: AsyncEngine, league: str, condition: sa.ColumnElement[bool]
) -> AsyncIterator[Sequence[sa.RowMapping]]:
    game, tournament = schema.record_game, schema.record_tournament
    async with engine.connect() as connection:
        until = await queries.position_of(connection, "records", league)
    after = -1
    while True:
        statement = (
            sa.select(
                game,
                tournament.c.name.label("tournament_name"),
                tournament.c.season,
                tournament.c.currency,
                tournament.c.state,
                tournament.c.finished_at,
            )
            .join(tournament, tournament.c.tournament == game.c.tournament)
            .where(
                game.c.league == league,
                condition,
                game.c.registered_position > after,
                game.c.registered_position <= until,
            )
            .order_by(game.c.registered_position)
            .limit(CHUNK)
        )
        async with engine.connect() as connection:
            rows = (await connection.execute(statement)).mappings().all()
        if not rows:
            return
        yield rows
        after = rows[-1]["registered_position"]


async def _called(engine: AsyncEngine, players: Sequence[str]) -> dict[str, str]:
    return await names(engine, [UUID(hex=each[4:]) for each in set(players)])
