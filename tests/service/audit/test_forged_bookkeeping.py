"""An audit ends and says what is wrong, whatever somebody has written beside the log."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import asyncpg
import pytest

from engine.coordination.aggregates import DECIDERS
from engine.league.auditing import RecordAudit
from engine.values import number_of
from service.audit.report import FAULTS_SHOWN, Report
from service.audit.run.league import audit_league
from service.audit.run.plan import make_plan
from service.base.database import async_engine
from service.base.settings import environment
from service.cli.doctor import examine
from service.director.runtime import open_runtime
from service.log.keys import Keys
from service.log.streams import league_stream
from service.log.writer import States, StreamEvents
from service.projections.following.runner import Runner
from tests.service import league_night
from tests.service.league_night import Night, played
from tests.support.databases import SECRET_KEY, TestDatabase

pytestmark = pytest.mark.anyio

PATIENCE = 60.0
"""Seconds for an audit that takes two. Under load it takes ten."""


class Forged(NamedTuple):
    """Rows that no part of the service writes. ``{0}`` is the league's number."""

    sql: str
    undo: str
    fault: str | None = None
    """What the audit says. None if it passes, because the row changes nothing that it proves."""


EPOCH = 100_000
"""The column holds two milliards. So many faults would need all of the memory."""

FORGED = {
    "an epoch": Forged(
        f"INSERT INTO league_epoch (league, epoch, raised_by) VALUES ('{{0}}', {EPOCH}, 'x')",
        "DELETE FROM league_epoch",
        "epoch 1 is in the log, but no operator is named for it",
    ),
    "a subtree": Forged(
        "INSERT INTO tree_node (league, level, index, hash)"
        " VALUES ('{0}', 32760, 9223372036854775807, sha256('x'))",
        "DELETE FROM tree_node",
        "a stored subtree covers events that the log lacks",
    ),
    "statistics without a value": Forged(
        "INSERT INTO fairness_run (night, master, p_values) VALUES (now(), sha256('x'), '{{}}')",
        "DELETE FROM fairness_run",
        "unreadable, p = 0",
    ),
    "statistics that are no numbers": Forged(
        "INSERT INTO fairness_run (night, master, p_values)"
        " VALUES (now(), sha256('x'), '{{\"a\": null}}')",
        "DELETE FROM fairness_run",
        "unreadable, p = 0",
    ),
    "an alarm below a night to come": Forged(
        "INSERT INTO fairness_run (night, master, p_values)"
        " VALUES (now(), sha256('x'), '{{\"a\": 1e-9}}'),"
        " ('9999-12-30', sha256('x'), '{{\"a\": 1}}')",
        "DELETE FROM fairness_run",
        "a, p = 1e-09",
    ),
    "a night after all years": Forged(
        "INSERT INTO fairness_run (night, master, p_values)"
        " VALUES ('5874897-01-01', sha256('x'), '{{\"a\": 1}}')",
        "DELETE FROM fairness_run",
    ),
    "a job that is never due": Forged(
        "INSERT INTO job (occurrence, task, args, due_at) VALUES"
        " ('x', 'x', json_build_object('league', 'lge_' || replace('{0}', '-', '')), 'infinity')",
        "DELETE FROM job WHERE occurrence = 'x'",
    ),
    "a job that was always due": Forged(
        "INSERT INTO job (occurrence, task, args, due_at) VALUES"
        " ('x', 'x', json_build_object('league', 'lge_' || replace('{0}', '-', '')), '-infinity')",
        "DELETE FROM job WHERE occurrence = 'x'",
        "x is late by",
    ),
    "maintenance since always": Forged(
        "INSERT INTO maintenance (since_at, retry_seconds) VALUES ('-infinity', 60)",
        "DELETE FROM maintenance",
    ),
    "a suspension since always": Forged(
        "UPDATE append_turn SET suspended_at = '-infinity'",
        "UPDATE append_turn SET suspended_at = NULL",
    ),
    "heartbeats of another age": Forged(
        "INSERT INTO heartbeat VALUES ('api', '290000-01-01')", "DELETE FROM heartbeat"
    ),
    "outages without an end": Forged(
        "INSERT INTO outage (process, since_at, until_at)"
        " VALUES ('api', '-infinity', now()), ('api', '4000-01-01 BC', '290000-01-01'),"
        " ('api', now(), 'infinity')",
        "DELETE FROM outage",
    ),
}
ALONE = ("tree_node", "fairness_run", "league_epoch")
"""Relations whose triggers refuse to change a row."""


@pytest.fixture
async def superuser(database: TestDatabase) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database.url("postgres"))
    for relation in ALONE:
        await connection.execute(f"ALTER TABLE {relation} DISABLE TRIGGER ALL")
    yield connection
    await connection.close()


