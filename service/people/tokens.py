"""
Bearer tokens and their families.

A token is 178 random bits with a checksum. The database keeps only its SHA-256, so neither the
service nor a copy of its database can show a token a second time.

A token made with a password is a root. A token made with another token is its child: it has no
scope that its parent lacks, lives no longer, and ends with it.
"""

import hashlib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.people.accounts import Account
from service.people.schema import account, push_subscription, token

MANAGE = "tokens:manage"
"""The scope of a token that makes, lists, rotates and ends tokens."""

SCOPES = (
    "leagues:read",
    "leagues:manage",
    "tournaments:manage",
    "tables:play",
    "hands:audit",
    MANAGE,
    "webhooks:manage",
    "admin",
)
"""All scopes."""

SCOPES_OF_PEOPLE = SCOPES[:7]
"""The scopes that people may ask for."""

SCOPES_DEFAULT = SCOPES[:5]
"""The default scopes of a new token."""

SCOPES_PLAYING = ("leagues:read", "tables:play")
"""The scopes of the token that a sign-up gives."""

DAYS_DEFAULT = 90
PREFIX = "holo_pat_"
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SECRET_DIGITS = 30
_CHECKSUM_DIGITS = 6
_USED_EVERY = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Principal:
    """The authenticated account, and the scopes of its token."""

    account: Account
    token: UUID
    scopes: frozenset[str]
    expires_at: datetime
    digest: bytes = field(repr=False)
    """Of the secret that the request carries. A rotated token has another one."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret."""

    number: UUID
    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime
    parent: UUID | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None


def token_text(random: bytes) -> str:
    """Return the token made of 32 random bytes: prefix, 30 base62 digits, their CRC-32."""
    secret = _base62(int.from_bytes(random, "big"), _SECRET_DIGITS)
    return f"{PREFIX}{secret}{_base62(zlib.crc32(secret.encode()), _CHECKSUM_DIGITS)}"


def well_formed(text: str) -> bool:
    """Return whether *text* can be a token. A mistyped token then costs no query."""
    digits = text.removeprefix(PREFIX)
    if digits == text or len(digits) != _SECRET_DIGITS + _CHECKSUM_DIGITS or not text.isascii():
        return False
    secret, checksum = digits[:_SECRET_DIGITS], digits[_SECRET_DIGITS:]
    return checksum == _base62(zlib.crc32(secret.encode()), _CHECKSUM_DIGITS)


def new(
    random: bytes,
    number: UUID,
    name: str,
    scopes: tuple[str, ...],
    days: int,
    now: datetime,
    parent: Principal | None = None,
) -> tuple[Token, str]:
    """
    Return a token that is not stored yet, and its secret.

    Args:
      random: 32 bytes for the secret.
      parent: The maker, if the token is made with a token. A child ends with that token at
        the latest.
    """
    until = now + timedelta(days=days)
    made = Token(
        number=number,
        name=name,
        scopes=scopes,
        created_at=now,
        expires_at=until if parent is None else min(until, parent.expires_at),
        parent=None if parent is None else parent.token,
    )
    return made, token_text(random)


async def lock_family(connection: AsyncConnection, owner: UUID) -> None:
    """
    Let one transaction at a time change the tokens of a person, until it ends.

    Without the lock, a child made while its parent is ended could outlive the parent.
    """
    await lock_families(connection, (owner,))


async def lock_families(connection: AsyncConnection, owners: Iterable[UUID]) -> None:
    """Lock as :func:`lock_family` does, for several people in one order, so that no ring waits."""
    await connection.execute(
        sa.select(account.c.id)
        .where(account.c.id.in_(list(owners)))
        .order_by(account.c.id)
        .with_for_update(key_share=True)
    )


