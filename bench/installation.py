"""An installation for measurements: a durable server, API processes, and a proxy before them."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

from bench.http import await_port, cpu_seconds, free_port
from service.base import database, migrations
from service.base.embedded import Cluster, binaries
from service.base.settings import Settings, environment
from service.base.shipped import ROOT

DATABASE = "ours"
PASSWORD = "bench"
SECRET = "a key of the benchmark, and of nothing else"
_PROXY = """
global
    maxconn 4000
defaults
    mode http
    timeout connect 5s
    timeout client 75s
    timeout server 75s
frontend holotable
    bind 127.0.0.1:{port}
    default_backend api
backend api
    balance roundrobin
{servers}
"""


@dataclass(frozen=True, slots=True)
class Api:
    """One process that serves the API."""

    pid: int
    url: str
    metrics: str

    def counted(self, name: str) -> float:
        """Return one of the process's own counters."""
        with urlopen(self.metrics) as answer:
            told = answer.read().decode()
        found = re.search(rf"^{name} (\S+)$", told, re.MULTILINE)
        return 0.0 if found is None else float(found[1])


@contextmanager
def server() -> Iterator[Cluster]:
    """Run a durable PostgreSQL with the schema and the logins."""
    with (
        TemporaryDirectory(prefix="holotable-bench-") as directory,
        Cluster(Path(directory) / "cluster", binaries(os.environ), durable=True) as cluster,
    ):
        database.create_roles(cluster.url(), dict.fromkeys(database.LOGINS, PASSWORD))
        database.create_database(cluster.url(), DATABASE, owner=database.OWNER)
        migrations.migrate(cluster.url(DATABASE, "holotable_migrate", PASSWORD))
        yield cluster


@contextmanager
def apis(cluster: Cluster, count: int, *, meet: bool = True) -> Iterator[list[Api]]:
    """
    Run *count* processes of the API on a server.

    Args:
        meet: True if they hand each other requests, as processes of one machine may.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="holotable-bench-"))
        made = []
        for _ in range(count):
            metrics = free_port()
            settings = Settings(
                database_url=cluster.url(DATABASE, "holotable_api", PASSWORD),
                secret_key=SECRET, log_level="warning", port=free_port(),
                metrics_address=f"127.0.0.1:{metrics}", neighbours=folder if meet else None,
                token_requests=1_000_000, account_requests=1_000_000, address_requests=1_000_000,
                keep_alive_seconds=300, connections=30_000, address_connections=30_000,
                token_streams=20_000, account_streams=20_000, address_streams=20_000,
                process_streams=40_000,
            )  # fmt: skip
            child = stack.enter_context(
                _child([sys.executable, "-m", "bench.http", "api"], settings)
            )
            await_port(settings.port)
            made.append(
                Api(
                    child.pid,
                    f"http://127.0.0.1:{settings.port}",
                    f"http://127.0.0.1:{metrics}/metrics",
                )
            )
        yield made


@contextmanager
def proxy(behind: Sequence[Api]) -> Iterator[tuple[int, str]]:
    """Run HAProxy, which gives each request to the next process. Yield its process and address."""
    where = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
    if where is None:
        raise RuntimeError("no HAProxy: install Debian's package haproxy")
    port = free_port()
    servers = "\n".join(
        f"    server api-{number} {api.url.removeprefix('http://')}"
        for number, api in enumerate(behind, start=1)
    )
    with TemporaryDirectory(prefix="holotable-bench-") as directory:
        file = Path(directory) / "haproxy.cfg"
        file.write_text(_PROXY.format(port=port, servers=servers))
        with _child([where, "-db", "-f", str(file)]) as child:
            await_port(port)
            yield child.pid, f"http://127.0.0.1:{port}"


def server_seconds(cluster: Cluster) -> float:
    """Return the processor time of PostgreSQL's processes, those that have ended included."""
    assert cluster.pid is not None
    stat = Path(f"/proc/{cluster.pid}/stat").read_text().rpartition(")")[2].split()
    ended = sum(map(int, stat[13:15])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{cluster.pid}/task/{cluster.pid}/children").read_text().split()
    alive = 0.0
    for child in children:
        try:
            alive += cpu_seconds(int(child))
        except FileNotFoundError:
            continue  # it ends just now, and is counted among the ended ones next time
    return ended + alive + cpu_seconds(cluster.pid)


@contextmanager
def _child(
    command: Sequence[str], settings: Settings | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    told = {} if settings is None else environment(settings)
    child = subprocess.Popen(command, cwd=ROOT, env=os.environ | told, stdin=subprocess.DEVNULL)
    try:
        yield child
    finally:
        child.terminate()
        try:
            child.wait(15)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
