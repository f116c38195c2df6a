"""
People and their tokens.

Passwords are argon2id; tokens are 178 random bits with a checksum, kept as
SHA-256.  A token's secret is shown once, and again only to the retry of the
request that made it, because it is derived from that request's command.
"""

import hashlib
import hmac
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid5

import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.pools import HASHING
from service.relations import account, token

SCOPES = (
    "leagues:read",
    "leagues:manage",
    "tournaments:manage",
    "tables:play",
    "hands:audit",
    "webhooks:manage",
    "admin",
)
"""Everything a token may be allowed."""

SCOPES_DEFAULT = SCOPES[:5]
"""What a token may do if its maker does not say."""

ERASED = "erased player"
"""What everybody is called of whom nothing is left but a number."""

TOKEN_DAYS = 90
PREFIX = "holo_pat_"
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SECRET_DIGITS = 30
_CHECKSUM_DIGITS = 6
_USED_EVERY = timedelta(minutes=5)

_hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
_NOBODY = _hasher.hash("a password nobody has")


@dataclass(frozen=True, slots=True)
class Account:
    """A person; ``name`` is what others are shown."""

    number: UUID
    login: str
    name: str

    @property
    def player(self) -> str:
        """The only name of this person in the log."""
        return f"plr_{self.number.hex}"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks, and what the token allows."""

    account: Account
    token: UUID
    scopes: frozenset[str]
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Token:
    """A token's public side; ``secret`` only where it is shown."""

    number: UUID
    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None
    secret: str | None = None


def token_text(random: bytes) -> str:
    """Return the token made of 32 random bytes: prefix, 30 base62 digits, their CRC-32."""
    secret = _base62(int.from_bytes(random, "big"), _SECRET_DIGITS)
    return f"{PREFIX}{secret}{_base62(zlib.crc32(secret.encode()), _CHECKSUM_DIGITS)}"


def well_formed(text: str) -> bool:
    """Return whether *text* can be a token, so that a mistyped one costs no query."""
    digits = text.removeprefix(PREFIX)
    if digits == text or len(digits) != _SECRET_DIGITS + _CHECKSUM_DIGITS or not text.isascii():
        return False
    secret, checksum = digits[:_SECRET_DIGITS], digits[_SECRET_DIGITS:]
    return checksum == _base62(zlib.crc32(secret.encode()), _CHECKSUM_DIGITS)


def derived(secret_key: str, purpose: str, command: UUID) -> bytes:
    """Return 32 bytes that only this service can find again from *command*."""
    message = f"holotable/{purpose}/1".encode() + command.bytes
    return hmac.digest(secret_key.encode(), message, "sha256")


async def create(
    connection: AsyncConnection, number: UUID, login: str, name: str, kept: str, now: datetime
) -> bool:
    """
    Keep a new person; False if the login is taken.

    Args:
        kept: What :func:`hashed` returned, before a connection was taken: many who wait
            for it must not hold connections meanwhile.
    """
    made = await connection.execute(
        insert(account)
        .values(id=number, login=login.lower(), name=name, password=kept, created_at=now)
        .on_conflict_do_nothing()
        .returning(account.c.id)
    )
    return made.first() is not None


async def hashed(password: str, client: str | None = None) -> str:
    """
    Return what is kept of *password*; slow, so in threads of its own.

    Args:
        client: The address that asks.

    Raises:
        Overloaded: If too much is waiting for it, in all or from this client.
    """
    return await HASHING.run(client, _hasher.hash, password)


async def name_of(connection: AsyncConnection, number: UUID) -> str:
    """Return what others are shown of a person who is there."""
    found = await connection.execute(sa.select(account.c.name).where(account.c.id == number))
    return str(found.scalar_one())


async def by_password(
    engine: AsyncEngine, login: str, password: str, client: str | None = None
) -> Account | None:
    """
    Return who has this login and password; as slow for an unknown login as for a known one.

    Args:
        client: The address that asks.

    Raises:
        Overloaded: As :func:`hashed`.
    """
    async with engine.connect() as connection:
        found = await connection.execute(
            sa.select(account.c.id, account.c.login, account.c.name, account.c.password).where(
                account.c.login == login.lower()
            )
        )
        row = found.first()
    kept = _NOBODY if row is None or row.password is None else row.password
    matches = await HASHING.run(client, _matches, kept, password)
    if row is None or not matches:
        return None
    return Account(row.id, row.login, row.name)


