"""
The whole, once, on Debian's parts: PostgreSQL 15, RabbitMQ with quorum queues, HAProxy with TLS.

A tournament of bots is played to its end through the proxy and two API processes.
"""

import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psycopg
import pytest

from bench.crowd import play
from service.base.addresses import with_database
from service.base.embedded import Cluster
from service.tasks.worker import READY
from tests.deploy.parts import Rabbit, Running, haproxy, memory, missing, process
from tests.support.commands import in_own_python
from tests.support.servers import DEBIAN, free_port
from tests.support.waiting import until

BOTS = 12
QUEUES = {"play", "long", "outside"}
START_SECONDS = 120.0

pytestmark = [
    pytest.mark.long,
    pytest.mark.slow,
    pytest.mark.anyio,
    pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}"),
]


@dataclass
class Whole:
    """A running installation."""

    url: str
    rabbit: Rabbit
    folder: Path
    processes: dict[str, Running] = field(default_factory=dict)
    postgres: int = 0
    """The server's process id."""

    superuser: str = ""
    """The server's address as superuser."""

    def log(self, name: str) -> str:
        """Return what a process has written."""
        return (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")


@contextmanager
def started(folder: Path) -> Iterator[Whole]:
    """Prepare and start every part as docs/operating/install.md does."""
    secrets, ports = folder / "secrets", (free_port(), free_port())
    signer_port = free_port()
    rabbit = Rabbit(folder / "rabbit")
    command, url, root = haproxy(folder / "haproxy", ports)
    whole = Whole(url, rabbit, folder)
    os.environ["SSL_CERT_FILE"] = str(root)  # the clients of this test trust the certificate
    common = {name: its for name, its in os.environ.items() if not name.startswith("HOLOTABLE_")}

    def run(name: str, told: dict[str, str], argument: str | None = None) -> None:
        asked = [sys.executable, "-m", "service.cli.main", argument or name]
        its = {f"HOLOTABLE_{key}": value for key, value in told.items()}
        log = folder / f"{name}.log"
        whole.processes[name] = parts.enter_context(process(asked, log, common | its))

    with ExitStack() as parts:
        cluster = parts.enter_context(Cluster(folder / "postgres", DEBIAN))
        whole.postgres, whole.superuser = cluster.pid or 0, cluster.url()
        whole.processes["rabbitmq"] = parts.enter_context(rabbit.running())
        for asked in (
            ("prepare", cluster.url(), "--into", str(secrets)),
            ("signer", "new-key", str(secrets / "signer"), "--name", "localhost/1"),
        ):
            done = in_own_python(asked, {})
            assert done.returncode == 0, done.stderr
        token = {"SIGNER_TOKEN_FILE": str(secrets / "signer_token")}
        signing = {"SIGNER_KEY_FILE": str(secrets / "signer"), "PORT": str(signer_port)}
        run("signer", token | signing | {"SIGNER_MEMORY": str(folder / "memory")})
        key = {"SECRET_KEY_FILE": str(secrets / "secret_key")}
        run("project", key | {"DATABASE_URL_FILE": str(secrets / "holotable_project")})
        signed = key | token | {"SIGNER_URL": f"http://127.0.0.1:{signer_port}"}
        broker = {"BROKER_URL": rabbit.url, "TICK_MILLISECONDS": "50", "WORKER_PROCESSES": "1"}
        log_in = {"DATABASE_URL_FILE": str(secrets / "holotable_worker")}
        run("worker", signed | broker | log_in | {"PUBLIC_URL": url})
        for name, port in zip(("api-1", "api-2"), ports, strict=True):
            log_in = {"DATABASE_URL_FILE": str(secrets / "holotable_api"), "PORT": str(port)}
            proxies = {"TRUSTED_PROXIES": "127.0.0.1", "PUBLIC_URL": url}
            run(name, signed | log_in | proxies, "api")
        log = folder / "haproxy.log"
        whole.processes["haproxy"] = parts.enter_context(process(command, log, common))
        until(lambda: READY in whole.log("worker"), START_SECONDS)
        until(lambda: _both_ready(whole), START_SECONDS)
        yield whole
        for name, running in whole.processes.items():
            assert running.poll() is None, f"{name} ended: {whole.log(name)[-800:]}"


def _both_ready(whole: Whole) -> bool:
    """Return whether the proxy reaches the API, and has found neither process absent since."""
    try:
        ready = httpx.get(f"{whole.url}/readyz", timeout=5).status_code == 200
    except httpx.TransportError:
        return False
    states = dict(re.findall(r"Server api/(api-\d) is (UP|DOWN)", whole.log("haproxy")))
    return ready and "DOWN" not in states.values()


def _sessions(url: str) -> dict[str, int]:
    """Return the number of open sessions of each login."""
    asked = "SELECT usename, count(*) FROM pg_stat_activity WHERE usename LIKE 'holo%' GROUP BY 1"
    with psycopg.connect(url) as connection:
        return dict(sorted(connection.execute(asked).fetchall()))


def _sizes(url: str) -> tuple[int, int]:
    """Return the number of events, and the bytes of the database."""
    asked = "SELECT count(*), pg_database_size(current_database()) FROM events"
    with psycopg.connect(with_database(url, "holotable")) as connection:
        found = connection.execute(asked).fetchone()
    assert found is not None
    return int(found[0]), int(found[1])


async def test_bots_play_a_tournament_to_its_end_through_the_proxy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The league's audit passes, both API processes served, and the queues are quorum queues."""
    monkeypatch.setenv("SSL_CERT_FILE", "")  # restored at the end
    terms = {"starting_stack": 100, "overrides": {"starting_stack": 100}}
    began = time.monotonic()
    with started(tmp_path) as whole:
        up = time.monotonic() - began
        before = _sizes(whole.superuser)
        crowd = await play((whole.url,), BOTS, terms)
        queues = whole.rabbit.queues()
        used = {name: memory(its.pid) for name, its in whole.processes.items()}
        used["postgres"] = memory(whole.postgres)
        sessions, after = _sessions(whole.superuser), _sizes(whole.superuser)
        requests = re.findall(r"holotable~ api/(api-\d) ", whole.log("haproxy"))
        logs = {name: whole.log(name) for name in whole.processes if name != "rabbitmq"}
    with capsys.disabled():
        print(f"\nup after {up:.1f} s; {crowd.line()}")
        print(f"{len(requests)} requests through HAProxy: ", end="")
        print({name: requests.count(name) for name in sorted(set(requests))})
        print("memory, MB:", {name: round(its / 1e6) for name, its in sorted(used.items())})
        print("sessions of PostgreSQL:", sessions)
        print(f"database: {after[0] - before[0]} events in {after[1] - before[1]} bytes")
        print("queues:", {name: queues[name] for name in sorted(QUEUES & set(queues))})
    assert crowd.timed.failed == []
    assert crowd.timed.refused == []
    assert len(crowd.finished["placings"]) == BOTS  # two may share the last place
    assert crowd.audit["passed"], crowd.audit
    assert {name: queues.get(name) for name in QUEUES} == dict.fromkeys(QUEUES, "quorum")
    assert set(requests) == {"api-1", "api-2"}
    assert [name for name, log in logs.items() if "Traceback" in log] == []
