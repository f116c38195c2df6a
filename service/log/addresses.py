"""Which league a stream stands in: flat routes name a table without its league."""

from functools import lru_cache
from uuid import UUID

import asyncpg

from engine import values

stream_of = lru_cache(maxsize=65_536)(values.stream_of)
"""``engine.values.stream_of``, remembered: every request asks for the same few."""

_FIRST = "SELECT league FROM events WHERE stream = $1 AND stream_version = 1"


async def league_of_stream(connection: asyncpg.Pool, stream: str) -> UUID | None:
    """Return the league of *stream*, or None if nothing was ever written to it."""
    found: UUID | None = await connection.fetchval(_FIRST, stream)
    return found
