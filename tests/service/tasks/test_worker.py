"""A real worker on the real broker does its jobs, even if its processes are killed."""

import asyncio
import os
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import IO

import asyncpg
import pytest

from engine.tournament.model.state import Running
from engine.values import number_of, stream_of
from service.audit.run.league import audit_league
from service.base import database as databases
from service.base.addresses import asyncpg_dsn
from service.base.settings import environment
from service.director.runtime import open_runtime
from service.log.keys import Keys
from service.tasks.worker import READY
from tests.service.director.test_directing import announced
from tests.support.databases import SECRET_KEY, TestDatabase
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

READY_SECONDS = 90
KILLS = 20
KILLS_SECONDS = 240
"""The time that twenty kills may take on a busy machine."""

BLOCKED = """
    SELECT pid, split_part(application_name, ' ', 2)::int AS process FROM pg_stat_activity
     WHERE application_name LIKE 'holotable-append %' AND datname = current_database()
       AND wait_event_type = 'Lock' AND query LIKE '%append_events%'
"""
"""Backends with a waiting append, and the worker process that waits for each."""


@pytest.fixture
def worker(database: TestDatabase) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a worker with its own broker and short leases, and stop it at the end."""
    server = database.server.cluster.url()
    broker = f"{database.name}_broker"
    databases.create_database(server, broker, owner=databases.BROKER)
    settings = database.settings(
        "holotable_worker",
        broker_url=database.broker_url,
        worker_processes=2,
        tick_milliseconds=50,
        lease_seconds=1,
        visibility_seconds=3,
        sweep_seconds=1,
    )
    inherited = {name: it for name, it in os.environ.items() if not name.startswith("HOLOTABLE_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "service.cli.main", "worker"],
        env=inherited | environment(settings),
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    with closing(process.stdout) as said:
        try:
            await_ready(said)
            yield process
            process.terminate()
            process.wait(20)
        finally:
            process.kill()
            process.wait(20)
    databases.drop_database(server, broker)


def await_ready(said: IO[bytes]) -> None:
    """Read a worker's output until it is ready. Fail if that takes over ``READY_SECONDS``."""
    end = time.monotonic() + READY_SECONDS
    read = b""
    while READY.encode() not in read.splitlines():
        assert select.select([said], [], [], max(0, end - time.monotonic()))[0], "it is not ready"
        more = os.read(said.fileno(), 4096)
        assert more, "it ended"
        read += more


def children(parent: int) -> list[int]:
    """Return the child processes of *parent* that still live."""
    listed = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
    return [int(child) for child in listed.split()]


def alive(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


async def test_a_scheduled_tournament_starts_and_its_tables_play_on_by_the_clock(
    database: TestDatabase, worker: subprocess.Popen[bytes]
) -> None:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        starts_at = runtime.clock.now() + timedelta(seconds=1)
        league, name = await announced(runtime, 4, starts_at=starts_at, decision_seconds=1)

        async def acted() -> bool:
            state = (await runtime.writer.load(league, stream_of(name))).state
            if not isinstance(state, Running):
                return False
            table = (await runtime.writer.load(league, stream_of(state.tables[0].table))).state
            return table.decision is not None and table.decision.turn > 1

        await until_awaited(acted)
    assert worker.poll() is None


async def test_a_worker_stops_at_once_when_it_has_nothing_to_do(
    worker: subprocess.Popen[bytes],
) -> None:
    began = time.monotonic()
    worker.terminate()
    assert worker.wait(20) == 0
    assert time.monotonic() - began < 2


async def test_a_killed_process_is_replaced_and_a_killed_worker_leaves_none(
    worker: subprocess.Popen[bytes],
) -> None:
    before = children(worker.pid)
    assert len(before) == 4
    for child in before:
        os.kill(child, signal.SIGKILL)

    async def replaced() -> bool:
        return len(set(children(worker.pid)) - set(before)) == 4

    await until_awaited(replaced)
    orphans = children(worker.pid)
    worker.kill()

    async def gone() -> bool:
        return not any(alive(orphan) for orphan in orphans)

    await until_awaited(gone)


async def test_processes_that_players_wait_for_are_replaced_when_the_database_is_back(
    database: TestDatabase, worker: subprocess.Popen[bytes]
) -> None:
    """Celery alone would take up to half a minute to look for its broker again."""
    before = children(worker.pid)
    log = database.server.cluster.directory / "server.log"
    refusal = f'database "{database.name}" is not currently accepting connections'
    superuser = await asyncpg.connect(asyncpg_dsn(database.server.cluster.url()))

    async def refused() -> bool:
        return log.read_text(encoding="utf-8", errors="replace").count(refusal) >= 20

    async def replaced() -> bool:
        return len(set(children(worker.pid)) - set(before)) == len(before) - 2

    try:
        await superuser.execute(f'ALTER DATABASE "{database.name}" ALLOW_CONNECTIONS false')
        await superuser.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
            database.name,
        )
        await until_awaited(refused)
        await superuser.execute(f'ALTER DATABASE "{database.name}" ALLOW_CONNECTIONS true')
        await until_awaited(replaced)
    finally:
        await superuser.close()


