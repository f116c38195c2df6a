"""The league of a stream, for flat routes that name a table without its league."""

from uuid import UUID

import asyncpg

_FIRST = "SELECT league FROM events WHERE stream = $1 AND stream_version = 1"


async def league_of_stream(connection: asyncpg.Pool, stream: str) -> UUID | None:
    """Return the league of *stream*, or None if the stream has no events."""
    found: UUID | None = await connection.fetchval(_FIRST, stream)
    return found
