"""Locks that a test holds, so that requests wait at a place that the test has chosen."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from service.base.addresses import asyncpg_dsn
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

# pg_stat_activity would show the same rows again for as long as the transaction is open.
_WAITING = """
    SELECT count(*) FROM pg_locks
     WHERE NOT granted AND locktype IN ('relation', 'transactionid', 'tuple')
"""
FAMILY = "SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE"
"""Lets nobody else change the tokens of a person."""


@asynccontextmanager
async def holding(
    database: TestDatabase, statement: str, *values: Any
) -> AsyncIterator[Callable[[int], Awaitable[Any]]]:
    """
    Hold the locks of *statement* until the block ends.

    Yields a function that waits until at least so many sessions wait for a lock.
    """
    connection = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))

    async def waiting(count: int) -> None:
        async def reached() -> bool:
            return bool(await connection.fetchval(_WAITING) >= count)

        await until_awaited(reached)

    try:
        async with connection.transaction():
            await connection.execute(statement, *values)
            yield waiting
    finally:
        await connection.close()
