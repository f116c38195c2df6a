"""Mails about an account: the code of a new address, the end of an old one, and a reset code."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.documents import Document
from service.notices import letters, resets
from service.people.emails import CODE_HOURS
from service.people.schema import notice, reset_request
from service.people.sealed_addresses import AddressKeys

_FORMER_FOR: Final = timedelta(days=2)
"""The time in which a former address may still get its mail."""


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
            kind=letters.VERIFY,
            ends_at=now + CODE_HOURS,
            **_waiting(person, occasion, language, now),
        )
    )


async def mail_former(
    connection: AsyncConnection,
    keys: AddressKeys,
    person: UUID,
    occasion: UUID,
    former: str,
    language: str,
    now: datetime,
) -> None:
    """Have a mail sent to an address that was the confirmed one of an account until now."""
    await connection.execute(
        insert(notice).values(
            kind=letters.FORMER,
            ends_at=now + _FORMER_FOR,
            recipient=keys.close(letters.FORMER, occasion, former),
            **_waiting(person, occasion, language, now),
        )
    )


def _waiting(person: UUID, occasion: UUID, language: str, now: datetime) -> Document:
    """Return the values of a mail that is due now."""
    return {
        "id": occasion,
        "account": person,
        "channel": "mail",
        "occasion": occasion,
        "facts": {"language": language},
        "state": "waiting",
        "attempts": 0,
        "next_at": now,
        "created_at": now,
    }


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
