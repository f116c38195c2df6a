"""Accounts: logins, names, and passwords as argon2id."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from engine.kit.house_bots import house_name
from engine.values import number_of
from service.base.pools import HASHING
from service.people.schema import account

ERASED = "erased player"
"""The name shown for an erased player."""


_VERIFIER = PasswordHasher()
NOBODY = "$argon2id$v=19$m={},t=2,p=1$" + 22 * "A" + "$" + 43 * "A"
"""A hash that no known password has."""


@dataclass(frozen=True, slots=True)
class Account:
    """A person's account. ``name`` is the name that others see."""

    number: UUID
    login: str
    name: str
    has_password: bool
    """False for an account that an operator made, until its person sets one."""

    @property
    def player(self) -> str:
        """The person's identifier in the log, which holds no other name."""
        return f"plr_{self.number.hex}"


@dataclass(frozen=True, slots=True)
class Proven:
    """An account whose password was given."""

    account: Account
    kept: str = field(repr=False)
    """The hash that the password matched. Every new password has another hash."""


async def create(
    connection: AsyncConnection,
    number: UUID,
    login: str,
    name: str,
    kept: str | None,
    now: datetime,
    *,
    founds_leagues: bool = False,
) -> bool:
    """
    Make an account. Return False if the login is taken.

    Args:
      founds_leagues: True for the operator's permission to found leagues.
      kept: The hash that :func:`hashed` returned. Hash before taking a connection: callers
        that wait for hashing must not hold connections. None for an account for which only
        the operator makes tokens.
    """
    made = await connection.execute(
        insert(account)
        .values(
            id=number,
            login=login.lower(),
            name=name,
            password=kept,
            created_at=now,
            founds_leagues=founds_leagues,
        )
        .on_conflict_do_nothing()
        .returning(account.c.id)
    )
    return made.first() is not None


async def hashed(password: str, memory_kib: int, client: str | None = None) -> str:
    """
    Return the hash of *password*. Hashing is slow, so it runs in its own threads.

    Args:
      memory_kib: As :attr:`Settings.password_memory_kib` says.
      client: The address of the request.

    Raises:
      Overloaded: If too much hashing is waiting, in total or for this client.
    """
    hasher = PasswordHasher(time_cost=2, memory_cost=memory_kib, parallelism=1)
    return await HASHING.run(client, hasher.hash, password)


async def number_of_login(connection: AsyncConnection, login: str) -> UUID | None:
    """Return the account with this login, or None if no account has it."""
    found: UUID | None = await connection.scalar(
        sa.select(account.c.id).where(account.c.login == login.lower())
    )
    return found


async def change_password(
    connection: AsyncConnection, number: UUID, kept: str | None, now: datetime
) -> None:
    """Store another hashed password. The caller must end the tokens of the old one."""
    await connection.execute(
        sa.update(account)
        .where(account.c.id == number, account.c.login.is_not(None))
        .values(password=kept, password_set_at=now)
    )


async def set_first_password(
    connection: AsyncConnection, number: UUID, kept: str, now: datetime
) -> bool:
    """Store a hashed password. Return False if the account has one already, or is erased."""
    made = await connection.execute(
        sa.update(account)
        .where(account.c.id == number, account.c.login.is_not(None), account.c.password.is_(None))
        .values(password=kept, password_set_at=now)
        .returning(account.c.id)
    )
    return made.first() is not None


async def password_kept(connection: AsyncConnection, number: UUID) -> str | None:
    """Return the hash of a person's password, or None without one."""
    found: str | None = await connection.scalar(
        sa.select(account.c.password).where(account.c.id == number)
    )
    return found


async def suspended(connection: AsyncConnection, number: UUID) -> bool:
    """Return whether an operator has suspended an account."""
    at = await connection.scalar(sa.select(account.c.suspended_at).where(account.c.id == number))
    return at is not None


async def any_suspended(connection: AsyncConnection, players: Iterable[str]) -> bool:
    """Return whether an operator has suspended one of these players."""
    numbers = [number_of(each) for each in players]
    found = sa.select(account.c.id).where(
        account.c.id == sa.any_(sa.literal(numbers, ARRAY(sa.Uuid))),
        account.c.suspended_at.is_not(None),
    )
    return await connection.scalar(found.limit(1)) is not None


async def erased(connection: AsyncConnection, players: Iterable[str]) -> tuple[str, ...]:
    """
    Return those of these players who were erased.

    Owners are not erased any more. Earlier versions did it, and the log still names them as owners.
    """
    found = await standing(connection, [number_of(each) for each in players])
    return tuple(player for player, its in found.items() if its == "erased")


async def name_of(connection: AsyncConnection, number: UUID) -> str:
    """Return the name that others see. The account must exist."""
    found = await connection.execute(sa.select(account.c.name).where(account.c.id == number))
    return str(found.scalar_one())


async def by_password(
    engine: AsyncEngine, login: str, password: str, memory_kib: int, client: str | None = None
) -> Proven | None:
    """
    Return the account with this login and password. An unknown login takes as long as a known one.

    Args:
      memory_kib: What hashing takes for an unknown login.
      client: The address of the request.

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
    kept = None if row is None else row.password
    matches = await HASHING.run(client, _matches, kept or NOBODY.format(memory_kib), password)
    if row is None or kept is None or not matches:
        return None
    return Proven(Account(row.id, row.login, row.name, has_password=True), kept)


async def names(engine: AsyncEngine, numbers: list[UUID]) -> dict[str, str]:
    """Return the names of these players. It takes a connection only if one is needed."""
    found = _house_names(numbers)
    if len(found) == len(set(numbers)):
        return found
    async with engine.connect() as connection:
        return await names_on(connection, numbers)


async def names_on(connection: AsyncConnection, numbers: list[UUID]) -> dict[str, str]:
    """
    Return the names of these players. An erased player is called :data:`ERASED`.

    The house and its bots have no account. Their names follow from their identifiers.
    """
    found = _house_names(numbers)
    people = [number for number in numbers if f"plr_{number.hex}" not in found]
    if not people:
        return found
    rows = await connection.execute(
        sa.select(account.c.id, sa.func.coalesce(account.c.name, ERASED).label("name")).where(
            account.c.id == sa.any_(sa.literal(people, ARRAY(sa.Uuid)))
        )
    )
    return found | {f"plr_{row.id.hex}": row.name for row in rows}


def _house_names(numbers: list[UUID]) -> dict[str, str]:
    players = [f"plr_{each.hex}" for each in numbers]
    return {each: name for each in players if (name := house_name(each)) is not None}


async def names_in_order(engine: AsyncEngine, players: Sequence[str]) -> list[str | None]:
    """Return the name of each player, or None for one without an account."""
    found = await names(engine, [number_of(each) for each in players])
    return [found.get(each) for each in players]


Standing = Literal["login", "none", "erased"]
"""The state of an account: somebody can sign in, nobody can yet, or it was erased."""


async def standing(connection: AsyncConnection, numbers: Sequence[UUID]) -> dict[str, Standing]:
    """Return the standing of each account by player. Unknown accounts are missing."""
    found = await connection.execute(
        sa.select(account.c.id, account.c.login, account.c.name).where(account.c.id.in_(numbers))
    )
    return {f"plr_{row.id.hex}": _standing(row.login, row.name) for row in found}


def _standing(login: str | None, name: str | None) -> Standing:
    if login is not None:
        return "login"
    return "erased" if name is None else "none"


def _matches(hashed: str, password: str) -> bool:
    try:
        return _VERIFIER.verify(hashed, password)  # as costly as the hash itself says
    except (VerifyMismatchError, InvalidHashError):
        return False