async def finished(database: TestDatabase) -> Night:
    """Play a whole night, so that nobody waits for a decision."""
    night = await played(database)
    engine = async_engine(database.url("holotable_project"), 2)
    await Runner(engine).catch_up()
    await engine.dispose()
    return night


async def test_an_audit_ends_with_a_report_whatever_is_written_beside_the_log(
    database: TestDatabase, superuser: asyncpg.Connection
) -> None:
    night = await finished(database)
    engine = async_engine(database.url("holotable_audit"), 2)
    reports: dict[str, Report | Exception] = {}
    for name, forged in FORGED.items():
        await superuser.execute(forged.sql.format(number_of(night.league)))
        try:
            async with engine.connect() as connection, asyncio.timeout(PATIENCE):
                reports[name] = await audit_league(connection, Keys(SECRET_KEY), night.league)
        except Exception as error:  # noqa: BLE001 - all of them are told together
            reports[name] = error
        await superuser.execute(forged.undo)
    await engine.dispose()
    assert {name: it for name, it in reports.items() if not isinstance(it, Report)} == {}
    for name, report in reports.items():
        assert isinstance(report, Report)
        wanted = FORGED[name].fault
        assert report.passed == (wanted is None), (name, report.text())
        assert wanted is None or wanted in report.text()
        assert max(each.failed for each in report.checks) <= FAULTS_SHOWN, name


async def test_the_time_of_an_audit_is_not_before_the_last_event(
    database: TestDatabase, superuser: asyncpg.Connection
) -> None:
    """Otherwise a forged suspension would hide all overdue work. A true one comes after it."""
    night = await played(database, steps_max=8)
    last = await superuser.fetchval("SELECT max(at) FROM events")
    began = await superuser.fetchval("SELECT now()")
    assert (await make_plan(superuser, night.league, None, None)).now >= began
    for since, now in (("'-infinity'", last), ("now()", None)):
        await superuser.execute(f"UPDATE append_turn SET suspended_at = {since}")
        at = await superuser.fetchval("SELECT suspended_at FROM append_turn")
        assert (await make_plan(superuser, night.league, None, None)).now == (now or at)


async def test_an_audit_of_a_suspended_league_makes_nothing_overdue_for_the_next(
    database: TestDatabase, superuser: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report is an event of a league that takes no other events."""
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    monkeypatch.setattr(league_night, "utcnow", lambda: long_ago)
    night = await played(database, steps_max=8)
    last = await superuser.fetchval("SELECT max(at) FROM events")
    since = last + timedelta(seconds=1)
    await superuser.execute("UPDATE append_turn SET suspended_at = $1", since)
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        stream, writer = league_stream(night.league), runtime.writer
        told = RecordAudit(
            report="adt_1", scope=night.league, passed=True, events=1, hands=0, last_position=0,
            failed=(), first_bad_position=None, digest="0" * 64, now=datetime.now(UTC),
        )  # fmt: skip

        async def decide(states: States) -> list[StreamEvents]:
            state = (await states.load(stream)).state
            return [StreamEvents(stream, DECIDERS["league"].decide(state, told))]

        await writer.submit(night.league, runtime.order("audit/1"), decide)
    assert await superuser.fetchval("SELECT max(at) FROM events") > since
    assert (await make_plan(superuser, night.league, None, None)).now == since


async def test_a_question_that_has_no_answer_hides_no_other_fault(
    database: TestDatabase, superuser: asyncpg.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    await played(database, steps_max=8)
    await superuser.execute(
        "INSERT INTO clock_step (noticed_at, ahead_us) VALUES (now(), 1::bigint << 62)"
    )
    await superuser.execute(
        "INSERT INTO maintenance (since_at, retry_seconds) VALUES ('290000-01-01', 5)"
    )
    await superuser.execute("INSERT INTO quarantine SELECT league, 'arming', 3, 'boom' FROM key")
    await superuser.execute("ALTER TABLE heartbeat RENAME COLUMN at TO later")
    settings = database.settings("holotable_migrate")

    assert await examine(environment(settings)) == 1

    said = " ".join(capsys.readouterr().out.split())
    step = "next: look for rows that no part of the service has written"
    for check, what in (
        ("backups", "timestamp out of range"),
        ("doors", "date value out of range"),
    ):
        assert f"{check}: not checked, a row holds an impossible value: {what} {step}" in said
    older = 'heartbeats: not checked, the schema lacks something: column "at" does not exist'
    assert f"{older} next: `holotable migrate`" in said
    assert "arming at position 3: boom" in said


async def test_a_job_that_was_always_due_does_not_end_the_doctor(
    database: TestDatabase, superuser: asyncpg.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    """PostgreSQL calls an infinite number a feature that it does not support."""
    await superuser.execute(
        "INSERT INTO job (occurrence, task, args, due_at) VALUES ('x', 'x', '{}', '-infinity')"
    )
    assert await examine(environment(database.settings("holotable_migrate"))) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "jobs: not checked, a row holds an impossible value: cannot convert infinity" in said
