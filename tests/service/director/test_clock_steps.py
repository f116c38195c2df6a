"""A step of the database's clock is in doubt at first, and a log that is ahead stops nobody."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import psycopg
import pytest

from engine.tournament.model.state import Finished, Running
from engine.values import stream_of
from service.base import heartbeats
from service.base.sources import DatabaseClock
from service.cli import clock as commands
from service.cli.account.create import create_account
from service.cli.account.reset import offer_reset
from service.cli.token import create_token
from service.director import decision_clock, submitting
from service.director.next_hand import open_next_hand
from service.director.runtime import Runtime, open_runtime
from service.log.read import read_league
from service.log.record import Disconnected
from service.tasks import jobs
from service.tasks.ticker import Ticker
from tests.service.audit.test_audit import audited
from tests.service.director.test_clocks import rules, step
from tests.service.director.test_directing import announced, at, played
from tests.support.clocks import set_clock
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

HOUR = timedelta(hours=1)
SLACK = timedelta(minutes=2)
"""Far more time than a test takes, and far less than a leap of the clock."""


@pytest.fixture
async def runtime(database: TestDatabase) -> AsyncIterator[Runtime]:
    """A runtime for a database with a clock that the test can set."""
    set_clock(database.url("postgres"), timedelta())
    async with open_runtime(database.settings("holotable_worker")) as opened:
        yield opened


async def leap(database: TestDatabase, runtime: Runtime, by: timedelta) -> None:
    """Set the database's clock, and let the process measure it."""
    set_clock(database.url("postgres"), by)
    await runtime.clock.measure(runtime.pool)  # type: ignore[attr-defined]


async def kinds(runtime: Runtime, league: str) -> list[str]:
    async with runtime.pool.acquire() as connection:
        return [row.type for row in await read_league(connection, league, limit=10_000)]


async def table_of(runtime: Runtime, league: str, name: str) -> str:
    state = await at(runtime, league, name)
    assert isinstance(state, Running)
    return str(state.tables[0].table)


async def steps(runtime: Runtime) -> list[tuple[Any, ...]]:
    rows = await runtime.pool.fetch("SELECT ahead_us, settled FROM clock_step ORDER BY id")
    return [(round(row["ahead_us"] / 1e6), row["settled"]) for row in rows]


def ticker(database: TestDatabase) -> tuple[Ticker, list[jobs.ClaimedJob]]:
    """Return a ticker and the list of the jobs that it claims."""
    claimed: list[jobs.ClaimedJob] = []
    return Ticker(database.settings("holotable_worker"), claimed.append), claimed


async def test_an_hours_leap_that_is_set_right_stops_nobody_and_times_nobody_out(
    database: TestDatabase, runtime: Runtime
) -> None:
    terms: dict[str, Any] = {"hands_between_seconds": 1, "decision_seconds": 60}
    league, name = await announced(runtime, 3, rules=rules(600), **terms)
    await submitting.start_tournament(runtime, league, name, runtime.clock.now())
    table = await table_of(runtime, league, name)
    await open_next_hand(runtime, league, table)
    ticking, claimed = ticker(database)
    while ticking.tick():
        pass
    claimed.clear()
    second = timedelta(seconds=runtime.settings.heartbeat_seconds)

    for ahead in (HOUR, timedelta()):
        await leap(database, runtime, ahead)
        while ticking.tick():
            pass
        await heartbeats.beat(runtime.pool, "api", second)
        assert abs(runtime.clock.now() - datetime.now(UTC)) < SLACK
        assert await step(runtime, league, table)
        await decision_clock.watch_table(runtime, league, table)

    ticking.stop()
    assert await steps(runtime) == [(3600, "returned")]
    assert [job.task for job in claimed if job.task == "tournament.level"] == []
    assert await runtime.pool.fetchval("SELECT count(*) FROM outage") == 0
    happened = await kinds(runtime, league)
    assert "level_raised" not in happened and "decision_timed_out" not in happened
    async with runtime.pool.acquire() as connection:
        rows = await read_league(connection, league, limit=10_000)
    assert all(abs(row.at - datetime.now(UTC)) < SLACK for row in rows)
    assert isinstance(await played(runtime, league, name), Finished)
    report = await audited(database, league)
    assert report.passed, report.text()


async def test_a_process_that_starts_during_a_leap_goes_by_the_same_time_as_the_others(
    database: TestDatabase, runtime: Runtime
) -> None:
    await leap(database, runtime, HOUR)
    fresh = DatabaseClock()
    await fresh.measure(runtime.pool)
    with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
        threads = DatabaseClock().measure_now(connection)
    assert abs(fresh.now() - runtime.clock.now()) < SLACK
    assert abs(threads - runtime.clock.now()) < SLACK


