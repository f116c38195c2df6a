"""
Each occurrence has exactly one effect, even if workers, messages or clocks fail.

The tests use real workers, a real broker and a real database.
``docs/guides/operating-time.md`` tells what each kind of work does when it is late.
"""

from datetime import timedelta

import psycopg
import pytest

from engine.values import stream_of
from service.director.runtime import open_runtime
from tests.service.tasks.due_work import CHAOS, DueWork, broker, queued, workers
from tests.service.tasks.test_worker import audited
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

SOON = timedelta(seconds=2)
A_WHILE = 60
"""A limit in seconds. A test takes about ten seconds."""


async def test_several_tickers_and_dispatchers_do_everything_once(database: TestDatabase) -> None:
    with broker(database) as url, workers(database, 0, 0):
        async with open_runtime(database.settings("holotable_api")) as runtime:
            work = DueWork(runtime)
            due = runtime.clock.now() + SOON
            await work.arrange(due)
            await work.arrange(due)
            await work.recur(due + timedelta(minutes=90))
            work.expect(fixture_materialised=1, tournament_announced=1, registration_opened=1)
            await work.start(1, 1)
            work.expect(level_raised=2)
            await until_awaited(work.settled, A_WHILE)
            await until_awaited(lambda: none_queued(url), A_WHILE)
            assert await work.effects() == work.expected
            assert await work.early(due) == []
        assert await audited(database, work.leagues[0])


async def none_queued(url: str) -> bool:
    return await queued(url) == 0


async def test_messages_that_are_lost_or_come_twice_change_nothing(database: TestDatabase) -> None:
    with broker(database) as url, workers(database, 0):
        with psycopg.connect(url) as superuser:
            superuser.execute(CHAOS)
        async with open_runtime(database.settings("holotable_api")) as runtime:
            work = DueWork(runtime)
            due = runtime.clock.now() + SOON
            await work.arrange(due)
            await work.arrange(due)
            await work.recur(due + timedelta(minutes=90))
            work.expect(fixture_materialised=1, tournament_announced=1, registration_opened=1)
            await work.start(1, 1)
            work.expect(level_raised=2)
            await until_awaited(work.settled, A_WHILE)
            await until_awaited(lambda: none_queued(url), A_WHILE)
            assert await work.effects() == work.expected
        with psycopg.connect(url) as superuser:
            rows = superuser.execute("SELECT what, count(*) FROM chaos GROUP BY what").fetchall()
        suffered = dict(rows)
        assert suffered["lost"] > 3
        assert suffered["doubled"] > 6


async def test_clocks_a_minute_fast_and_slow_that_jump_by_an_hour_change_nothing(
    database: TestDatabase,
) -> None:
    with broker(database), workers(database, 60, -60, processes=1):
        async with open_runtime(database.settings("holotable_api")) as runtime:
            work = DueWork(runtime)
            due = runtime.clock.now() + SOON
            await work.arrange(due)
            await work.recur(due + timedelta(minutes=90))
            work.expect(fixture_materialised=1, tournament_announced=1, registration_opened=1)
            await work.start(1, 40)
            work.expect(level_raised=1)
            # These are due in ten minutes. A clock that is an hour fast would do them at once.
            later = DueWork(runtime)
            await later.arrange(runtime.clock.now() + timedelta(minutes=10))
            work.expect(tournament_announced=4, registration_opened=3)
            await until_awaited(work.settled, A_WHILE)
            assert await work.effects() == work.expected
            assert await work.early(due) == []
            assert await work.misjudged() < timedelta(seconds=10)


async def test_after_three_hours_without_a_worker_everything_is_done_by_its_rule_once(
    database: TestDatabase,
) -> None:
    away = timedelta(hours=3)
    with broker(database):
        async with open_runtime(database.settings("holotable_api")) as runtime:
            work = DueWork(runtime)
            now = runtime.clock.now()
            await work.arrange(now - away)
            await work.recur(now - away, at=now - away - timedelta(minutes=5))
            work.expect(fixture_missed=4, fixture_materialised=2)
            work.expect(tournament_announced=2, registration_opened=2)
            league, name = await work.start(600, 600, at=now - away)
            last_seen = now - away + timedelta(minutes=1)
            await runtime.pool.execute("INSERT INTO heartbeat VALUES ('worker', $1)", last_seen)
            # The level clock stood during the outage, so no level has ended.
            work.expect(clock_stopped=1, clock_started=1)
            with workers(database, 0):
                await until_awaited(work.settled, A_WHILE)
                assert await work.effects() == work.expected
            clock = (await runtime.writer.load(league, stream_of(name))).state.clock
            assert clock.level == 1
            assert timedelta(minutes=8) < clock.due - runtime.clock.now() < timedelta(minutes=9)
