"""
Measure an action over HTTP, against a bare INSERT and against the service that a user would write.

One process serves the API. Another serves an endpoint of the same framework that does one
INSERT and commits. A third serves :mod:`bench.peer`, which plays the same game with a row of JSON a
table. All use one durable server. A fourth process sends requests to each in turn, round by round,
on kept connections. It drives many tables of six that play hand after hand, and as many clients of
the bare endpoint. Reading the table, opening hands and shuffling count against both that play,
because they stand between two actions. Our players wait for the next hand by a long poll, as the
API tells clients to. The service that a user would write deals it with the action before.
"""

import asyncio
import json
import os
import platform
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import asyncpg
import psycopg
import uvicorn
import uvloop
from litestar import Litestar, post
from litestar.datastructures import State

from bench import peer
from bench.client import Connection, Person
from bench.floors import Figure, figure
from bench.playing import SEATS, Game, Measured, sit_down
from service.base import database, migrations
from service.base.addresses import asyncpg_dsn
from service.base.embedded import Cluster, binaries
from service.base.settings import Settings, environment, read
from service.base.shipped import ROOT
from service.process.app import run

TABLES = 64
"""Tables played at once. The bare endpoint has as many clients."""

ROUNDS = 5
SECONDS = 3.0
"""Seconds of each side in each round, after a second that is not counted."""

WARM_SECONDS = 1.0
CONNECTIONS = 10
"""Connections of the bare endpoint's pool, the default of asyncpg."""

DELAYS = (0, 2000)
"""Microseconds by which every commit is delayed: none, and as on a slow disk."""

_SECRET = "a key of the benchmark, and of nothing else"
_PASSWORD = "bench"


# the bare endpoint, in a process of its own


def bare(url: str) -> Litestar:
    """Return an application whose only route INSERTs one row and commits."""

    async def connect_pool(app: Litestar) -> None:
        app.state.pool = await asyncpg.create_pool(
            asyncpg_dsn(url), min_size=CONNECTIONS, max_size=CONNECTIONS
        )

    @post("/insert", status_code=200)
    async def insert(state: State) -> dict[str, int]:
        number = await state.pool.fetchval(
            "INSERT INTO bench_bare (note) VALUES ($1) RETURNING id", "x" * 200
        )
        return {"id": number}

    return Litestar([insert], on_startup=[connect_pool], openapi_config=None, logging_config=None)


# the load, in a process of its own

_INSERT = b"POST /insert HTTP/1.1\r\nHost: bench\r\nContent-Length: 0\r\n\r\n"


async def insert(connection: Connection, measured: Measured) -> None:
    """Send requests to the bare endpoint until the time is over."""
    while time.perf_counter() < measured.until:
        asked = time.perf_counter()
        status, found = await connection.ask(_INSERT)
        if status >= 400:
            raise RuntimeError(f"{status} {found.decode()}")
        measured.keep(asked, "insert")


async def sit_down_at_peer(base: str) -> Game:
    """Return a table of six at the service that a user would write."""
    opened = await Person(Connection(base)).post("/tables", {})
    return Game(opened["id"], [Person(Connection(base), token) for token in opened["tokens"]])


async def load(api: str, least: str, written: str) -> None:
    """Measure a round of all sides for each line that comes in, and write what they saw."""
    games = await sit_down(api, TABLES, waits=True)
    others = [await sit_down_at_peer(written) for _ in range(TABLES)]
    clients = [Connection(least) for _ in range(TABLES)]
    sides: list[tuple[str, list[Callable[[Measured], Awaitable[None]]]]] = [
        ("ours", [game.play for game in games]),
        ("written", [game.play for game in others]),
        ("bare", [lambda measured, c=client: insert(c, measured) for client in clients]),  # type: ignore[misc]
    ]
    print("ready", flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps({name: await _side(work) for name, work in sides}), flush=True)
        sides.append(sides.pop(0))


