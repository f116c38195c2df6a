"""A process that is told to stop ends soon, in any state, and with the right exit code."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.journeys.test_demo import marked

ROOT = Path(__file__).resolve().parents[2]
STOP_SECONDS = 20.0
"""Enough for a busy machine. A process that ignores signals needs longer."""

AWAY = {
    "HOLOTABLE_DATABASE_URL": "postgresql://nobody:nothing@127.0.0.1:1/none",
    "HOLOTABLE_BROKER_URL": "postgresql://nobody:nothing@127.0.0.1:1/none",
    "HOLOTABLE_SECRET_KEY": "5a" * 32,
    "HOLOTABLE_PORT": "0",
}


@contextmanager
def holotable(*arguments: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Run ``holotable`` and kill it at the end of the block."""
    inherited = {name: it for name, it in os.environ.items() if not name.startswith("HOLOTABLE_")}
    with subprocess.Popen(
        [sys.executable, "-m", "service.cli.main", *arguments],
        cwd=ROOT,
        env=inherited | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("process", "waiting"),
    [
        ("api", "Started server process"),
        ("api", "waiting for the database"),
        ("project", "projections_wait_for_database"),
    ],
)
def test_a_process_that_waits_for_its_database_stops_when_it_is_told(
    process: str, waiting: str
) -> None:
    with holotable(process, **AWAY) as running:
        assert running.stdout is not None
        assert any(waiting in line for line in running.stdout)
        began = time.monotonic()
        running.terminate()
        running.wait(30)
        assert time.monotonic() - began < STOP_SECONDS


def test_up_ends_with_the_code_of_an_interruption_and_leaves_nothing_running(
    tmp_path: Path,
) -> None:
    arguments = ("up", "--port", "0", "--data", str(tmp_path / "d"))
    with holotable(*arguments, UP_MARK=str(tmp_path)) as running:
        assert running.stdout is not None
        assert any("is up at" in line for line in running.stdout)
        running.send_signal(signal.SIGINT)
        rest = running.stdout.read()
        assert running.wait(30) == 130
        assert "the data stay in" in rest
    assert marked("UP_MARK", str(tmp_path)) == []


def test_a_ruleset_that_is_not_known_is_said_before_anything_starts() -> None:
    with holotable("demo", "--ruleset", "nope") as running:
        said, _ = running.communicate(timeout=30)
    assert running.returncode == 2
    assert "better" in said and "cantina" in said and "starting" not in said


def test_a_watched_demo_says_that_one_signs_in_before_one_looks_on() -> None:
    with holotable("demo", "--watch", "--tournaments", "1", "--players", "4") as running:
        assert running.stdout is not None
        told = []
        for line in running.stdout:
            told.append(line)
            if "/floor" in line:
                break
        running.send_signal(signal.SIGINT)
        running.wait(30)
    assert re.search(r"sign in first, .*: http://\S+/sign-in/\S+\n", told[-2]), told
    assert re.search(r"then look on: http://\S+/tournaments/\S+/floor\n", told[-1]), told
