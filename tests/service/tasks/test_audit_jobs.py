"""An audit that cannot finish has its report marked as broken. No report runs for ever."""

import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import asyncpg
import msgspec
import psycopg
import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from engine.values import number_of
from service.audit.report import Findings
from service.audit.run.overdue import Presence, check_deal
from service.audit.run.plan import Plan, make_plan
from service.audit.run.streams import StreamAudit
from service.director.runtime import Runtime, open_runtime
from service.log.keys import Keys
from service.log.read import read_league
from service.tasks import audits, jobs
from service.tasks.child import perform
from service.tasks.jobs import ClaimedJob, Hopeless, Job
from service.tasks.ticker import Ticker
from tests.service.audit.test_audit import audited as audited_as_auditor
from tests.service.director.test_directing import announced
from tests.service.league_night import played
from tests.support.auditing import go_on
from tests.support.databases import SECRET_KEY, TestDatabase

pytestmark = pytest.mark.anyio

REPORT = "rep_1"
LEASE = timedelta(seconds=30)


@pytest.fixture
async def league(database: TestDatabase) -> str:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        return (await announced(runtime, 2))[0]


@pytest.fixture
def worker(database: TestDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
        yield connection


@pytest.fixture
async def superuser(database: TestDatabase) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database.url("postgres"))
    yield connection
    await connection.close()


def claimed(worker: psycopg.Connection, league: str) -> ClaimedJob:
    """Arm an audit and claim it."""
    args = {"league": league, "report": REPORT}
    long_ago = datetime(2026, 1, 1, tzinfo=UTC)
    jobs.arm_now(worker, Job(occurrence="audit:1", task="audit.run", args=args, due_at=long_ago))
    (found,) = jobs.claim(worker, LEASE)
    return found


async def audited(runtime: Runtime, job: ClaimedJob) -> None:
    """Do an audit's job and the audit jobs that it arms, but no other job."""
    await perform(runtime, job.job_id, job.claim)
    await go_on(runtime)


def allow_connections(database: TestDatabase, allowed: str) -> None:
    with psycopg.connect(database.server.cluster.url(), autocommit=True) as elsewhere:
        elsewhere.execute(f'ALTER DATABASE "{database.name}" ALLOW_CONNECTIONS {allowed}')


async def states(superuser: asyncpg.Connection) -> tuple[str, str]:
    """Return the state of the report and the state of its job."""
    report = await superuser.fetchval("SELECT state FROM audit_report")
    return report, await superuser.fetchval("SELECT state FROM job WHERE task = 'audit.run'")


async def test_an_audit_that_ends_keeps_its_report(
    database: TestDatabase, worker: psycopg.Connection, superuser: asyncpg.Connection, league: str
) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        await audited(runtime, claimed(worker, league))
    assert await states(superuser) in {("passed", "done"), ("failed", "done")}


async def test_an_audit_that_breaks_is_broken_and_not_tried_again(
    database: TestDatabase, worker: psycopg.Connection, superuser: asyncpg.Connection, league: str
) -> None:
    """A wrong secret key would open nothing at a retry either."""
    settings = replace(database.settings("holotable_worker"), secret_key="6b" * 32)
    async with open_runtime(settings) as runtime:
        with pytest.raises(Hopeless):
            await audited(runtime, claimed(worker, league))
    assert await states(superuser) == ("broken", "dead")
    report = await superuser.fetchval("SELECT report FROM audit_report")
    assert json.loads(report) == {"broken": "LeagueKeyUnknown"}


async def test_an_audit_that_loses_its_database_waits_to_be_tried_again(
    database: TestDatabase, worker: psycopg.Connection, superuser: asyncpg.Connection, league: str
) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        job = claimed(worker, league)
        await runtime.pool.execute("SELECT 1")  # stays open while new ones are refused
        allow_connections(database, "false")
        try:
            with pytest.raises((asyncpg.PostgresError, sa.exc.DBAPIError)):
                await audited(runtime, job)
        finally:
            allow_connections(database, "true")
        assert await states(superuser) == ("running", "done")
        units = "SELECT state, last_error FROM job WHERE task = 'audit.unit' ORDER BY occurrence"
        waits = [row["state"] for row in await superuser.fetch(units) if row["last_error"]]
        assert waits == ["ready"]
        # The other units were claimed with that unit, but no worker does them.
        await superuser.execute(
            "UPDATE job SET state = 'ready', lease_until = NULL WHERE state = 'sent'"
        )
        await go_on(runtime)
    assert (await states(superuser))[0] in {"passed", "failed"}


async def test_units_that_meet_a_plan_about_to_be_made_again_are_not_lost(
    database: TestDatabase, worker: psycopg.Connection, superuser: asyncpg.Connection, league: str
) -> None:
    """This happens if a plan's lease runs out and the retry loses its database."""
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        job = claimed(worker, league)
        await perform(runtime, job.job_id, job.claim)
        await superuser.execute("UPDATE audit_report SET state = 'waiting'")
        await go_on(runtime)
    assert (await states(superuser))[0] in {"passed", "failed"}


