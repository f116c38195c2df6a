"""Mails that people ask for: the code of a new address, and a reset code."""

from datetime import datetime
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from service.notices import letters, resets
from service.people.emails import CODE_HOURS
from service.people.schema import notice, reset_request
from service.people.sealed_addresses import AddressKeys


async def mail_code(
    connection: AsyncConnection, person: UUID, occasion: UUID, language: str, now: datetime
) -> None:
    """Have a code mailed to the wanted address of an account. An earlier mail is not sent."""
    own = notice.c.account == person, notice.c.kind == letters.VERIFY
    await connection.execute(
        sa.update(notice)
        .where(*own, notice.c.state == "waiting")
        .values(state="dropped", next_at=None)
    )
    await connection.execute(
        insert(notice).values(
            id=occasion,
            account=person,
            channel="mail",
            kind=letters.VERIFY,
            occasion=occasion,
            facts={"language": language},
            state="waiting",
            attempts=0,
            next_at=now,
            ends_at=now + CODE_HOURS,
            created_at=now,
        )
    )


async def mail_reset(
    connection: AsyncConnection,
    keys: AddressKeys,
    number: UUID,
    asked: str,
    language: str,
    now: datetime,
) -> None:
    """Store a request for a reset code. A worker looks for the account that it names."""
    await connection.execute(
        insert(reset_request).values(
            id=number,
            asked=keys.close(resets.RELATION, number, asked),
            language=language,
            asked_at=now,
        )
    )
