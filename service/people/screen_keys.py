"""
Screen keys: a secret in an address that opens the clock of one tournament on a TV.

A key names its tournament, so it can be used for nothing else. The database keeps its SHA-256, as
for a token. A key ends when staff revoke it. The caller also checks that the key's maker
may still make keys, and that the evening is not long over.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from service.people.schema import screen_key

PREFIX = "holo_scr_"

_LOCK = sa.text("SELECT pg_advisory_xact_lock(hashtextextended('screen keys ' || :tournament, 0))")


@dataclass(frozen=True, slots=True)
class ScreenKey:
    """A screen key without its secret."""

    number: UUID
    league: UUID
    tournament: UUID
    made_by: UUID
    created_at: datetime
    revoked_at: datetime | None


def key_text(random: bytes) -> str:
    """Return the key made of 32 random bytes."""
    return f"{PREFIX}{random.hex()}"


async def keep(connection: AsyncConnection, made: ScreenKey, key: str) -> None:
    """Store the hash of a key."""
    values = {
        "id": made.number,
        "league": made.league,
        "tournament": made.tournament,
        "made_by": made.made_by,
        "created_at": made.created_at,
    }
    await connection.execute(insert(screen_key).values(hash=_digest(key), **values))


async def number_held(connection: AsyncConnection, tournament: UUID) -> int:
    """Return the number of a tournament's keys. It stays fixed until the transaction ends."""
    await connection.execute(_LOCK, {"tournament": tournament.hex})
    found = await connection.scalar(
        sa.select(sa.func.count())
        .select_from(screen_key)
        .where(screen_key.c.tournament == tournament, screen_key.c.revoked_at.is_(None))
    )
    return int(found or 0)


async def opened_by(connection: AsyncConnection, key: str) -> ScreenKey | None:
    """Return the key with this text, or None if it is unknown or revoked."""
    found = await connection.execute(
        sa.select(*_COLUMNS).where(
            screen_key.c.hash == _digest(key), screen_key.c.revoked_at.is_(None)
        )
    )
    row = found.first()
    return None if row is None else ScreenKey(*row)


async def keys_of(connection: AsyncConnection, tournament: UUID) -> list[ScreenKey]:
    """Return a tournament's keys, newest first, including revoked ones."""
    found = await connection.execute(
        sa.select(*_COLUMNS)
        .where(screen_key.c.tournament == tournament)
        .order_by(screen_key.c.created_at.desc(), screen_key.c.id)
    )
    return [ScreenKey(*row) for row in found]


async def revoke(
    connection: AsyncConnection, tournament: UUID, number: UUID, now: datetime
) -> bool:
    """End a key. Return False if the tournament has no such key, or it had ended before."""
    found = await connection.execute(
        sa.update(screen_key)
        .where(
            screen_key.c.id == number,
            screen_key.c.tournament == tournament,
            screen_key.c.revoked_at.is_(None),
        )
        .values(revoked_at=now)
        .returning(screen_key.c.id)
    )
    return found.first() is not None


_COLUMNS = (
    screen_key.c.id,
    screen_key.c.league,
    screen_key.c.tournament,
    screen_key.c.made_by,
    screen_key.c.created_at,
    screen_key.c.revoked_at,
)


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()