async def test_a_report_that_stands_is_not_broken_afterwards(
    database: TestDatabase, worker: psycopg.Connection, superuser: asyncpg.Connection, league: str
) -> None:
    """This happens if a process that cannot do a unit repeats it."""
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        await audited(runtime, claimed(worker, league))
    stood = await superuser.fetchrow("SELECT state, report::text FROM audit_report")
    await superuser.execute("UPDATE audit_unit SET state = 'armed', part = NULL WHERE number = 0")
    settings = replace(database.settings("holotable_worker"), secret_key="6b" * 32)
    async with open_runtime(settings) as runtime:
        with pytest.raises(Hopeless):
            await audits.audit_unit(runtime, {"league": league, "report": REPORT, "unit": "0"})
    assert await superuser.fetchrow("SELECT state, report::text FROM audit_report") == stood


async def test_a_report_whose_job_died_is_broken_by_the_next_ticker(
    database: TestDatabase, worker: psycopg.Connection, superuser: asyncpg.Connection, league: str
) -> None:
    """This happens if the process was killed at every attempt."""
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        job = claimed(worker, league)
        await runtime.pool.execute(
            "INSERT INTO audit_report (id, league, scope, state) VALUES ($1, $2, $2, 'running')",
            REPORT,
            league,
        )
        await jobs.fail(
            runtime.pool, job.job_id, job.claim, "killed", runtime.clock.now(), cause="hopeless"
        )
    ticker = Ticker(database.settings("holotable_worker"), lambda _job: None)
    ticker.tick()
    ticker.stop()
    assert await states(superuser) == ("broken", "dead")


async def kept(superuser: asyncpg.Connection) -> dict[str, Any]:
    """Return the stored report of the only audit."""
    report: dict[str, Any] = json.loads(await superuser.fetchval("SELECT report FROM audit_report"))
    return report


async def test_an_audit_is_an_event_with_its_figures_and_the_digest_of_its_report(
    database: TestDatabase, worker: psycopg.Connection, superuser: asyncpg.Connection, league: str
) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        await audited(runtime, claimed(worker, league))
        text = await superuser.fetchval("SELECT report::text FROM audit_report")
        await audits.run_audit(
            runtime, {"league": league, "report": REPORT}
        )  # as after a lease that ran out
    (row,) = await superuser.fetch("SELECT data::text FROM events WHERE type = 'audit_reported'")
    event = json.loads(row[0])
    report = await kept(superuser)
    assert (event["report"], event["scope"]) == (REPORT, league)
    assert event["events"] == event["last_position"] + 1
    assert event["passed"] is (event["failed"] == [])
    assert report["league"] == league
    assert event["digest"] == sha256(text.encode()).hexdigest()
    assert text == await superuser.fetchval("SELECT report::text FROM audit_report")


async def test_jobs_that_are_late_or_dead_are_found(
    database: TestDatabase, worker: psycopg.Connection, superuser: asyncpg.Connection, league: str
) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        job = claimed(worker, league)
        for name, late, state in (
            ("late", 120, "ready"), ("dead", 0, "dead"),
            ("soon", 10, "ready"), ("old", 999, "done"),
        ):  # fmt: skip
            await superuser.execute(
                """
                INSERT INTO job (occurrence, task, args, due_at, state)
                VALUES ($1, 'table.watch', $2, clock_timestamp() - make_interval(secs => $3), $4)
                """,
                name, json.dumps({"league": league}), late, state,
            )  # fmt: skip
        await audited(runtime, job)
    [check] = [each for each in (await kept(superuser))["checks"] if each["name"] == "jobs"]
    found = {fault["stream"] for fault in check["faults"]}
    assert {"late", "dead"} <= found
    assert not found & {"soon", "old", "audit:1"}
    assert check["checked"] >= 3


async def test_the_auditors_login_finds_them_too(
    database: TestDatabase, superuser: asyncpg.Connection, league: str
) -> None:
    await superuser.execute(
        """
        INSERT INTO job (occurrence, task, args, due_at)
        VALUES ('late', 'table.watch', $1, clock_timestamp() - interval '61 s'),
               ('soon', 'table.watch', $1, clock_timestamp() - interval '30 s')
        """,
        json.dumps({"league": league}),
    )
    report = await audited_as_auditor(database, league)
    assert {check.name: check.failed for check in report.checks}["jobs"] == 1
    [fault] = next(check.faults for check in report.checks if check.name == "jobs")
    assert fault.stream == "late"


