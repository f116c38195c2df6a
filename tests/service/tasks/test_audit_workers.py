"""A real worker does an audit in parallel, and continues it after a kill."""

import json
import os
import signal
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import msgspec
import pytest

from service.audit.report import Report
from service.audit.run.league import audit_league
from service.base.database import async_engine
from service.log.keys import Keys
from service.projections.following.runner import Runner
from service.tasks import jobs
from tests.service.league_night import Night, played
from tests.service.tasks.due_work import broker, workers
from tests.service.tasks.test_worker import children
from tests.support.databases import SECRET_KEY, TestDatabase
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

REPORT = "rep_1"
"""The nightly audit may also run during the test, with a report of its own."""

REPORTED = """
    SELECT count(*) FROM events WHERE type = 'audit_reported' AND data->>'report' = $1
"""
HELD = "projection/records"
SECONDS = 60
PROCESSES = 4
"""Processes for work that players wait for. Two more processes do long work."""


@pytest.fixture
async def superuser(database: TestDatabase) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database.url("postgres"))
    yield connection
    await connection.close()


@pytest.fixture
async def night(database: TestDatabase) -> Night:
    return await played(database)


async def alone(database: TestDatabase, league: str) -> Report:
    """Audit in this process, one unit after another."""
    engine = async_engine(database.url("holotable_audit"), 2)
    projecting = async_engine(database.url("holotable_project"), 2)
    try:
        await Runner(projecting).catch_up()
        async with engine.connect() as connection:
            return await audit_league(connection, Keys(SECRET_KEY), league)
    finally:
        await engine.dispose()
        await projecting.dispose()


def said(report: Any) -> dict[str, Any]:
    """Return a report without its duration and its check of jobs, which differ between runs."""
    content: dict[str, Any] = json.loads(msgspec.json.encode(report))
    checks = [each for each in content["checks"] if each["name"] != "jobs"]
    return {**content, "seconds": 0, "checks": checks}


@pytest.mark.long
async def test_a_killed_audit_goes_on_where_it_was_and_says_the_same(
    database: TestDatabase, night: Night, superuser: asyncpg.Connection
) -> None:
    async def quiet() -> bool:
        return not await superuser.fetchval(
            "SELECT count(*) FROM job WHERE state <> 'done' AND due_at < now() + interval '1 s'"
        )

    async def all_but_one() -> bool:
        rows = await superuser.fetch("SELECT key, state FROM audit_unit WHERE report = $1", REPORT)
        return len(rows) > 5 and [row["key"] for row in rows if row["state"] != "done"] == [HELD]

    async def ended() -> bool:
        state = await superuser.fetchval("SELECT state FROM audit_report WHERE id = $1", REPORT)
        return state in ("passed", "failed") and await superuser.fetchval(REPORTED, REPORT) > 0

    # The held unit must not time out before its process is killed, even on a busy machine.
    await superuser.execute(
        f'ALTER ROLE holotable_worker IN DATABASE "{database.name}" SET lock_timeout = 0'
    )
    with broker(database), workers(database, 0, processes=PROCESSES, lease=3) as [worker]:
        await until_awaited(quiet, SECONDS)
        expected = await alone(database, night.league)
        holder = await asyncpg.connect(database.url("postgres"))
        held = holder.transaction()
        await held.start()
        await holder.execute("LOCK TABLE reads.record_game IN ACCESS EXCLUSIVE MODE")
        args = {"league": night.league, "report": REPORT}
        due = await superuser.fetchval("SELECT now()")
        await jobs.arm(superuser, jobs.Job(occurrence="a", task="audit.run", args=args, due_at=due))
        await until_awaited(all_but_one, SECONDS)
        told = "SELECT progress FROM audit_report WHERE id = $1"
        progress = await superuser.fetchval(told, REPORT)
        for child in children(worker.pid):
            os.kill(child, signal.SIGKILL)
        await held.rollback()
        await holder.close()
        await until_awaited(ended, SECONDS)

    assert 0 < progress < 1
    rows = await superuser.fetch("SELECT key, runs FROM audit_unit WHERE report = $1", REPORT)
    runs = dict(rows)
    assert runs.pop(HELD) == 2
    assert set(runs.values()) == {1}, runs
    kept = "SELECT report::text, progress FROM audit_report WHERE id = $1"
    row = await superuser.fetchrow(kept, REPORT)
    assert row["progress"] == 1
    assert said(json.loads(row["report"])) == said(expected)
    assert await superuser.fetchval(REPORTED, REPORT) == 1