async def test_processes_that_notice_one_step_write_it_down_once(
    database: TestDatabase, runtime: Runtime
) -> None:
    clocks = [DatabaseClock() for _ in range(4)]
    for clock in clocks:
        await clock.measure(runtime.pool)
    set_clock(database.url("postgres"), -HOUR)
    for clock in clocks:
        await clock.measure(runtime.pool)
    assert await steps(runtime) == [(-3600, None)]
    assert all(abs(clock.now() - datetime.now(UTC)) < SLACK for clock in clocks)


async def test_a_process_that_started_before_a_step_was_written_down_contradicts_nobody(
    database: TestDatabase, runtime: Runtime
) -> None:
    set_clock(database.url("postgres"), -HOUR)
    fresh = DatabaseClock()
    await fresh.measure(runtime.pool)
    assert abs(fresh.now() - datetime.now(UTC) + HOUR) < SLACK, "nothing tells it otherwise"
    for clock in (runtime.clock, fresh) * 2:
        await clock.measure(runtime.pool)  # type: ignore[attr-defined]
        assert abs(clock.now() - datetime.now(UTC)) < SLACK
    assert await steps(runtime) == [(-3600, None)]
    set_clock(database.url("postgres"), timedelta())
    for clock in (fresh, runtime.clock) * 2:
        await clock.measure(runtime.pool)  # type: ignore[attr-defined]
        assert abs(clock.now() - datetime.now(UTC)) < SLACK
    assert await steps(runtime) == [(-3600, "returned")]


@pytest.mark.parametrize("by", [HOUR, -HOUR, timedelta(seconds=40)])
@pytest.mark.parametrize("doubted", [False, True])
async def test_a_process_that_starts_in_a_short_leap_sets_nobody_back(
    database: TestDatabase, runtime: Runtime, by: timedelta, doubted: bool
) -> None:
    """No other process has noticed the leap. A step that was in doubt before stays in doubt."""
    older = DatabaseClock()
    await older.measure(runtime.pool)
    clocks, before = (runtime.clock, older), 2 * HOUR if doubted else timedelta()
    if doubted:
        set_clock(database.url("postgres"), before)
        for clock in clocks:
            await clock.measure(runtime.pool)  # type: ignore[attr-defined]
    set_clock(database.url("postgres"), before + by)
    young = [DatabaseClock() for _ in range(2)]
    for clock in young:
        await clock.measure(runtime.pool)
    set_clock(database.url("postgres"), before)
    for clock in young:
        await clock.measure(runtime.pool)
    assert (await steps(runtime))[-1][1] is None, "the young ones take the end for a step"

    for clock in (older, *young, runtime.clock, *young):
        await clock.measure(runtime.pool)  # type: ignore[attr-defined]
    assert (await steps(runtime))[-1] == (
        (7200, None) if doubted else (-by.total_seconds(), "returned")
    )
    told = await runtime.pool.fetchval("SELECT service_time()")
    for now in (told, *(clock.now() for clock in (*clocks, *young))):
        assert abs(now - datetime.now(UTC)) < SLACK / 6


async def test_a_process_that_saw_no_step_does_not_overrule_an_older_one(
    database: TestDatabase, runtime: Runtime
) -> None:
    """The older one was stopped, with its machine, while the clock went on."""
    young = DatabaseClock()
    await young.measure(runtime.pool)
    stopped = runtime.clock
    stopped._then -= HOUR  # type: ignore[attr-defined]
    for clock in (stopped, young) * 2:
        await clock.measure(runtime.pool)  # type: ignore[attr-defined]
    assert await steps(runtime) == [(3600, None)]
    assert abs(young.now() - stopped.now()) < SLACK


async def test_a_session_that_ends_during_a_measurement_is_no_defect(
    database: TestDatabase, runtime: Runtime
) -> None:
    measure = runtime.writer.measure
    assert measure is not None
    with psycopg.connect(database.url("postgres")) as superuser:
        superuser.execute("LOCK TABLE clock_step")
        measuring = asyncio.create_task(measure())  # type: ignore[arg-type]
        waits = f"{database.name}' AND wait_event_type = 'Lock'"
        ended = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{waits}"
        while not superuser.execute(ended.encode()).fetchall():  # noqa: ASYNC110
            await asyncio.sleep(0.01)  # a view of the server has no event
        with pytest.raises(Disconnected):
            await measuring


async def test_a_small_step_is_believed_at_once(database: TestDatabase, runtime: Runtime) -> None:
    await leap(database, runtime, timedelta(seconds=4))
    assert await steps(runtime) == []
    assert runtime.clock.now() - datetime.now(UTC) > timedelta(seconds=3)