async def mint(
    connection: AsyncConnection,
    owner: UUID,
    made: Token,
) -> None:
    """Keep a token, by its hash; nothing happens if a retry has kept it already."""
    await connection.execute(
        insert(token)
        .values(
            id=made.number,
            account=owner,
            hash=_digest(made.secret or ""),
            name=made.name,
            scopes=list(made.scopes),
            created_at=made.created_at,
            expires_at=made.expires_at,
        )
        .on_conflict_do_nothing()
    )


def token_of(
    secret_key: str, command: UUID, name: str, scopes: tuple[str, ...], days: int, now: datetime
) -> Token:
    """Return the token that *command* makes, with its secret."""
    return Token(
        number=uuid5(command, "id/token"),
        name=name,
        scopes=scopes,
        created_at=now,
        expires_at=now + timedelta(days=days),
        secret=token_text(derived(secret_key, "token", command)),
    )


async def by_token(engine: AsyncEngine, text: str, now: datetime) -> Principal | None:
    """Return whom a token stands for, unless it is unknown, expired or revoked."""
    async with engine.connect() as connection:
        found = await connection.execute(
            sa.select(
                token.c.id,
                token.c.scopes,
                token.c.expires_at,
                token.c.last_used_at,
                account.c.id.label("account"),
                account.c.login,
                account.c.name,
            )
            .join(account, account.c.id == token.c.account)
            .where(
                token.c.hash == _digest(text),
                token.c.revoked_at.is_(None),
                token.c.expires_at > now,
                account.c.login.is_not(None),
            )
        )
        row = found.first()
        if row is None:
            return None
        if row.last_used_at is None or now - row.last_used_at > _USED_EVERY:
            await connection.execute(
                sa.update(token).where(token.c.id == row.id).values(last_used_at=now)
            )
            await connection.commit()
    person = Account(row.account, row.login, row.name)
    return Principal(person, row.id, frozenset(row.scopes), row.expires_at)


async def tokens_of(engine: AsyncEngine, owner: UUID) -> list[Token]:
    """Return a person's tokens, the newest first, without their secrets."""
    async with engine.connect() as connection:
        found = await connection.execute(
            sa.select(token).where(token.c.account == owner).order_by(token.c.created_at.desc())
        )
        return [
            Token(
                number=row.id,
                name=row.name,
                scopes=tuple(row.scopes),
                created_at=row.created_at,
                expires_at=row.expires_at,
                last_used_at=row.last_used_at,
                revoked_at=row.revoked_at,
            )
            for row in found
        ]


async def revoke(engine: AsyncEngine, owner: UUID, number: UUID, now: datetime) -> bool:
    """End a token; False if this person has none such."""
    async with engine.begin() as connection:
        found = await connection.execute(
            sa.update(token)
            .where(token.c.id == number, token.c.account == owner)
            .values(revoked_at=sa.func.coalesce(token.c.revoked_at, now))
            .returning(token.c.id)
        )
        return found.first() is not None


async def revoke_named(connection: AsyncConnection, named: str, now: datetime) -> UUID | None:
    """
    End the token that *named* is, by its secret or as ``tok_`` and its number.

    Returns:
        Its number; None if there is none such.
    """
    own = token.c.hash == _digest(named)
    if named.startswith("tok_"):
        try:
            own = token.c.id == UUID(hex=named[4:])
        except ValueError:
            return None
    found = await connection.execute(
        sa.update(token)
        .where(own)
        .values(revoked_at=sa.func.coalesce(token.c.revoked_at, now))
        .returning(token.c.id)
    )
    row = found.first()
    return None if row is None else UUID(str(row.id))


async def names(engine: AsyncEngine, numbers: list[UUID]) -> dict[str, str]:
    """Return what to call these players; who was erased has :data:`ERASED` for a name."""
    if not numbers:
        return {}
    async with engine.connect() as connection:
        found = await connection.execute(
            sa.select(account.c.id, sa.func.coalesce(account.c.name, ERASED).label("name")).where(
                account.c.id.in_(numbers)
            )
        )
        return {f"plr_{row.id.hex}": row.name for row in found}


def _matches(hashed: str, password: str) -> bool:
    try:
        return _hasher.verify(hashed, password)
    except (VerifyMismatchError, InvalidHashError):
        return False


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _base62(number: int, digits: int) -> str:
    found = []
    for _ in range(digits):
        number, digit = divmod(number, len(_ALPHABET))
        found.append(_ALPHABET[digit])
    return "".join(reversed(found))
