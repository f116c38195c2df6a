"""The sign-in log that a person can read: the kind, time and address of each sign-in."""

from datetime import datetime, timedelta
from typing import Literal, NamedTuple
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from service.people.schema import sign_in

Kind = Literal[
    "signed_up",
    "claimed",
    "password",
    "operator",
    "password_changed",
    "password_reset",
    "signed_out",
]
"""
A root token by sign-up, claim code, password or the operator, or the reason that tokens ended.
"""

KEPT_FOR = timedelta(days=90)


class SignIn(NamedTuple):
    """One entry."""

    id: int
    at: datetime
    kind: Kind
    address: str | None
    token: UUID | None


async def add(
    connection: AsyncConnection,
    person: UUID,
    kind: Kind,
    now: datetime,
    *,
    address: str | None = None,
    token: UUID | None = None,
) -> None:
    """Add an entry, in the transaction of the action it records."""
    await connection.execute(
        insert(sign_in).values(account=person, at=now, kind=kind, address=address, token=token)
    )


async def sign_ins_of(connection: AsyncConnection, person: UUID) -> list[SignIn]:
    """Return a person's entries, newest first."""
    columns = sign_in.c.id, sign_in.c.at, sign_in.c.kind, sign_in.c.address, sign_in.c.token
    found = await connection.execute(
        sa.select(*columns).where(sign_in.c.account == person).order_by(sign_in.c.id.desc())
    )
    return [SignIn(*row) for row in found]