async def test_a_step_that_has_held_for_ten_minutes_is_believed_and_counts_as_an_outage(
    database: TestDatabase, runtime: Runtime
) -> None:
    league, name = await announced(runtime, 3, decision_seconds=30)
    await submitting.start_tournament(runtime, league, name, runtime.clock.now())
    table = await table_of(runtime, league, name)
    await open_next_hand(runtime, league, table)
    before = (await runtime.writer.load(league, stream_of(table))).state.decision
    await heartbeats.beat(runtime.pool, "api", timedelta(seconds=5))
    await leap(database, runtime, HOUR)
    with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
        connection.execute("UPDATE clock_step SET noticed_at = noticed_at - interval '9 minutes'")
        await runtime.clock.measure(runtime.pool)  # type: ignore[attr-defined]
        assert await steps(runtime) == [(3600, None)]
        connection.execute("UPDATE clock_step SET noticed_at = noticed_at - interval '1 minute'")
    await runtime.clock.measure(runtime.pool)  # type: ignore[attr-defined]

    assert await steps(runtime) == [(3600, "believed")]
    assert abs(runtime.clock.now() - datetime.now(UTC) - HOUR) < SLACK
    assert not await heartbeats.beat(runtime.pool, "api", timedelta(seconds=60))
    await decision_clock.watch_table(runtime, league, table)
    after = (await runtime.writer.load(league, stream_of(table))).state.decision
    assert (after.token, after.deadline > before.deadline + HOUR - SLACK) == (before.token, True)
    assert await runtime.pool.fetchval("SELECT count(*) FROM outage WHERE process = 'clock'") == 1
    report = await audited(database, league)
    assert report.passed, report.text()


async def test_an_operator_believes_a_step_by_name_and_a_log_that_is_ahead_goes_on(
    database: TestDatabase, runtime: Runtime, capsys: pytest.CaptureFixture[str]
) -> None:
    """The clock was an hour ahead from the start and is set right, so the log stays ahead."""
    settings = database.settings("holotable_api")
    set_clock(database.url("postgres"), HOUR)
    async with open_runtime(database.settings("holotable_api")) as early:
        terms: dict[str, Any] = {"hands_between_seconds": 1, "decision_seconds": 60}
        league, name = await announced(early, 3, **terms)
        await submitting.start_tournament(early, league, name, early.clock.now())
        table = await table_of(early, league, name)
        await open_next_hand(early, league, table)
        operators = database.settings("holotable_migrate")
        assert await commands.believe(operators, "Bib", "nothing is in doubt") == 2
        await leap(database, early, timedelta())
        assert await step(early, league, table), "in doubt, the log being ahead"
        assert await commands.show(settings) == 1
        assert await commands.believe(operators, " ", "nobody") == 2
        for role in ("holotable_api", "holotable_worker"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await commands.believe(database.settings(role), "Bib", "in Bib's name")
        assert await commands.show(settings) == 1
        assert await commands.believe(operators, "Bib", "the time server was wrong") == 0
        await early.clock.measure(early.pool)  # type: ignore[attr-defined]
        assert abs(early.clock.now() - datetime.now(UTC)) < SLACK
        assert isinstance(await played(early, league, name), Finished)
        assert await commands.show(settings) == 0
    assert "-3600.0 s, believed" in capsys.readouterr().out
    assert "decision_timed_out" not in await kinds(runtime, league)
    report = await audited(database, league)
    assert report.passed, report.text()


async def test_what_an_operator_makes_is_dated_by_the_service(
    database: TestDatabase,
) -> None:
    set_clock(database.url("postgres"), HOUR)
    settings = database.settings("holotable_api")
    assert await create_account(settings, "bib", "Bib", "correct horse") == 0
    assert await create_token(settings, "bib", (), 1) == 0
    assert await offer_reset(settings, "bib") == 0
    connection = await asyncpg.connect(database.url())
    dated = await connection.fetchrow(
        "SELECT account.created_at AS account, token.created_at AS token,"
        " (SELECT expires_at - interval '1 day' FROM password_reset) AS reset"
        " FROM account JOIN token ON token.account = account.id"
    )
    await connection.close()
    assert all(abs(each - datetime.now(UTC) - HOUR) < SLACK for each in dated.values())


@pytest.mark.parametrize("back", [HOUR, timedelta(seconds=2)])
async def test_a_clock_set_back_unnoticed_dates_no_event_before_what_it_says(
    database: TestDatabase, runtime: Runtime, back: timedelta
) -> None:
    league, name = await announced(runtime, 3, decision_seconds=60)
    await submitting.start_tournament(runtime, league, name, runtime.clock.now())
    table = await table_of(runtime, league, name)
    await open_next_hand(runtime, league, table)
    set_clock(database.url("postgres"), -back)
    await asyncio.sleep(1.1)  # the log accepts dates up to a second after its last event

    assert await step(runtime, league, table)
    assert await step(runtime, league, table)

    assert await steps(runtime) == ([(-3600, None)] if back == HOUR else [])
    async with runtime.pool.acquire() as connection:
        rows = await read_league(connection, league, limit=10_000)
    named = [(row, json.loads(row.data).get("at")) for row in rows]
    assert all(datetime.fromisoformat(at) <= row.at for row, at in named if at is not None)
    assert all(abs(row.at - datetime.now(UTC)) < SLACK for row in rows)
