"""A real worker process on the real broker."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest

from engine.tournament.state import Running
from engine.values import stream_of
from service import database as databases
from service.desk import open_desk
from service.settings import environment
from service.tasks.worker import READY
from tests.service.test_directing import announced
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio


@pytest.fixture
def worker(database: TestDatabase) -> Iterator[subprocess.Popen[bytes]]:
    """A worker with a broker of its own and short leases, stopped at the end."""
    server = database.server.cluster.url()
    broker = f"{database.name}_broker"
    databases.create_database(server, broker, owner=databases.BROKER)
    settings = database.settings(
        "holotable_worker",
        broker_url=database.broker_url,
        tick_milliseconds=50,
        lease_seconds=2,
        visibility_seconds=3,
        sweep_seconds=1,
    )
    inherited = {name: it for name, it in os.environ.items() if not name.startswith("HOLOTABLE_")}
    with subprocess.Popen(
        [sys.executable, "-m", "service.cli", "worker"],
        env=inherited | environment(settings),
        cwd=databases.ROOT,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert any(line.strip() == READY.encode() for line in process.stdout)  # after a banner
        yield process
        process.terminate()
        process.wait(20)
    databases.drop_database(server, broker)


async def test_a_scheduled_tournament_starts_and_its_tables_play_on_by_the_clock(
    database: TestDatabase, worker: subprocess.Popen[bytes]
) -> None:
    async with open_desk(database.settings("holotable_api")) as desk:
        starts_at = desk.clock.now() + timedelta(seconds=1)
        league, name = await announced(desk, 4, starts_at=starts_at, decision_seconds=1)
        until = time.monotonic() + 20
        acted = False
        while time.monotonic() < until and not acted:
            await asyncio.sleep(0.1)
            state = (await desk.writer.load(league, stream_of(name))).state
            if isinstance(state, Running):
                table = (await desk.writer.load(league, stream_of(state.tables[0].table))).state
                acted = table.decision is not None and table.decision.turn > 1
        assert acted, "nobody opened the table, or nobody timed its first decision out"
    assert worker.poll() is None
