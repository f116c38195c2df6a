"""
Reset codes by mail, for people who have confirmed an address.

The API stores every request in the same way and looks nobody up. So its answer takes the same time
whether there is such an account or not. The worker finds the account.
"""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from service.base.drivers import Driver
from service.base.errors import EventUnreadable
from service.base.uuids import uuid5
from service.notices import outbox
from service.people.resetting import GOOD_FOR
from service.people.sealed_addresses import AddressKeys

RELATION: Final = "reset_request"
KIND: Final = "reset_password"

_AN_HOUR: Final = 3
"""Reset codes that are mailed to one account within an hour."""

_AT_ADDRESS_MAX: Final = 5
"""Accounts with the same address that one request reaches."""

_TAKE = """
    DELETE FROM reset_request
     WHERE id IN (SELECT id FROM reset_request ORDER BY asked_at LIMIT 100)
    RETURNING id, asked, language, asked_at
"""
_BY_LOGIN = """
    SELECT account.id FROM account JOIN account_email ON account_email.account = account.id
     WHERE login = $1 AND address IS NOT NULL
"""
_BY_ADDRESS = """
    SELECT account.id FROM account JOIN account_email ON account_email.account = account.id
     WHERE digest = ANY ($1) AND login IS NOT NULL ORDER BY account.id LIMIT $2
"""
_LATELY = "SELECT count(*) FROM notice WHERE account = $1 AND kind = $2 AND created_at > $3"


async def answer_requests(connection: Driver, keys: AddressKeys, now: datetime) -> None:
    """Make a notice for each account that a waiting request names. Call it in a transaction."""
    for row in await connection.fetch(_TAKE):
        if row["asked_at"] + GOOD_FOR < now:
            continue
        try:
            asked = keys.opened(RELATION, row["id"], row["asked"])
        except EventUnreadable:  # the settings' key has changed since; the person has to ask again
            continue
        for person in await _accounts(connection, keys, asked):
            held = await connection.fetchval(_LATELY, person, KIND, now - timedelta(hours=1))
            if held < _AN_HOUR:
                made = outbox.New(
                    id=uuid5(row["id"], person.hex),
                    account=person,
                    channel="mail",
                    target=None,
                    kind=KIND,
                    occasion=row["id"],
                    league=None,
                    facts={"language": row["language"]},
                    ends_at=now + GOOD_FOR,
                )
                await outbox.add(connection, made, now)


async def _accounts(connection: Driver, keys: AddressKeys, asked: str) -> list[UUID]:
    """Return the account with this login, and those with this confirmed address."""
    found = await connection.fetch(_BY_LOGIN, asked.lower())
    if "@" in asked:
        found += await connection.fetch(_BY_ADDRESS, keys.digests(asked), _AT_ADDRESS_MAX)
    return [row["id"] for row in found]
