"""A process says whether it is alive and ready, and others see that it hangs."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from service.base import health, metrics
from service.base.health import Liveness, Schema
from service.base.ports import free_ports
from service.base.settings import SignerSettings, environment
from service.process.watching import ProcessWatch, addresses
from service.transparency.note import private_key
from tests.support.commands import ROOT, in_fork
from tests.support.databases import SIGNER_TOKEN, TestDatabase
from tests.support.forking import MODULE
from tests.support.waiting import until


@pytest.fixture(autouse=True)
def pulse(monkeypatch: pytest.MonkeyPatch) -> Liveness:
    """A pulse of its own: other tests leave parts in this process that no longer beat."""
    fresh = Liveness()
    monkeypatch.setattr(health, "PULSE", fresh)
    return fresh


def test_a_loop_that_stands_still_hangs_and_one_that_ended_does_not(
    pulse: Liveness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "SILENT_SECONDS", 0.2)
    monkeypatch.setattr(health, "_BEAT_SECONDS", 0.01)
    held, go = threading.Event(), threading.Event()

    async def stand_still() -> None:
        async with health.beating("the loop"):
            await asyncio.sleep(0.05)
            held.set()
            go.wait(20)

    thread = threading.Thread(target=lambda: asyncio.run(stand_still()))
    thread.start()
    assert held.wait(20)
    until(lambda: pulse.hanging() is not None)
    assert (pulse.hanging() or "").startswith("the loop has made no progress for ")
    go.set()
    thread.join(20)
    assert pulse.hanging() is None


def test_readiness_knows_the_schema_and_misses_a_database(database: TestDatabase) -> None:
    url = database.url("holotable_project")
    assert Schema(url)() is None
    with psycopg.connect(database.url("postgres")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    assert "the schema is at 0001" in (Schema(url)() or "")
    with psycopg.connect(database.url("postgres")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'from_tomorrow'")
        connection.execute("UPDATE schema_support SET oldest = 'from_tomorrow'")
    assert "no longer serves this version" in (Schema(url)() or "")
    nowhere = Schema("postgresql://nobody:nothing@127.0.0.1:1/none")()
    assert nowhere == "the database does not answer: OperationalError"


def test_probes_do_not_pile_up_behind_a_question_that_gets_no_answer(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_LOOK_SECONDS", 1)
    ready = Schema(database.url("holotable_project"))
    with psycopg.connect(database.url("postgres"), autocommit=True) as watching:
        with psycopg.connect(database.url("postgres")) as silent:
            silent.execute("LOCK TABLE alembic_version IN ACCESS EXCLUSIVE MODE")
            first = threading.Thread(target=ready)
            first.start()
            waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
            until(lambda: (watching.execute(waiting).fetchone() or (0,))[0])
            assert "an earlier query waits for it" in (ready() or "")
            assert first.is_alive()
        first.join(20)
    assert ready() is None


def test_the_port_of_metrics_answers_for_life_and_readiness() -> None:
    port = metrics.serve(f"127.0.0.1:{free_ports()}", 40, ready=lambda: "the schema is another")
    url = f"http://127.0.0.1:{port}"
    with urllib.request.urlopen(f"{url}/livez") as answer:
        assert json.load(answer) == {"status": "ok"}
    with pytest.raises(urllib.error.HTTPError) as no:
        urllib.request.urlopen(f"{url}/readyz")
    assert (no.value.code, json.load(no.value)["why"]) == (503, "the schema is another")
    no.value.close()
    with urllib.request.urlopen(f"{url}/metrics") as answer:
        assert b"holotable_commands_total" in answer.read()


@pytest.fixture
def told(tmp_path: Path) -> dict[str, str]:
    return environment(
        SignerSettings(
            signer_key=private_key("holo.example/1", bytes(32)),
            signer_memory=str(tmp_path / "memory"),
            signer_token=SIGNER_TOKEN,
            port=free_ports(),
            metrics_address=f"127.0.0.1:{free_ports()}",
        )
    )


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """The socket on which systemd listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(30)
        yield listening


def test_a_stopped_process_is_noticed_by_health_by_up_and_by_systemd(
    told: dict[str, str], manager: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", MODULE, "signer"],
        cwd=ROOT,
        env=os.environ | told | {"NOTIFY_SOCKET": manager.getsockname()},
    ) as signer:
        try:
            assert manager.recv(64) == b"WATCHDOG=1"
            well = in_fork(("health", "signer"), told)
            assert (well.returncode, well.stdout) == (0, "signer is ready\n")

            signer.send_signal(signal.SIGSTOP)
            ill = in_fork(("health", "signer", "--live"), told)
            assert (ill.returncode, "does not answer" in ill.stderr) == (3, True)
            monkeypatch.setattr("service.process.watching._ASK_SECONDS", 0.01)
            monkeypatch.setattr("service.process.watching._PATIENCE", 2)
            watch = ProcessWatch({"signer": told["HOLOTABLE_METRICS_ADDRESS"]})
            until(lambda: watch.hangs("signer"))
            signer.send_signal(signal.SIGCONT)
            until(lambda: in_fork(("health", "signer"), told).returncode == 0)
            for _ in range(3):
                time.sleep(0.02)  # the watch asks again after its hundredth of a second
                assert not watch.hangs("signer")
        finally:
            signer.kill()


def test_health_needs_a_port_that_the_settings_name(told: dict[str, str]) -> None:
    nothing = in_fork(("health", "signer"), told | {"HOLOTABLE_METRICS_ADDRESS": "127.0.0.1:1"})
    assert nothing.returncode == 3
    del told["HOLOTABLE_METRICS_ADDRESS"]
    unknown = in_fork(("health", "signer"), told)
    assert (unknown.returncode, "set HOLOTABLE_METRICS_ADDRESS" in unknown.stderr) == (2, True)


def test_up_gives_each_process_the_port_of_the_handbook() -> None:
    page = (ROOT / "docs/operating/monitoring.md").read_text(encoding="utf-8")
    for process, address in addresses("127.0.0.1:9464").items():
        assert f'"{address}"' in page, process
    own = addresses(None)
    assert len(set(own.values())) == len(own)


def test_a_client_that_says_nothing_stops_nobody_and_is_let_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Meanwhile another client is answered. Its thread and its socket end."""
    monkeypatch.setattr(metrics._Quiet, "timeout", 1.0)
    port = free_ports()
    metrics.serve(f"127.0.0.1:{port}")
    with socket.create_connection(("127.0.0.1", port), timeout=20) as silent:
        silent.sendall(b"GET /metrics HTTP/1.1\r\n")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/livez", timeout=20) as answer:
            assert answer.status == 200
        assert silent.recv(1) == b"", "closed without an answer"
    until(lambda: not [each for each in threading.enumerate() if "process_request" in each.name])


def test_up_takes_ports_of_its_own_that_no_outgoing_connection_takes() -> None:
    """A port that such a connection has taken would end a child at its next start."""
    of_connections = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii")
    lowest, first = int(of_connections.split()[0]), _ports(addresses(None))[0]
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first + 1))
        other = _ports(addresses(None))
    assert first + 10 < lowest and max(other) + 10 < lowest
    assert abs(other[0] - first) > 10
    assert other == [other[0] + place for place in (0, 1, 2, 3, 6)]


def _ports(shown: dict[str, str]) -> list[int]:
    return [int(address.rpartition(":")[2]) for address in shown.values()]
