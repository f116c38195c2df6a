"""
E-mail addresses of accounts. They are optional, and used only after they were confirmed.

A new address waits beside the confirmed one until its code comes back. So a typing error takes away
no way to reset a password, and nobody gets mail because another person has named them.
"""

import hashlib
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.drivers import Driver
from service.people.schema import account_email, password_reset
from service.people.sealed_addresses import AddressKeys

CODE_HOURS: Final = timedelta(hours=24)
"""The time in which an address can be confirmed."""

SECRET_BYTES: Final = 24
RELATION: Final = "account_email"

_KEEP_CODE = """
    UPDATE account_email SET code = $2, code_until = $3
     WHERE account = $1 AND wanted IS NOT NULL AND code_until > $4
    RETURNING wanted
"""


class Email(NamedTuple):
    """The addresses of an account."""

    address: str | None
    """The confirmed address."""

    verified_at: datetime | None
    wanted: str | None
    """The address that waits for its code."""

    code_until: datetime | None


class Verified(NamedTuple):
    """A confirmation."""

    former: str | None
    """The confirmed address that was replaced, or None if there was no other one."""


async def email_of(connection: AsyncConnection, keys: AddressKeys, person: UUID) -> Email:
    """Return the addresses of an account."""
    found = await connection.execute(
        sa.select(account_email).where(account_email.c.account == person)
    )
    row = found.mappings().first()
    if row is None:
        return Email(None, None, None, None)

    def text(box: bytes | None) -> str | None:
        return None if box is None else keys.opened(RELATION, person, box)

    return Email(text(row["address"]), row["verified_at"], text(row["wanted"]), row["code_until"])


async def want(
    connection: AsyncConnection, keys: AddressKeys, person: UUID, address: str, now: datetime
) -> None:
    """Store the address that an account wants. An earlier wanted address ends, with its code."""
    values = {
        "wanted": keys.close(RELATION, person, address),
        "code": None,
        "code_until": now + CODE_HOURS,
    }
    await connection.execute(
        insert(account_email)
        .values(account=person, **values)
        .on_conflict_do_update(index_elements=["account"], set_=values)
    )


async def remove(connection: AsyncConnection, keys: AddressKeys, person: UUID) -> str | None:
    """
    Forget the addresses of an account, and the reset code that was mailed to the confirmed one.

    Returns:
      The confirmed address, or None without one.
    """
    box: bytes | None = await connection.scalar(
        sa.delete(account_email)
        .where(account_email.c.account == person)
        .returning(account_email.c.address)
    )
    await _end_mailed(connection, person)
    return None if box is None else keys.opened(RELATION, person, box)


async def stop_waiting(connection: AsyncConnection, person: UUID) -> None:
    """Forget the address that waits for its code. The confirmed one stays."""
    await connection.execute(
        sa.update(account_email)
        .where(account_email.c.account == person)
        .values(wanted=None, code=None, code_until=None)
    )


async def verify(
    connection: AsyncConnection, keys: AddressKeys, person: UUID, code: str, now: datetime
) -> Verified | None:
    """
    Confirm the wanted address by its code. A reset code that was mailed to another address ends.

    Returns:
      None if the code is not valid.
    """
    found = await connection.execute(
        sa.select(account_email.c.wanted, account_email.c.address)
        .where(
            account_email.c.account == person,
            account_email.c.code == _digest(code),
            account_email.c.code_until > now,
        )
        .with_for_update()
    )
    row = found.first()
    if row is None:
        return None
    address = keys.opened(RELATION, person, row.wanted)
    await connection.execute(
        sa.update(account_email)
        .where(account_email.c.account == person)
        .values(
            address=row.wanted,
            digest=keys.digests(address)[0],
            verified_at=now,
            wanted=None,
            code=None,
            code_until=None,
        )
    )
    former = None if row.address is None else keys.opened(RELATION, person, row.address)
    if former is None or former == address:
        return Verified(None)
    await _end_mailed(connection, person)
    return Verified(former)


async def _end_mailed(connection: AsyncConnection, person: UUID) -> None:
    """End the reset code that was mailed. The row of the addresses must be locked or gone."""
    await connection.execute(
        sa.delete(password_reset).where(
            password_reset.c.account == person, password_reset.c.origin == "mail"
        )
    )


async def keep_code(
    connection: Driver, keys: AddressKeys, person: UUID, code: str, now: datetime
) -> str | None:
    """Store the hash of a new code and return the wanted address, or None if none waits."""
    wanted = await connection.fetchval(_KEEP_CODE, person, _digest(code), now + CODE_HOURS, now)
    return None if wanted is None else keys.opened(RELATION, person, wanted)


async def address_of(connection: Driver, keys: AddressKeys, person: UUID) -> str | None:
    """Return the confirmed address of an account, or None."""
    box = await connection.fetchval("SELECT address FROM account_email WHERE account = $1", person)
    return None if box is None else keys.opened(RELATION, person, box)


def _digest(code: str) -> bytes:
    return hashlib.sha256(code.encode()).digest()
