"""Names of places: the league of a stream, and the opaque tokens of positions."""

import base64
from uuid import UUID

import asyncpg
import msgspec

_FIRST = "SELECT league FROM events WHERE stream = $1 AND stream_version = 1"


async def league_of_stream(connection: asyncpg.Pool, stream: str) -> UUID | None:
    """Return the league of *stream*, or None if the stream has no events."""
    found: UUID | None = await connection.fetchval(_FIRST, stream)
    return found


def token(*parts: str | int) -> str:
    """Return *parts* as one opaque token. Clients store it and never read it."""
    return base64.urlsafe_b64encode(msgspec.json.encode(parts)).rstrip(b"=").decode()


def position_token(league: str, epoch: int, position: int) -> str:
    """Return the token for a position in a league's log."""
    return token(league.partition("_")[2], epoch, position)
