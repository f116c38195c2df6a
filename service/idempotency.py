"""
Requests that were seen before, and commands that were refused.

What appends to the log needs no record: the log itself knows the command.  The
rest leaves its digest here, in the transaction of its effect.
"""

import asyncio
import hashlib
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import asyncpg
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from service.errors import IdempotencyKeyReused
from service.relations import idempotency


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


class Refusal(NamedTuple):
    """A game command that was refused, so that "I acted in time" can be settled."""

    received_at: datetime
    league: UUID
    account: UUID
    stream: str
    command: UUID
    code: str


_KEEP = """
    INSERT INTO refused_command (received_at, league, account, stream, command, code)
    SELECT * FROM unnest($1::timestamptz[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[],
                         $6::text[])
"""
_GROUP_MAX = 500


class Refusals:
    """
    Keeps refusals in groups: a group is what was refused while the last one was kept.

    Args:
        pool: Of a role that may write ``refused_command``.
    """

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self._waiting: list[tuple[Refusal, asyncio.Future[None]]] = []
        self._keeper: asyncio.Task[None] | None = None

    async def keep(self, refusal: Refusal) -> None:
        """Return once *refusal* is kept; raises what the database says if it is not."""
        kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((refusal, kept))
        if self._keeper is None or self._keeper.done():
            self._keeper = asyncio.create_task(self._keep_waiting(), name="refusals")
        await kept

    async def aclose(self) -> None:
        """Finish what is under way."""
        if self._keeper is not None:
            await asyncio.gather(self._keeper, return_exceptions=True)

    async def _keep_waiting(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting[:_GROUP_MAX], self._waiting[_GROUP_MAX:]
            columns = zip(*(refusal for refusal, _ in group), strict=True)
            try:
                async with self._pool.acquire() as connection:
                    await connection.execute(_KEEP, *(list(column) for column in columns))
            except Exception as error:  # noqa: BLE001
                # One task writes for everybody who waits; whatever it met is raised in
                # each of them, and the next group is still tried.
                for _, kept in group:
                    if not kept.done():
                        kept.set_exception(error)
            else:
                for _, kept in group:
                    if not kept.done():
                        kept.set_result(None)