async def test_an_audit_that_broke_does_not_fail_the_next_one(
    database: TestDatabase, superuser: asyncpg.Connection, league: str
) -> None:
    await superuser.execute(
        """
        INSERT INTO job (occurrence, task, args, due_at, state)
        SELECT task || '/' || state, task, $1, clock_timestamp() - interval '1 h', state
          FROM unnest(ARRAY['audit.run', 'audit.unit', 'audit.close']) AS task,
               unnest(ARRAY['ready', 'dead']) AS state
        """,
        json.dumps({"league": league}),
    )
    report = await audited_as_auditor(database, league)
    assert [check.faults for check in report.checks if check.name == "jobs"] == [[]]


async def test_decks_are_counted_once_nobody_plays_with_them(database: TestDatabase) -> None:
    """An exact count over a deck in play would tell everybody something about its cards."""
    night = await played(database, steps_max=30)
    connection = await asyncpg.connect(database.url("holotable_audit"))
    keys = await Keys(SECRET_KEY).of(connection, number_of(night.league))
    rows = await read_league(connection, night.league, limit=10_000)
    await connection.close()
    audit = StreamAudit(keys, Findings(), {row.stream for row in rows})
    for row in rows:
        audit.read(row)
    audit.end(rows[-1].at)
    figures = audit.figures()
    counted = sum(sum(counts) // 62 for counts in figures.dealt.values())
    assert counted == figures.hands + figures.voided_deals
    assert counted < sum(row.type == "hand_opened" for row in rows)


async def test_a_deal_that_nobody_plays_on_is_found_after_a_minute(database: TestDatabase) -> None:
    night = await played(database, steps_max=30)
    connection = await asyncpg.connect(database.url("holotable_audit"))
    keys = await Keys(SECRET_KEY).of(connection, number_of(night.league))
    rows = await read_league(connection, night.league, limit=10_000)
    await connection.close()
    last = {row.stream: row.position for row in rows}
    findings = Findings()
    audit = StreamAudit(keys, findings, last)
    for row in rows:
        audit.read(row)

    audit.end(rows[-1].at)
    assert findings.checks["deals"].failed == 0
    audit.check_deals(rows[-1].at + timedelta(minutes=5))
    found = findings.checks["deals"].faults
    assert found and {fault.position for fault in found} <= set(last.values())
    assert "nobody is asked" in found[0].what


async def test_a_decision_waits_as_long_as_its_clock_lets_it(database: TestDatabase) -> None:
    night = await played(database, steps_max=30)
    async with open_runtime(database.settings("holotable_api")) as runtime:
        tables = [
            (await runtime.writer.load(night.league, stream)).state
            for stream in await streams_of(runtime, night.league)
        ]
    table = replace(next(each for each in tables if each.decision), grace_seconds=300)
    assert table.decision is not None
    ends = table.decision.deadline + timedelta(seconds=300)

    def left(after: float, there: Presence | None = None) -> int:
        findings, now = Findings(), ends + timedelta(seconds=after)
        check_deal("table-1", table, 1, now, there or Presence(), findings)
        return findings.checks["deals"].failed

    def away(begin: float, end: float) -> Presence:
        outage = ends + timedelta(seconds=begin), ends + timedelta(seconds=end)
        return Presence(heard=outage[1], outages=(outage,))

    assert [left(-1), left(59), left(61)] == [0, 0, 1]
    assert [left(900, Presence(heard=ends + timedelta(seconds=by))) for by in (-1, 1)] == [0, 1]
    assert [left(959, away(-5, 900)), left(961, away(-5, 900))] == [0, 1]
    assert left(959, away(70, 900)) == 1


async def test_an_audit_looks_whether_the_service_was_there(
    database: TestDatabase, superuser: asyncpg.Connection, league: str
) -> None:
    await superuser.execute("DELETE FROM heartbeat")
    await superuser.execute("INSERT INTO heartbeat VALUES ('api', service_time())")
    heard = await superuser.fetchval("SELECT at FROM heartbeat")
    await superuser.execute(
        """
        INSERT INTO outage (process, since_at, until_at)
        SELECT process, $1::timestamptz - make_interval(secs => since),
               $1::timestamptz + make_interval(secs => until)
          FROM (VALUES ('worker', 9999, -3600), ('api', 300, -1), ('worker', 200, 86400))
            AS away (process, since, until)
        """,
        heard,
    )
    auditor = await asyncpg.connect(database.url("holotable_audit"))
    try:
        plan = await make_plan(auditor, league, None, None)
    finally:
        await auditor.close()
    assert plan.there.heard == heard
    assert plan.there.outages == ((heard - timedelta(minutes=5), heard - timedelta(seconds=1)),)
    assert msgspec.json.decode(audits.as_text(plan), type=Plan) == plan


async def streams_of(runtime: Runtime, league: str) -> set[str]:
    async with runtime.pool.acquire() as connection:
        rows = await read_league(connection, league, limit=10_000)
    return {row.stream for row in rows if row.stream.startswith("table-")}
