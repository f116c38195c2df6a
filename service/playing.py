"""
Who plays in a league just now, asked of the log: read models lag, and a rebuild empties them.
"""

from collections.abc import Sequence

import asyncpg

from engine.values import number_of

_OPEN = """
    SELECT first.stream FROM events first
     WHERE first.league = $1 AND first.stream_version = 1 AND first.stream LIKE 'tournament-%'
       AND NOT EXISTS (
        SELECT FROM events over
         WHERE over.league = $1 AND over.stream = first.stream
           AND over.type IN ('tournament_finished', 'tournament_cancelled'))
     ORDER BY first.stream
"""


async def open_tournaments(pool: asyncpg.Pool, league: str) -> Sequence[str]:
    """Return the streams of the tournaments of *league* that are neither over nor called off."""
    rows = await pool.fetch(_OPEN, number_of(league))
    return [row["stream"] for row in rows]
