"""Connections are used again, and dead ones are replaced before anybody gets one."""

import psycopg
import pytest
import sqlalchemy as sa

from service.base.database import async_engine, pool
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

WHO = "SELECT pg_backend_pid()"


def kill(database: TestDatabase, *processes: int) -> None:
    """End server processes, and return when they are gone."""
    with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
        for process in processes:
            assert connection.execute(
                "SELECT pg_terminate_backend(%s, 10000)", [process]
            ).fetchone() == (True,)


async def test_a_dead_connection_of_an_engine_is_replaced(database: TestDatabase) -> None:
    engine = async_engine(database.url(), 1)
    try:
        found = []
        for killed in (False, True, False):
            if killed:
                kill(database, found[-1])
            async with engine.connect() as connection:
                found.append((await connection.execute(sa.text(WHO))).scalar_one())
    finally:
        await engine.dispose()
    assert found[1] == found[2] != found[0]


async def test_a_transaction_that_failed_leaves_nothing_in_the_pool(database: TestDatabase) -> None:
    async with await pool(database.url(), 1) as lent:
        first, patience = await lent.fetchval(WHO), await lent.fetchval("SHOW lock_timeout")
        with pytest.raises(ZeroDivisionError):
            async with lent.acquire() as connection, connection.transaction():
                await connection.execute("SET LOCAL lock_timeout = '7s'")
                raise ZeroDivisionError
        assert await lent.fetchval("SHOW lock_timeout") == patience != "7s"
        assert await lent.fetchval(WHO) == first
