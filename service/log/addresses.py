"""Which league a stream stands in: flat routes name a table without its league."""

from uuid import UUID

import asyncpg

_FIRST = "SELECT league FROM events WHERE stream = $1 AND stream_version = 1"


async def league_of_stream(connection: asyncpg.Pool, stream: str) -> UUID | None:
    """Return the league of *stream*, or None if nothing was ever written to it."""
    found: UUID | None = await connection.fetchval(_FIRST, stream)
    return found
