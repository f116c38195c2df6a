"""Time limits of claims, computed from the log's instants of settlement."""

from datetime import datetime

import asyncpg
from sqlalchemy.ext.asyncio import AsyncEngine

from engine.dispute.values import Subject
from engine.kit.windows import Settled, closes_at, in_force
from engine.league.state import Created
from engine.values import number_of, stream_of
from service.log.streams import table_stream
from service.projections.reads import queries

_NEXT_HAND = """
    SELECT at FROM events
     WHERE league = $1 AND stream = $2 AND position > $3 AND type = 'hand_opened'
     ORDER BY stream_version LIMIT 1
"""
_LAST = """
    SELECT at FROM events WHERE league = $1 AND stream = $2 AND type = ANY ($3)
     ORDER BY stream_version DESC LIMIT 1
"""
_OVER = ["tournament_finished", "tournament_cancelled"]
_ENDS = {
    "seating": _OVER,
    "payout": [*_OVER, "result_corrected"],
    "standing": ["season_closed"],
}


async def too_late_at(
    pool: asyncpg.Pool, engine: AsyncEngine, league: Created, subject: Subject
) -> datetime | None:
    """Return the instant at which claims on *subject* end, or None while it is not settled."""
    settled = await _settled(pool, engine, league.league, subject)
    if settled is None:
        return None
    windows = in_force(league.dispute_windows, settled.at)
    return closes_at(windows, subject.kind, settled)


async def _settled(
    pool: asyncpg.Pool, engine: AsyncEngine, league: str, subject: Subject
) -> Settled | None:
    number = number_of(league)
    if subject.hand is None:
        there = stream_of(str(subject.tournament or subject.season))
        at = await pool.fetchval(_LAST, number, there, _ENDS[subject.kind])
        return None if at is None else Settled(at=at)
    async with engine.connect() as connection:
        row = await queries.hand(connection, subject.hand)
    if row is None or row.settled_at is None:
        return None
    following = await pool.fetchval(_NEXT_HAND, number, table_stream(row.table), row.last_position)
    return Settled(at=row.settled_at, next_hand=following)
