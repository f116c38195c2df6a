"""
Push subscriptions: the browsers that show a person's messages.

A subscription is an address at the service of the browser's maker, and two keys. All three are
sealed, because anybody who knows them could write to the person.
"""

from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.drivers import Driver
from service.people.schema import push_subscription, token
from service.people.sealed_addresses import AddressKeys

RELATION: Final = "push_subscription"
FAILURES_MAX: Final = 20
"""A subscription is removed after this many failures in a row."""

SIGNED_IN: Final = """
    (push_subscription.token IS NULL OR EXISTS (
        SELECT FROM token WHERE token.id = push_subscription.token
           AND token.revoked_at IS NULL AND token.expires_at > $2))
"""
"""The condition that the session that made a subscription has not ended at the instant ``$2``."""

_TARGET = f"SELECT target FROM push_subscription WHERE id = $1 AND {SIGNED_IN}"  # noqa: S608
_WELL = "UPDATE push_subscription SET failures = 0 WHERE id = $1 AND failures > 0"
_ILL = "UPDATE push_subscription SET failures = failures + 1 WHERE id = $1 RETURNING failures"
_REMOVE = "DELETE FROM push_subscription WHERE id = $1"


class Target(msgspec.Struct, frozen=True):
    """The address of a browser, with the keys for which messages are encrypted."""

    endpoint: str
    p256dh: str
    """The browser's public key on the curve P-256, in base64url."""

    auth: str
    """The secret that both sides know, in base64url."""


class Browser(NamedTuple):
    """A subscription without its secrets."""

    id: UUID
    host: str
    created_at: datetime


async def held(connection: AsyncConnection, person: UUID, now: datetime) -> list[Browser]:
    """Return a person's subscriptions whose sessions have not ended at *now*, the oldest first."""
    columns = push_subscription.c.id, push_subscription.c.host, push_subscription.c.created_at
    maker = push_subscription.c.token
    signed_in = sa.exists().where(
        token.c.id == maker, token.c.revoked_at.is_(None), token.c.expires_at > now
    )
    found = await connection.execute(
        sa.select(*columns)
        .where(push_subscription.c.account == person, sa.or_(maker.is_(None), signed_in))
        .order_by(push_subscription.c.created_at, push_subscription.c.id)
    )
    return [Browser(*row) for row in found]


async def forget(connection: AsyncConnection, keys: AddressKeys, endpoint: str) -> None:
    """Remove the subscription with this address, for any owner."""
    await connection.execute(
        sa.delete(push_subscription).where(push_subscription.c.digest.in_(keys.digests(endpoint)))
    )


async def add(
    connection: AsyncConnection,
    keys: AddressKeys,
    person: UUID,
    made: Browser,
    target: Target,
    maker: UUID | None = None,
) -> bool:
    """
    Store a subscription. Return False if there is one with this address.

    Args:
      maker: The token that makes it. The subscription ends with that token, so that a person who
          signs out of a shared phone leaves no messages behind.
    """
    text = msgspec.json.encode(target).decode()
    added = await connection.execute(
        insert(push_subscription)
        .values(
            id=made.id,
            account=person,
            host=made.host,
            target=keys.close(RELATION, made.id, text),
            digest=keys.digests(target.endpoint)[0],
            failures=0,
            created_at=made.created_at,
            token=maker,
        )
        .on_conflict_do_nothing(index_elements=["digest"])
        .returning(push_subscription.c.id)
    )
    return added.first() is not None


async def remove(connection: AsyncConnection, person: UUID, number: UUID) -> bool:
    """Remove a subscription of *person*. Return False if there is none."""
    gone = await connection.execute(
        sa.delete(push_subscription)
        .where(push_subscription.c.id == number, push_subscription.c.account == person)
        .returning(push_subscription.c.id)
    )
    return gone.first() is not None


async def target_of(
    connection: Driver, keys: AddressKeys, number: UUID, now: datetime
) -> Target | None:
    """Return the address and keys of a browser, or None if the subscription has ended."""
    box = await connection.fetchval(_TARGET, number, now)
    if box is None:
        return None
    return msgspec.json.decode(keys.opened(RELATION, number, box), type=Target)


def endpoint_in(keys: AddressKeys, number: UUID, box: bytes) -> str:
    """Return the address in the box of a subscription."""
    return msgspec.json.decode(keys.opened(RELATION, number, box), type=Target).endpoint


async def succeeded(connection: Driver, number: UUID) -> None:
    """Forget the failures of a subscription."""
    await connection.execute(_WELL, number)


async def failed(connection: Driver, number: UUID, *, gone: bool) -> None:
    """Count a failure. Remove the subscription if it is *gone*, or has failed too often."""
    failures = await connection.fetchval(_ILL, number)
    if gone or (failures is not None and failures >= FAILURES_MAX):
        await connection.execute(_REMOVE, number)