async def _side(work: list[Callable[[Measured], Awaitable[None]]]) -> dict[str, Any]:
    begun = time.perf_counter() + WARM_SECONDS
    measured = Measured(begun, begun + SECONDS)
    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(each(measured) for each in work))
    used = (time.process_time() - cpu) / (time.perf_counter() - wall)
    spent = sorted(measured.spent)
    return {
        "rate": len(spent) / SECONDS,
        "p50": statistics.median(spent) * 1000,
        "p99": spent[len(spent) * 99 // 100] * 1000,
        "reads": measured.reads / SECONDS,
        "cpu": used,
        "kinds": measured.kinds,
    }


# the run


def main() -> list[Figure]:
    """Print all sides and their ratios, with normal and with slow commits."""
    figures: list[Figure] = []
    with _server() as cluster:
        superuser = cluster.url()
        settings = Settings(
            database_url=cluster.url("ours", "holotable_api", _PASSWORD),
            secret_key=_SECRET, log_level="warning", port=free_port(),
            token_requests=1_000_000, account_requests=1_000_000, address_requests=1_000_000,
            keep_alive_seconds=peer.KEEP_ALIVE_SECONDS,
        )  # fmt: skip
        ports = settings.port, free_port(), free_port()
        print(_about(superuser))
        with (
            _child("api", **environment(settings)) as ours,
            _child("bare", cluster.url("bare"), str(ports[1])) as bare_one,
            _child("written", cluster.url("written"), str(ports[2])) as written,
        ):
            for each in ports:
                await_port(each)
            servers = {"ours": ours.pid, "bare": bare_one.pid, "written": written.pid}
            with _child("load", *(f"http://127.0.0.1:{each}" for each in ports)) as child:
                assert child.stdout is not None
                if child.stdout.readline() != b"ready\n":
                    raise RuntimeError("the load did not get ready")
                for delay in DELAYS:
                    shown = _delay(superuser, delay)
                    rounds = [_round(child, servers) for _ in range(ROUNDS)]
                    figures += _report(shown, rounds, ", slow commits" if delay else "")
    return figures


def _round(load: subprocess.Popen[bytes], servers: dict[str, int]) -> dict[str, Any]:
    """Have the load measure a round, and add each server's share of a core."""
    assert load.stdin is not None
    assert load.stdout is not None
    before = {name: cpu_seconds(pid) for name, pid in servers.items()}
    load.stdin.write(b"\n")
    load.stdin.flush()
    seen: dict[str, Any] = json.loads(load.stdout.readline())
    for name, pid in servers.items():
        seen[name]["served"] = (cpu_seconds(pid) - before[name]) / (WARM_SECONDS + SECONDS)
    return seen


def _report(shown: str, rounds: list[dict[str, Any]], commits: str) -> list[Figure]:
    print(f"{shown}, as the server says:")
    sides = {
        "ours": f"{TABLES} tables of {SEATS}, actions",
        "bare": "bare INSERT",
        "written": "the service a user would write, actions",
    }
    for name, label in sides.items():
        seen = [each[name] for each in rounds]
        rates = sorted(each["rate"] for each in seen)
        each_costs = statistics.median(each["served"] / each["rate"] for each in seen)
        print(
            f"  {label}: median {statistics.median(rates):,.0f}/s "
            f"({rates[0]:,.0f} to {rates[-1]:,.0f}), "
            f"p50 {statistics.median(each['p50'] for each in seen):.1f} ms, "
            f"p99 {statistics.median(each['p99'] for each in seen):.1f} ms; of a core the "
            f"server used {statistics.median(each['served'] for each in seen):.0%}, "
            f"the load {statistics.median(each['cpu'] for each in seen):.0%}; "
            f"{each_costs * 1e6:.0f} µs of the server each"
        )
    for name in ("ours", "written"):
        reads = statistics.median(each[name]["reads"] for each in rounds)
        listed = ", ".join(f"{kind} {n}" for kind, n in sorted(rounds[-1][name]["kinds"].items()))
        print(f"  {name} besides {reads:,.0f} reads/s of tables; the last round: {listed}")
    mine = [each["ours"]["rate"] for each in rounds]
    return [
        figure(
            f"action: {against}{commits}", "actions/s", mine,
            [each[side]["rate"] for each in rounds], label,
        )
        for side, against, label in (
            ("bare", "bare INSERT", "an endpoint that INSERTs one row"),
            ("written", "written service", "a row of JSON a table, SELECT FOR UPDATE"),
        )
    ]  # fmt: skip


@contextmanager
def _server() -> Iterator[Cluster]:
    with (
        TemporaryDirectory(prefix="holotable-bench-") as directory,
        Cluster(Path(directory) / "cluster", binaries(os.environ), durable=True) as cluster,
    ):
        database.create_roles(cluster.url(), dict.fromkeys(database.LOGINS, _PASSWORD))
        for name, owner in (
            ("ours", database.OWNER), ("bare", "postgres"), ("written", "postgres"),
        ):  # fmt: skip
            database.create_database(cluster.url(), name, owner=owner)
        migrations.migrate(cluster.url("ours", "holotable_migrate", _PASSWORD))
        with psycopg.connect(cluster.url("bare"), autocommit=True) as connection:
            connection.execute("CREATE TABLE bench_bare (id bigserial PRIMARY KEY, note text)")
        yield cluster


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _delay(superuser: str, microseconds: int) -> str:
    """Set the delay of commits, and return the server's setting."""
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute(f"ALTER SYSTEM SET commit_delay = {microseconds:d}")
        connection.execute("ALTER SYSTEM SET commit_siblings = 0")
        connection.execute("SELECT pg_reload_conf()")
    until = time.monotonic() + 10
    while time.monotonic() < until:
        # A new connection has the setting that the server read last.
        with psycopg.connect(superuser, autocommit=True) as connection:
            names = ("commit_delay", "commit_siblings")
            found = [connection.execute(f"SHOW {name}").fetchone() or ("?",) for name in names]
        if [int(value) for (value,) in found] == [microseconds, 0]:
            return f"commit_delay {microseconds}, commit_siblings 0"
    raise RuntimeError(f"the server does not wait {microseconds} microseconds: {found}")


def _about(superuser: str) -> str:
    used = ", ".join(f"{name} {version(name)}" for name in ("litestar", "uvicorn", "asyncpg"))
    names = ("fsync", "synchronous_commit", "full_page_writes")
    with psycopg.connect(superuser) as connection:
        shown = [
            f"{name} {(connection.execute(f'SHOW {name}').fetchone() or ('?',))[0]}"
            for name in names
        ]
    return (
        f"PostgreSQL {database.server_version(superuser)} ({', '.join(shown)}), "
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {used}; one process a side, "
        f"the peers with pools of {CONNECTIONS} and {peer.CONNECTIONS}; "
        f"{ROUNDS} rounds of {SECONDS:.0f} s a side, each after {WARM_SECONDS:.0f} s of warm-up"
    )


@contextmanager
def _child(role: str, *arguments: str, **environ: str) -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(
        [sys.executable, "-m", "bench.http", role, *arguments],
        cwd=ROOT, env=os.environ | environ,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield child
    finally:
        if child.stdin is not None:
            child.stdin.close()
        if role != "load":
            child.terminate()
        try:
            child.wait(15)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def await_port(port: int) -> None:
    """Return when a server listens on *port*."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)  # nothing signals that a port opens, so try again
    raise RuntimeError("a server did not come up")


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _as_child(role: str, *arguments: str) -> None:
    match role:
        case "api":
            run(read(os.environ))
        case "bare":
            url, port = arguments
            uvicorn.run(
                bare(url), host="127.0.0.1", port=int(port), log_level="warning",
                access_log=False, server_header=False, timeout_keep_alive=peer.KEEP_ALIVE_SECONDS,
            )  # fmt: skip
        case "written":
            peer.serve(arguments[0], int(arguments[1]))
        case _:
            uvloop.run(load(*arguments))


if __name__ == "__main__":
    if sys.argv[1:]:
        _as_child(*sys.argv[1:])
    else:
        main()
