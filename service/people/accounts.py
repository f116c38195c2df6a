"""People: their logins, their names, and their passwords as argon2id."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.base.pools import HASHING
from service.people.schema import account

ERASED = "erased player"
"""What everybody is called of whom nothing is left but a number."""

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


async def create(
    connection: AsyncConnection,
    number: UUID,
    login: str,
    name: str,
    kept: str | None,
    now: datetime,
) -> bool:
    """
    Keep a new person; False if the login is taken.

    Args:
        kept: What :func:`hashed` returned, before a connection was taken: many who wait
            for it must not hold connections meanwhile.  None for an account that only
            the operator makes tokens for.
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


async def number_of_login(connection: AsyncConnection, login: str) -> UUID | None:
    """Return whose login this is; None if it is nobody's."""
    found: UUID | None = await connection.scalar(
        sa.select(account.c.id).where(account.c.login == login.lower())
    )
    return found


async def change_password(
    connection: AsyncConnection, number: UUID, kept: str | None, now: datetime
) -> None:
    """Keep another password, hashed; ending the tokens of the old one is the caller's."""
    await connection.execute(
        sa.update(account)
        .where(account.c.id == number, account.c.login.is_not(None))
        .values(password=kept, password_set_at=now)
    )


async def changed_since(connection: AsyncConnection, number: UUID, instant: datetime) -> bool:
    """Return whether a person's password was changed after *instant*."""
    changed = await connection.scalar(
        sa.select(account.c.password_set_at).where(account.c.id == number)
    )
    return changed is not None and changed > instant


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
