"""Several projectors share the leagues: each event is applied once, and none waits for another."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from service.base.settings import environment
from service.director.runtime import Runtime
from service.projections.following.runner import Runner
from service.projections.models.all import ALL
from service.projections.reads.progress import Positions, positions, wait_for
from service.projections.rebuilding.comparing import compare
from tests.service.director.test_directing import announced
from tests.support.databases import TestDatabase
from tests.support.projecting import lag
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

SECONDS = 60.0
STUCK = """
    SELECT count(*) FROM pg_stat_activity
     WHERE usename = 'holotable_project' AND wait_event_type = 'Lock'
       AND datname = current_database()
"""


@contextmanager
def superuser(database: TestDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
        yield connection


@contextmanager
def moves(engine: AsyncEngine) -> Iterator[list[int]]:
    """Collect how many checkpoints each statement has moved: one, or none if it was in vain."""
    seen: list[int] = []

    def note(_connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("UPDATE reads.checkpoint"):
            seen.append(cursor.rowcount)

    sa.event.listen(engine.sync_engine, "after_cursor_execute", note)
    yield seen
    sa.event.remove(engine.sync_engine, "after_cursor_execute", note)


async def news(runtime: Runtime, projecting: AsyncEngine, number: int) -> list[str]:
    """Make leagues whose projections have begun and have something new to apply."""
    leagues = [(await announced(runtime, 0))[0] for _ in range(number)]
    await Runner(projecting).catch_up()
    for league in leagues:
        await announced(runtime, 4, league_id=league)
    return leagues


async def test_two_projectors_share_what_is_new_and_do_nothing_in_vain(
    database: TestDatabase, runtime: Runtime, projecting: AsyncEngine
) -> None:
    await news(runtime, projecting, 4)
    async with projecting.connect() as connection:
        due = sum(each.behind for each in await lag(connection))

    with moves(projecting) as moved:
        done = await asyncio.gather(*(Runner(projecting, chunk=2).catch_up() for _ in range(2)))

    assert sum(done) == due
    assert min(done) > due // 5
    assert set(moved) == {1}
    assert await compare(database.settings("holotable_project"), "all") == []


async def test_the_server_ends_a_step_that_hangs_and_frees_its_place(
    runtime: Runtime, projecting: AsyncEngine
) -> None:
    await announced(runtime, 0)
    asked, limits = "SHOW idle_in_transaction_session_timeout", set[str]()

    def note(connection: sa.Connection, _cursor: Any, statement: str, *_: Any) -> None:
        if "SKIP LOCKED" in statement:
            limits.add(connection.exec_driver_sql(asked).scalar_one())

    sa.event.listen(projecting.sync_engine, "after_cursor_execute", note)
    await Runner(projecting).catch_up()
    sa.event.remove(projecting.sync_engine, "after_cursor_execute", note)
    assert limits == {"30s"}
    async with projecting.connect() as connection:
        assert (await connection.exec_driver_sql(asked)).scalar_one() == "0"


@contextmanager
def projector(database: TestDatabase) -> Iterator[subprocess.Popen[bytes]]:
    """Run the process that projects, and kill it at the end of the block if it still lives."""
    process = subprocess.Popen(
        [sys.executable, "-m", "service.cli.main", "project"],
        env=environment(database.settings("holotable_project")),
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(20)


async def test_a_killed_projector_hands_over_what_it_had_taken(
    database: TestDatabase, runtime: Runtime, projecting: AsyncEngine
) -> None:
    [league] = await news(runtime, projecting, 1)
    reached = positions(projecting)
    with ExitStack() as stack:
        watching, holding = [stack.enter_context(superuser(database)) for _ in range(2)]

        async def stuck() -> bool:
            row = watching.execute(STUCK).fetchone()
            return row is not None and row[0] == 1

        with holding.transaction():
            holding.execute("LOCK TABLE reads.tournament IN SHARE MODE")
            first = stack.enter_context(projector(database))
            await until_awaited(stuck)  # it has taken the tournaments of the league
            second = stack.enter_context(projector(database))
            for each in ALL:
                done = await applied(reached, projecting, each.name, league)
                assert done is (each.name != "tournaments"), each.name
            first.kill()
        assert await applied(reached, projecting, "all", league)
        second.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(second.wait, 20) == 0
    assert await compare(database.settings("holotable_project"), "all") == []


async def applied(reached: Positions, engine: AsyncEngine, name: str, league: str) -> bool:
    """Wait until a projection has applied all of a league, if nothing keeps it from doing so."""
    async with engine.connect() as connection:
        head = next(each.head for each in await lag(connection) if each.league == league)
    return await wait_for(reached, name, league, head, 0 if name == "tournaments" else SECONDS)