async def number_held(connection: AsyncConnection, owner: UUID, now: datetime) -> int:
    """Return the number of a person's valid tokens. It stays fixed until the transaction ends."""
    await lock_family(connection, owner)
    found = await connection.scalar(
        sa.select(sa.func.count()).where(
            token.c.account == owner, token.c.revoked_at.is_(None), token.c.expires_at > now
        )
    )
    return int(found or 0)


async def keep(connection: AsyncConnection, owner: UUID, made: Token, secret: str) -> None:
    """
    Store a token's hash.

    The caller bounds the scopes and the end by those of the parent, and checks that it is alive.
    """
    await lock_family(connection, owner)
    await connection.execute(
        insert(token).values(
            id=made.number,
            account=owner,
            parent=made.parent,
            hash=_digest(secret),
            name=made.name,
            scopes=list(made.scopes),
            created_at=made.created_at,
            expires_at=made.expires_at,
        )
    )


async def by_tokens(
    engine: AsyncEngine, texts: Sequence[str], now: datetime
) -> list[Principal | None]:
    """Return the owner of each token, or None if it is unknown, expired or revoked."""
    digests = [_digest(text) for text in texts]
    async with engine.connect() as connection:
        found = await connection.execute(
            sa.select(
                token.c.id,
                token.c.hash,
                token.c.scopes,
                token.c.expires_at,
                token.c.last_used_at,
                account.c.id.label("account"),
                account.c.login,
                account.c.name,
                account.c.password.is_not(None).label("has_password"),
            )
            .join(account, account.c.id == token.c.account)
            .where(
                token.c.hash == sa.any_(sa.literal(digests, ARRAY(sa.LargeBinary))),
                token.c.revoked_at.is_(None),
                token.c.expires_at > now,
                account.c.login.is_not(None),
                account.c.suspended_at.is_(None),
            )
        )
        rows = {row.hash: row for row in found}
        used = [
            row.id
            for row in rows.values()
            if row.last_used_at is None or now - row.last_used_at > _USED_EVERY
        ]
        if used:
            # Another process may be marking the same tokens. Skip these instead of waiting.
            free = sa.select(token.c.id).where(token.c.id.in_(used))
            free = free.with_for_update(skip_locked=True)
            marked = sa.update(token).where(token.c.id.in_(free)).values(last_used_at=now)
            await connection.execute(marked)
            await connection.commit()
    return [_principal(rows.get(digest)) for digest in digests]


# SQLAlchemy types a row by its select, which several queries share in part.
def _principal(row: Any) -> Principal | None:
    if row is None:
        return None
    person = Account(row.account, row.login, row.name, row.has_password)
    return Principal(person, row.id, frozenset(row.scopes), row.expires_at, row.hash)


async def tokens_of(engine: AsyncEngine, owner: UUID) -> list[Token]:
    """Return a person's tokens, newest first."""
    async with engine.connect() as connection:
        found = await connection.execute(
            sa.select(token).where(token.c.account == owner).order_by(token.c.created_at.desc())
        )
        return [_token(row) for row in found]


async def token_numbered(connection: AsyncConnection, owner: UUID, number: UUID) -> Token | None:
    """Return one of a person's tokens, or None if the person has no such token."""
    found = await connection.execute(
        sa.select(token).where(token.c.id == number, token.c.account == owner)
    )
    row = found.first()
    return None if row is None else _token(row)


async def revoke(connection: AsyncConnection, owner: UUID, number: UUID, now: datetime) -> bool:
    """End a token and its descendants. Return False if the person has no such token."""
    await lock_family(connection, owner)
    if await token_numbered(connection, owner, number) is None:
        return False
    await _end(connection, await _descent(connection, number), now)
    return True


async def revoke_all(
    connection: AsyncConnection, owner: UUID, now: datetime, *, but: UUID | None = None
) -> int:
    """
    End a person's tokens. Return the number that ended.

    Args:
      but: A token that stays, together with its ancestors.
    """
    await lock_family(connection, owner)
    spared = [] if but is None else await _ancestry(connection, but)
    ended = await connection.scalars(
        sa.update(token)
        .where(token.c.account == owner, token.c.revoked_at.is_(None), token.c.id.not_in(spared))
        .values(revoked_at=now)
        .returning(token.c.id)
    )
    return await _unsubscribed(connection, ended.all())


