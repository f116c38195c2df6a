"""An audit in several processes gives the same report as in one, and leaves no process behind."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import pytest

from service.audit.run import processes as processes_of
from service.audit.run.plan import Plan, Unit
from service.audit.run.processes import CHILD, UnitStopped, in_processes
from service.base.database import async_engine
from service.base.settings import environment
from service.base.shipped import ROOT
from service.cli.audit import print_audit
from service.process.failures import explained
from service.projections.following.runner import Runner
from tests.service.audit.test_audit import tamper
from tests.service.league_night import Night, played
from tests.service.tasks.test_worker import alive, children
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

CHANGED = """
    UPDATE events SET data = replace(data::text, 'better_simple', 'better_sample')::json
     WHERE league = $1 AND type = 'tournament_announced' RETURNING position
"""
HELD = "LOCK TABLE reads.record_game IN ACCESS EXCLUSIVE MODE"
WAITING = "SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'reads.record_game'::regclass"
"""The processes that wait for the held lock."""
SECONDS = 60
ONE_UNIT = Plan(
    league="lge_" + "0" * 32,
    tournament=None,
    now=datetime(2026, 1, 2, tzinfo=UTC),
    until=-1,
    vouched=(),
    grown={},
    generator=None,
    units=(Unit(key="jobs", kind="jobs", weight=1),),
)


@pytest.fixture
async def night(database: TestDatabase) -> Night:
    night = await played(database)
    projecting = async_engine(database.url("holotable_project"), 2)
    await Runner(projecting).catch_up()
    await projecting.dispose()
    return night


@contextmanager
def auditing(database: TestDatabase, league: str, count: int) -> Iterator[subprocess.Popen[str]]:
    told = environment(database.settings("holotable_audit"))
    command = [sys.executable, "-m", "service.cli.main", "audit", league, "--json"]
    with subprocess.Popen(
        [*command, "--jobs", str(count)],
        env=os.environ | told,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell's background job ignores SIGINT, and this process would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as running:
        try:
            yield running
        finally:
            running.kill()


async def test_reports_are_the_same_however_many_processes_there_are(
    database: TestDatabase, night: Night
) -> None:
    position = await tamper(database, night, CHANGED)
    said = []
    with (
        auditing(database, night.league, 1) as alone,
        auditing(database, night.league, 2) as together,
    ):
        for running in (alone, together):
            report, complaints = running.communicate(timeout=SECONDS)
            assert running.returncode == 1, complaints
            lines = report.splitlines(keepends=True)
            said.append([line for line in lines if not line.startswith('  "seconds"')])
            assert len(said[-1]) == len(lines) - 1

    assert said[0] == said[1]
    assert json.loads("".join(said[0]))["first_bad_position"] == position


@pytest.fixture
async def holder(database: TestDatabase) -> AsyncIterator[asyncpg.Connection]:
    """Keep one unit of every audit from finishing."""
    connection = await asyncpg.connect(database.url("postgres"))
    async with connection.transaction():
        await connection.execute(HELD)
        yield connection
    await connection.close()


async def waiting(holder: asyncpg.Connection) -> None:
    async def found() -> bool:
        return bool(await holder.fetchval(WAITING))

    await until_awaited(found, SECONDS)


async def test_an_interrupted_audit_leaves_no_process_behind(
    database: TestDatabase, night: Night, holder: asyncpg.Connection
) -> None:
    with auditing(database, night.league, 2) as running:
        await waiting(holder)
        processes = children(running.pid)
        os.killpg(running.pid, signal.SIGINT)
        _, complaints = running.communicate(timeout=SECONDS)
    assert len(processes) == 2
    assert not any(alive(each) for each in processes)
    assert (running.returncode, "Traceback" in complaints) == (130, False), complaints


async def test_a_process_that_loses_the_database_ends_the_audit_with_its_reason(
    database: TestDatabase,
    night: Night,
    holder: asyncpg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = database.settings("holotable_audit")
    for name, value in environment(settings).items():
        monkeypatch.setenv(name, value)
    auditor = asyncio.create_task(print_audit(settings, night.league, None, 2, as_json=True))
    await waiting(holder)
    processes = [each for each in children(os.getpid()) if is_auditing(each)]
    assert len(processes) == 2
    await holder.execute(f"SELECT pg_terminate_backend(pid) FROM ({WAITING}) waiting")
    with pytest.raises(UnitStopped) as stopped:
        await auditor
    assert not any(alive(each) for each in processes)
    assert (explained(stopped.value) or (0,))[0] == 3


def is_auditing(process: int) -> bool:
    return CHILD.encode() in Path(f"/proc/{process}/cmdline").read_bytes()


async def test_a_process_that_ends_without_a_word_ends_the_audit(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(processes_of, "CHILD", "there.is.no.such.module")

    async def told(_: int) -> None:
        pass

    with pytest.raises(UnitStopped, match="failed with status 1") as stopped:
        await in_processes(ONE_UNIT, 2, told)
    assert (explained(stopped.value) or (0,))[0] == 1
    assert "no.such.module" in capfd.readouterr().err


async def test_a_process_that_is_killed_while_it_speaks_is_heard_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe may end anywhere, so this child writes only half of its part."""
    (tmp_path / "half.py").write_text(
        "import os, signal\n"
        'os.write(1, b\'{"weight":1}\\n{"part":{"fin\')\n'
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(processes_of, "CHILD", "half")
    heard: list[int] = []

    async def told(weight: int) -> None:
        heard.append(weight)

    with pytest.raises(UnitStopped, match="killed by signal 9") as stopped:
        await in_processes(ONE_UNIT, 1, told)
    assert ((explained(stopped.value) or (0,))[0], heard) == (3, [1])
