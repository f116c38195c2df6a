"""
Keys of calendars: a secret in an address, for programs that can send nothing else.

A key reads the calendars its owner may read, and opens nothing besides.  It is kept as
SHA-256, like a token, and can be ended.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from service.relations import account, calendar_key

PREFIX = "holo_cal_"


@dataclass(frozen=True, slots=True)
class CalendarKey:
    """A key's public side."""

    number: UUID
    created_at: datetime
    revoked_at: datetime | None


def key_text(random: bytes) -> str:
    """Return the key made of 32 random bytes."""
    return f"{PREFIX}{random.hex()}"


async def keep(
    connection: AsyncConnection, number: UUID, owner: UUID, key: str, now: datetime
) -> None:
    """Keep a key, by its hash."""
    await connection.execute(
        insert(calendar_key).values(id=number, account=owner, hash=_digest(key), created_at=now)
    )


async def owner_of(connection: AsyncConnection, key: str) -> UUID | None:
    """Return whose key this is, unless it is unknown, ended, or its owner erased."""
    found: UUID | None = await connection.scalar(
        sa.select(calendar_key.c.account)
        .join(account, account.c.id == calendar_key.c.account)
        .where(
            calendar_key.c.hash == _digest(key),
            calendar_key.c.revoked_at.is_(None),
            account.c.login.is_not(None),
        )
    )
    return found


async def keys_of(connection: AsyncConnection, owner: UUID) -> list[CalendarKey]:
    """Return a person's keys, the newest first, ended ones too."""
    found = await connection.execute(
        sa.select(calendar_key.c.id, calendar_key.c.created_at, calendar_key.c.revoked_at)
        .where(calendar_key.c.account == owner)
        .order_by(calendar_key.c.created_at.desc(), calendar_key.c.id)
    )
    return [CalendarKey(row.id, row.created_at, row.revoked_at) for row in found]


async def revoke(connection: AsyncConnection, owner: UUID, number: UUID, now: datetime) -> bool:
    """End a key; False if this person has none such."""
    found = await connection.execute(
        sa.update(calendar_key)
        .where(calendar_key.c.id == number, calendar_key.c.account == owner)
        .values(revoked_at=sa.func.coalesce(calendar_key.c.revoked_at, now))
        .returning(calendar_key.c.id)
    )
    return found.first() is not None


async def revoke_all(connection: AsyncConnection, owner: UUID, now: datetime) -> int:
    """End a person's keys; return how many ended."""
    ended = await connection.execute(
        sa.update(calendar_key)
        .where(calendar_key.c.account == owner, calendar_key.c.revoked_at.is_(None))
        .values(revoked_at=now)
    )
    return ended.rowcount


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()
