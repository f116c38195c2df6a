"""The pool of connections while the server ends them."""

from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from service.base.database import async_engine, is_away
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

_END = "SELECT pg_terminate_backend(%s, 20000)"
"""Returns when the session has ended."""


@pytest.mark.parametrize("ended", [1, 2])
async def test_a_dead_connection_is_replaced_once_and_then_the_server_is_away(
    database: TestDatabase, ended: int
) -> None:
    """Dead connections one after the other are an outage, and no defect."""
    engine = async_engine(database.url("holotable_api"))
    lent: list[int] = []

    def end(connection: Any, *_: object) -> None:
        lent.append(connection.driver_connection.get_server_pid())
        if len(lent) <= ended:
            with psycopg.connect(database.url("postgres")) as superuser:
                superuser.execute(_END, [lent[-1]])

    sa.event.listen(engine.sync_engine, "checkout", end, insert=True)
    try:
        if ended == 2:
            with pytest.raises(ConnectionError) as away:
                await engine.connect()
            assert is_away(away.value)
        async with engine.connect() as connection:  # and it is used again once it is back
            assert await connection.scalar(sa.text("SELECT 1")) == 1
    finally:
        await engine.dispose()
    assert len(lent) == ended + 1
