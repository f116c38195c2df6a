"""An audit that does not come to its end says so; no report runs for ever."""

import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta

import asyncpg
import psycopg
import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from service import jobs
from service.desk import Desk, open_desk
from service.jobs import Claimed, Hopeless, Job
from service.tasks.child import perform
from service.tasks.ticker import Ticker
from tests.service.test_directing import announced
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

REPORT = "rep_1"
LEASE = timedelta(seconds=30)


@pytest.fixture
async def league(database: TestDatabase) -> str:
    async with open_desk(database.settings("holotable_api")) as desk:
        return (await announced(desk, 2))[0]


@pytest.fixture
def worker(database: TestDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
        yield connection


@pytest.fixture
async def superuser(database: TestDatabase) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database.url("postgres"))
    yield connection
    await connection.close()


def claimed(worker: psycopg.Connection, league: str) -> Claimed:
    """Arm an audit and claim it."""
    args = {"league": league, "report": REPORT}
    long_ago = datetime(2026, 1, 1, tzinfo=UTC)
    jobs.arm_now(worker, Job(occurrence="audit:1", task="audit.run", args=args, due_at=long_ago))
    (found,) = jobs.claim(worker, LEASE)
    return found


async def audited(desk: Desk, job: Claimed) -> None:
    await perform(desk, job.job_id, job.claim, job.task, job.args)


def allow_connections(database: TestDatabase, allowed: str) -> None:
    with psycopg.connect(database.server.cluster.url(), autocommit=True) as elsewhere:
        elsewhere.execute(f'ALTER DATABASE "{database.name}" ALLOW_CONNECTIONS {allowed}')


async def states(superuser: asyncpg.Connection) -> tuple[str, str]:
    """Return what the report and its job are."""
    report = await superuser.fetchval("SELECT state FROM audit_report")
    return report, await superuser.fetchval("SELECT state FROM job WHERE task = 'audit.run'")


async def test_an_audit_that_ends_keeps_its_report(
    database: TestDatabase, worker: psycopg.Connection, superuser: asyncpg.Connection, league: str
) -> None:
    async with open_desk(database.settings("holotable_worker")) as desk:
        await audited(desk, claimed(worker, league))
    assert await states(superuser) in {("passed", "done"), ("failed", "done")}


async def test_an_audit_that_breaks_is_broken_and_not_tried_again(
    database: TestDatabase, worker: psycopg.Connection, superuser: asyncpg.Connection, league: str
) -> None:
    """Another secret key opens nothing, today or tomorrow."""
    settings = replace(database.settings("holotable_worker"), secret_key="6b" * 32)
    async with open_desk(settings) as desk:
        with pytest.raises(Hopeless):
            await audited(desk, claimed(worker, league))
    assert await states(superuser) == ("broken", "dead")
    report = await superuser.fetchval("SELECT report FROM audit_report")
    assert json.loads(report) == {"broken": "EventUnreadable"}


async def test_an_audit_that_loses_its_database_waits_to_be_tried_again(
    database: TestDatabase, worker: psycopg.Connection, superuser: asyncpg.Connection, league: str
) -> None:
    async with open_desk(database.settings("holotable_worker")) as desk:
        job = claimed(worker, league)
        await desk.pool.execute("SELECT 1")  # this connection outlives the ban on new ones
        allow_connections(database, "false")
        try:
            with pytest.raises((asyncpg.PostgresError, sa.exc.DBAPIError)):
                await audited(desk, job)
        finally:
            allow_connections(database, "true")
        assert await states(superuser) == ("waiting", "ready")


async def test_a_report_whose_job_died_is_broken_by_the_next_ticker(
    database: TestDatabase, worker: psycopg.Connection, superuser: asyncpg.Connection, league: str
) -> None:
    """As when the process was killed in every audit of it."""
    async with open_desk(database.settings("holotable_worker")) as desk:
        job = claimed(worker, league)
        await desk.pool.execute(
            "INSERT INTO audit_report (id, league, scope, state) VALUES ($1, $2, $2, 'running')",
            REPORT,
            league,
        )
        await jobs.fail(desk.pool, job.job_id, job.claim, "killed", hopeless=True)
    ticker = Ticker(database.settings("holotable_worker"), lambda _job: None)
    ticker.tick()
    ticker.stop()
    assert await states(superuser) == ("broken", "dead")
