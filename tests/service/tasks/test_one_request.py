"""One identifier finds a request's lines in the logs of the API, a worker and the projector."""

import io
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from service.api.http.wire.observing import Observer
from service.base.ports import free_ports
from service.base.settings import Settings, environment
from service.base.telemetry import Lines
from tests.service.api.conftest import serving  # noqa: F401 - a fixture
from tests.service.tasks.due_work import broker
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

WORKERS = 3
"""The processes of the worker: one at each queue."""


@contextmanager
def running(process: str, settings: Settings, log: Path) -> Iterator[None]:
    """Run a process, with its lines in the file *log*."""
    inherited = {name: it for name, it in os.environ.items() if not name.startswith("HOLOTABLE_")}
    with (
        log.open("wb") as file,
        subprocess.Popen(
            [sys.executable, "-m", "service.cli.main", process],
            env=inherited | environment(settings), stderr=file,
            stdout=subprocess.DEVNULL,
        ) as child,
    ):  # fmt: skip
        try:
            yield
        finally:
            child.terminate()
            child.wait(20)


def lines(text: str, request: str) -> list[dict[str, Any]]:
    """Return the lines of a log that belong to a request. Every line must be JSON."""
    assert "Traceback" not in text, text
    found = [json.loads(line) for line in text.splitlines()]
    assert all("timestamp" in line and "level" in line for line in found)
    return [
        line
        for line in found
        if line.get("request_id") == request or request in line.get("requests", ())
    ]


def shown(port: int) -> str:
    """Return the metrics at *port*."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
        told: bytes = answer.read()
        return told.decode()


async def test_one_request_is_found_in_the_logs_of_three_processes(
    database: TestDatabase,
    serving: Any,  # noqa: F811
    tmp_path: Path,
) -> None:
    request, written, first = str(uuid4()), io.StringIO(), free_ports(WORKERS + 1)
    logged: dict[str, Any] = {"log_format": "json", "log_level": "debug"}
    worker = database.settings(
        "holotable_worker", broker_url=database.broker_url, tick_milliseconds=50,
        metrics_address=f"127.0.0.1:{first}", **logged,
    )  # fmt: skip
    project = database.settings(
        "holotable_project", metrics_address=f"127.0.0.1:{first + WORKERS}", **logged
    )
    of_worker, of_project = tmp_path / "worker", tmp_path / "project"
    async with serving() as api:
        api.app._observer = observer = Observer(Lines("api", written, None))
        owner, league = await api.league()
        with (
            broker(database),
            running("worker", worker, of_worker),
            running("project", project, of_project),
        ):
            begin = api.app.shell.now() + timedelta(seconds=1)
            made = await owner.post(
                f"/v1/leagues/{league}/tournaments",
                {"name": "Night", "ruleset": "better", "starts_at": begin.isoformat()},
                headers={"X-Request-Id": request},
            )
            assert made.status_code == 201, made.text
            tournament = made.json()["id"]

            async def said() -> bool:
                return all(lines(each.read_text(), request) for each in (of_worker, of_project))

            await until_awaited(said, 90)
            told = [shown(first + each) for each in range(WORKERS + 1)]
        observer.flush()
    (asked,) = lines(written.getvalue(), request)
    assert (asked["process"], asked["status"], asked["subject"]) == ("api", 201, league)
    jobs = [line for line in lines(of_worker.read_text(), request) if line["event"] == "job"]
    assert jobs[0]["process"] == "worker"
    assert jobs[0]["tournament"] == tournament
    projected = lines(of_project.read_text(), request)
    assert {line["league"] for line in projected} == {league}
    whole = "".join(told)
    assert all("process_resident_memory_bytes" in each for each in told)
    assert "holotable_jobs_waiting" in whole
    assert "holotable_projection_behind_seconds" in told[-1]
    assert league not in whole
    assert tournament not in whole