class Ended(NamedTuple):
    """A token that was revoked."""

    number: UUID
    owner: UUID
    tokens: int
    """The number of tokens that ended: this one and its descendants, if they had not ended."""


async def revoke_named(connection: AsyncConnection, named: str, now: datetime) -> Ended | None:
    """
    End a token by its secret, or by ``tok_`` and its number, with its descendants.

    Returns:
      None if the token is unknown.
    """
    own = token.c.hash == _digest(named)
    if named.startswith("tok_"):
        try:
            own = token.c.id == UUID(hex=named[4:])
        except ValueError:
            return None
    row = (await connection.execute(sa.select(token.c.id, token.c.account).where(own))).first()
    if row is None:
        return None
    await lock_family(connection, row.account)
    ended = await _end(connection, await _descent(connection, row.id), now)
    return Ended(row.id, row.account, ended)


async def rotate(
    connection: AsyncConnection, owner: UUID, number: UUID, by: UUID, secret: str, now: datetime
) -> Token | None:
    """
    Give a token another secret. Its number, its scopes and its end stay.

    Args:
      by: The token that asks, which the caller has found alive. It may rotate only itself and its
        descendants. Otherwise a child could take over its parent.

    Returns:
      None if the token is unknown, or it has ended.
    """
    await lock_family(connection, owner)
    if by not in await _ancestry(connection, number):
        return None
    changed = await connection.execute(
        sa.update(token)
        .where(
            token.c.id == number,
            token.c.account == owner,
            token.c.revoked_at.is_(None),
            token.c.expires_at > now,
        )
        .values(hash=_digest(secret))
        .returning(token)
    )
    row = changed.first()
    return None if row is None else _token(row)


async def _end(connection: AsyncConnection, numbers: list[UUID], now: datetime) -> int:
    ended = await connection.scalars(
        sa.update(token)
        .where(token.c.id.in_(numbers), token.c.revoked_at.is_(None))
        .values(revoked_at=now)
        .returning(token.c.id)
    )
    return await _unsubscribed(connection, ended.all())


async def _unsubscribed(connection: AsyncConnection, ended: Sequence[UUID]) -> int:
    """Send no more messages to the browsers of sessions that have ended. Return their number."""
    await connection.execute(
        sa.delete(push_subscription).where(push_subscription.c.token.in_(ended))
    )
    return len(ended)


async def _descent(connection: AsyncConnection, number: UUID) -> list[UUID]:
    """Return the numbers of a token and all its descendants."""
    family = sa.select(token.c.id).where(token.c.id == number).cte("family", recursive=True)
    family = family.union(sa.select(token.c.id).where(token.c.parent == family.c.id))
    return list(await connection.scalars(sa.select(family.c.id)))


async def _ancestry(connection: AsyncConnection, number: UUID) -> list[UUID]:
    """Return the numbers of a token and its ancestors, up to the root."""
    line = sa.select(token.c.id, token.c.parent).where(token.c.id == number)
    above = line.cte("line", recursive=True)
    above = above.union(sa.select(token.c.id, token.c.parent).where(token.c.id == above.c.parent))
    return list(await connection.scalars(sa.select(above.c.id)))


def _token(row: sa.Row[tuple[object, ...]]) -> Token:
    return Token(
        number=row.id,
        name=row.name,
        scopes=tuple(row.scopes),
        created_at=row.created_at,
        expires_at=row.expires_at,
        parent=row.parent,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at,
    )


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _base62(number: int, digits: int) -> str:
    found = []
    for _ in range(digits):
        number, digit = divmod(number, len(_ALPHABET))
        found.append(_ALPHABET[digit])
    return "".join(reversed(found))
