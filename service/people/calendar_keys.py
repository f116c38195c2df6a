"""
Calendar keys: a secret in an address, for programs that can send nothing else.

A key reads the calendars that its owner may read, and nothing else. The database keeps its SHA-256,
as for a token. A key is a child of the token that made it: it ends with that token, or earlier if
it is revoked. A new password ends every key.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from service.people.schema import account, calendar_key, token
from service.people.tokens import lock_family

PREFIX = "holo_cal_"

_WITHOUT_TOKEN: Final = timedelta(days=366)
"""The life of keys that were made before keys recorded their token."""

_EXPIRES_AT: sa.ColumnElement[datetime] = sa.func.coalesce(
    token.c.expires_at, calendar_key.c.created_at + _WITHOUT_TOKEN
)
_REVOKED_AT: sa.ColumnElement[datetime] = sa.func.least(
    calendar_key.c.revoked_at, token.c.revoked_at
)
_WITH_TOKEN = calendar_key.outerjoin(token, token.c.id == calendar_key.c.token)


@dataclass(frozen=True, slots=True)
class CalendarKey:
    """A calendar key without its secret."""

    number: UUID
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None


def key_text(random: bytes) -> str:
    """Return the key made of 32 random bytes."""
    return f"{PREFIX}{random.hex()}"


async def keep(
    connection: AsyncConnection, number: UUID, owner: UUID, maker: UUID, key: str, now: datetime
) -> None:
    """Store the hash of a key that the token *maker* makes."""
    await lock_family(connection, owner)
    values = {"id": number, "account": owner, "token": maker, "hash": _digest(key)}
    await connection.execute(insert(calendar_key).values(created_at=now, **values))


async def number_held(connection: AsyncConnection, owner: UUID, now: datetime) -> int:
    """Return the number of a person's valid keys. It stays fixed until the transaction ends."""
    await lock_family(connection, owner)
    found = await connection.scalar(
        sa.select(sa.func.count())
        .select_from(_WITH_TOKEN)
        .where(calendar_key.c.account == owner, _good_at(now))
    )
    return int(found or 0)


async def owner_of(connection: AsyncConnection, key: str, now: datetime) -> UUID | None:
    """Return the key's owner, or None if the key is unknown or ended, or its owner erased."""
    found: UUID | None = await connection.scalar(
        sa.select(calendar_key.c.account)
        .select_from(_WITH_TOKEN.join(account, account.c.id == calendar_key.c.account))
        .where(
            calendar_key.c.hash == _digest(key),
            _good_at(now),
            account.c.login.is_not(None),
            account.c.suspended_at.is_(None),
        )
    )
    return found


async def keys_of(connection: AsyncConnection, owner: UUID) -> list[CalendarKey]:
    """Return a person's keys, newest first, including ended ones."""
    found = await connection.execute(
        sa.select(
            calendar_key.c.id,
            calendar_key.c.created_at,
            _EXPIRES_AT.label("expires_at"),
            _REVOKED_AT.label("revoked_at"),
        )
        .select_from(_WITH_TOKEN)
        .where(calendar_key.c.account == owner)
        .order_by(calendar_key.c.created_at.desc(), calendar_key.c.id)
    )
    return [CalendarKey(row.id, row.created_at, row.expires_at, row.revoked_at) for row in found]


async def revoke(connection: AsyncConnection, owner: UUID, number: UUID, now: datetime) -> bool:
    """End a key. Return False if this person has no such key."""
    found = await connection.execute(
        sa.update(calendar_key)
        .where(calendar_key.c.id == number, calendar_key.c.account == owner)
        .values(revoked_at=sa.func.coalesce(calendar_key.c.revoked_at, now))
        .returning(calendar_key.c.id)
    )
    return found.first() is not None


async def revoke_all(connection: AsyncConnection, owner: UUID, now: datetime) -> int:
    """End all of a person's keys. Return the number that ended."""
    ended = await connection.execute(
        sa.update(calendar_key)
        .where(calendar_key.c.account == owner, calendar_key.c.revoked_at.is_(None))
        .values(revoked_at=now)
    )
    return ended.rowcount


def _good_at(now: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(_REVOKED_AT.is_(None), now < _EXPIRES_AT)


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()
