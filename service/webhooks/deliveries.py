"""The log of deliveries, as an owner reads it and repeats deliveries from it."""

from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from service.webhooks.schema import attempt, delivery

KEPT_FOR: Final = timedelta(days=30)
"""The time after which a delivery is deleted with its attempts."""

TRIALS_MAX: Final = 10
"""Trial messages of one webhook that wait for their first or next attempt."""

State = Literal["waiting", "delivered", "failed"]
"""The state of a delivery. ``waiting`` will be attempted, for the first time or again."""


class Delivery(NamedTuple):
    """A message to one webhook."""

    id: UUID
    number: int
    """The place in the list. A later event has a higher number."""

    webhook: UUID
    event: UUID
    kind: str
    body: str
    state: State
    attempts: int
    next_at: datetime | None
    created_at: datetime


class Attempt(NamedTuple):
    """One attempt to deliver a message."""

    at: datetime
    millis: int
    status: int | None
    error: str | None


async def add(
    connection: AsyncConnection, number: UUID, webhook: UUID, kind: str, body: str, now: datetime
) -> None:
    """Store a delivery that is due now and belongs to no event.

    Its own number replaces the event's.
    """
    await connection.execute(
        insert(delivery).values(
            id=number,
            webhook=webhook,
            event=number,
            kind=kind,
            body=body,
            state="waiting",
            attempts=0,
            next_at=now,
            created_at=now,
        )
    )


async def waiting(connection: AsyncConnection, webhook: UUID, kind: str) -> int:
    """Return the number of deliveries of *kind* to a webhook that still wait."""
    held = await connection.scalar(
        sa.select(sa.func.count())
        .select_from(delivery)
        .where(
            delivery.c.webhook == webhook, delivery.c.kind == kind, delivery.c.state == "waiting"
        )
    )
    return int(held or 0)


async def deliveries_of(
    connection: AsyncConnection, webhook: UUID, limit: int, before: int | None
) -> list[Delivery]:
    """Return deliveries to a webhook, the newest first, from below the number *before*."""
    asked = (
        sa.select(delivery)
        .where(delivery.c.webhook == webhook)
        .order_by(delivery.c.number.desc())
        .limit(limit)
    )
    if before is not None:
        asked = asked.where(delivery.c.number < before)
    return [Delivery(**row) for row in (await connection.execute(asked)).mappings()]


async def delivery_of(connection: AsyncConnection, number: UUID) -> Delivery | None:
    """Return a delivery, or None if it no longer exists."""
    found = await connection.execute(sa.select(delivery).where(delivery.c.id == number))
    row = found.mappings().first()
    return None if row is None else Delivery(**row)


async def attempts_of(connection: AsyncConnection, number: UUID) -> list[Attempt]:
    """Return the attempts of a delivery, the first one first."""
    found = await connection.execute(
        sa.select(attempt.c.at, attempt.c.millis, attempt.c.status, attempt.c.error)
        .where(attempt.c.delivery == number)
        .order_by(attempt.c.id)
    )
    return [Attempt(*row) for row in found]


async def repeat(connection: AsyncConnection, number: UUID, now: datetime) -> None:
    """Have a delivery attempted now, whatever its state, with the whole series of retries."""
    await connection.execute(
        sa.update(delivery)
        .where(delivery.c.id == number)
        .values(state="waiting", attempts=0, next_at=now)
    )


async def give_up(connection: AsyncConnection, webhook: UUID) -> None:
    """End all waiting deliveries to a webhook."""
    await connection.execute(
        sa.update(delivery)
        .where(delivery.c.webhook == webhook, delivery.c.state == "waiting")
        .values(state="failed", next_at=None)
    )
