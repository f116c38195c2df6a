"""
Requests that were seen before, and commands that were refused.

What appends to the log needs no record: the log itself knows the command.  The
rest leaves its digest here, in the transaction of its effect.
"""

import hashlib
from datetime import datetime
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.errors import IdempotencyKeyReused
from service.relations import idempotency, refused_command


async def seen(connection: AsyncConnection, command: UUID, request: bytes, now: datetime) -> bool:
    """
    Record a request; return whether it was recorded before.

    Raises:
        IdempotencyKeyReused: If another request came under the same key.
    """
    digest = hashlib.sha256(request).digest()
    made = await connection.execute(
        insert(idempotency)
        .values(command=command, digest=digest, created_at=now)
        .on_conflict_do_nothing()
        .returning(idempotency.c.command)
    )
    if made.first() is not None:
        return False
    known = await connection.scalar(
        sa.select(idempotency.c.digest).where(idempotency.c.command == command)
    )
    if known != digest:
        raise IdempotencyKeyReused("this key was used for another request")
    return True


async def keep_refusal(
    engine: AsyncEngine,
    *,
    received_at: datetime,
    league: UUID,
    account: UUID,
    stream: str,
    command: UUID,
    code: str,
) -> None:
    """Record that a game command was refused, so that "I acted in time" can be settled."""
    async with engine.begin() as connection:
        await connection.execute(
            sa.insert(refused_command).values(
                received_at=received_at,
                league=league,
                account=account,
                stream=stream,
                command=command,
                code=code,
            )
        )
