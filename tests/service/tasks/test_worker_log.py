"""A worker reports an outage of PostgreSQL in single lines, without a traceback."""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest

from service.base import database as databases
from service.base import migrations
from service.base.settings import environment
from service.director.runtime import open_runtime
from tests.service.director.test_directing import announced
from tests.service.tasks.test_worker import await_ready
from tests.support.databases import TestDatabase, running_server
from tests.support.waiting import until, until_awaited

IMPATIENT = """
from service.cli.main import main
from service.log import writer

writer.PATIENCE_SECONDS = 1.0
main()
"""
"""A worker that repeats an append for one second instead of ten."""

WAITS = """
    SELECT count(*) > 0 FROM pg_stat_activity
     WHERE wait_event_type = 'Lock' AND query LIKE '%append_events%'
"""
OUTAGE = (
    "tick failed",
    "a job waits for its next attempt",
    "Connection to broker lost",
    "error connecting in",
)
"""Parts of the lines that the worker may log about the outage."""

pytestmark = pytest.mark.anyio


@pytest.mark.long
async def test_an_outage_is_told_in_lines_and_not_in_tracebacks(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    with running_server() as server:
        url = server.cluster.url()
        database = TestDatabase(server, "outage")
        databases.create_database(url, database.name)
        databases.create_database(url, f"{database.name}_broker", owner=databases.BROKER)
        migrations.migrate(database.url("holotable_migrate"))
        settings = database.settings(
            "holotable_worker",
            broker_url=database.broker_url,
            tick_milliseconds=20,
            lease_seconds=30,
            visibility_seconds=32,
        )
        async with open_runtime(database.settings("holotable_api")) as runtime:
            await announced(runtime, 3, starts_at=runtime.clock.now(), decision_seconds=1)
        holder = await asyncpg.connect(database.url("postgres"))
        watcher = await asyncpg.connect(database.url("postgres"))
        held = holder.transaction()
        await held.start()
        # The job that starts the tournament is under way when the database goes away.
        await holder.execute("LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE")
        inherited = {key: it for key, it in os.environ.items() if not key.startswith("HOLOTABLE_")}
        with (
            log.open("wb") as errors,
            subprocess.Popen(  # noqa: ASYNC220 - it must outlive this step
                [sys.executable, "-c", IMPATIENT, "worker"],
                env=inherited | environment(settings),
                stdout=subprocess.PIPE,
                stderr=errors,
            ) as worker,
        ):
            assert worker.stdout is not None
            try:
                with closing(worker.stdout) as said:
                    await_ready(said)
                    await until_awaited(lambda: watcher.fetchval(WAITS))
                    server.cluster.stop()
                    for line in OUTAGE:
                        until(lambda line=line: line in log.read_text())
                    server.cluster.start()
                    until(lambda: "is started again" in log.read_text())
            finally:
                holder.terminate()
                watcher.terminate()
                worker.terminate()
                worker.wait(30)
    told = [json.loads(line) for line in log.read_text().splitlines()]
    assert "Traceback" not in log.read_text()
    assert not [each for each in told if "exception" in each]