@pytest.mark.slow
async def test_twenty_kills_between_claim_and_commit_lose_nothing_and_double_nothing(
    database: TestDatabase, worker: subprocess.Popen[bytes]
) -> None:
    superuser = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
    holder = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
    try:
        async with open_runtime(database.settings("holotable_api")) as runtime:
            soon = runtime.clock.now() + timedelta(seconds=2)
            played = [await announced(runtime, 4, starts_at=soon) for _ in range(3)]
            empty = [await announced(runtime, 0, starts_at=soon) for _ in range(3)]
            held = holder.transaction()
            await held.start()
            # Every append waits. Claims, leases and reads go on.
            await holder.execute("LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE")
            killed = await kill_the_blocked(superuser, worker.pid)
            assert await superuser.fetchval("SELECT count(*) FROM job WHERE state = 'done'") == 0
            await held.rollback()
            await until_awaited(lambda: nothing_to_start(superuser))
            assert len(killed) >= KILLS
            for league, _ in played:
                await until_awaited(partial(hand_opened, superuser, league))
                found = await counted(superuser, league)
                assert {event: found[event] for event in PLAYED} == PLAYED
            for league, _ in empty:
                found = await counted(superuser, league)
                assert {event: found[event] for event in CANCELLED} == CANCELLED
            for league, _ in played + empty:
                assert await audited(database, league)
    finally:
        await holder.close()
        await superuser.close()
    assert worker.poll() is None


PLAYED = {"registration_closed": 1, "play_started": 1, "table_opened": 1, "hand_opened": 1}
CANCELLED = {"tournament_cancelled": 1}


async def kill_the_blocked(superuser: asyncpg.Connection, worker: int) -> list[int]:
    """
    Kill ``KILLS`` processes with a waiting append, and return their process numbers.

    Every fourth kill leaves the database backend alive. Its append is made after the process
    has died, and the process that repeats the task attempts a second one.
    """
    killed: list[int] = []
    end = time.monotonic() + KILLS_SECONDS
    while len(killed) < KILLS:
        assert time.monotonic() < end, f"only {len(killed)} were killed"
        blocked = await superuser.fetch(BLOCKED)
        running = set(children(worker)) - set(killed)
        for row in blocked:
            if row["process"] in running:
                os.kill(row["process"], signal.SIGKILL)
                running.discard(row["process"])
                killed.append(row["process"])
                if len(killed) % 4:
                    await superuser.execute("SELECT pg_terminate_backend($1)", row["pid"])
        await asyncio.sleep(0.02)
    return killed


async def nothing_to_start(superuser: asyncpg.Connection) -> bool:
    left = await superuser.fetchval(
        "SELECT count(*) FROM job WHERE task = 'tournament.start' AND state <> 'done'"
    )
    return left == 0


async def counted(superuser: asyncpg.Connection, league: str) -> Counter[str]:
    """Return the number of events of each type in *league*."""
    rows = await superuser.fetch(
        "SELECT type, count(*) FROM events WHERE league = $1 GROUP BY type", number_of(league)
    )
    return Counter(dict(rows))


async def hand_opened(superuser: asyncpg.Connection, league: str) -> bool:
    return (await counted(superuser, league))["hand_opened"] > 0


async def audited(database: TestDatabase, league: str) -> bool:
    """Return True if the whole log of *league* passes its audit."""
    engine = databases.async_engine(database.url("holotable_audit"), 1)
    try:
        async with engine.connect() as connection:
            return (await audit_league(connection, Keys(SECRET_KEY), league)).passed
    finally:
        await engine.dispose()
