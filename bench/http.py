"""
What an action costs over HTTP, against a bare endpoint that INSERTs one row.

The whole stack runs as ``holotable up`` runs it: the API, the read models and a
worker, each a process, on one durable server.  Beside it one process serves an
endpoint of the same framework that does one INSERT and commits.  Both are asked
from a third process, first one request at a time, then by many at once.  Players
read their table between two actions: these reads are not timed, but at a table
that waits for other tables' reads they count against us, as they do in play.
"""

import asyncio
import json
import os
import platform
import random
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import uvicorn
import uvloop
from litestar import Litestar, post
from litestar.datastructures import State

from service import database
from service.database import asyncpg_dsn
from service.supervisor import Stack

SECONDS = 8.0
WARM_SECONDS = 1.0
TABLES = (1, 32)
"""Tables played at once, two players each; one league for them all."""

CONNECTIONS = 8
"""Of the bare endpoint's pool, as many as the API's."""

STALLED_SECONDS = 5.0
"""A table at which nobody may act for so long ends the run with an error."""

CHANGES = {"log_level": "warning", "database_connections": CONNECTIONS}


# -- the bare endpoint, in a process of its own


def bare(url: str) -> Litestar:
    """Return an application whose only route INSERTs one row and commits."""

    async def connect(app: Litestar) -> None:
        app.state.pool = await asyncpg.create_pool(
            asyncpg_dsn(url), min_size=CONNECTIONS, max_size=CONNECTIONS
        )

    @post("/insert", status_code=200)
    async def insert(state: State) -> dict[str, int]:
        number = await state.pool.fetchval(
            "INSERT INTO bench_bare (note) VALUES ($1) RETURNING id", "x" * 200
        )
        return {"id": number}

    return Litestar([insert], on_startup=[connect], openapi_config=None, logging_config=None)


# -- the load, in a process of its own


class Connection:
    """One connection that is kept; as little of HTTP as a load needs."""

    def __init__(self, base: str) -> None:
        parts = urlsplit(base)
        self._host, self._port = str(parts.hostname), int(parts.port or 80)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(
        self, method: str, path: str, headers: dict[str, str], body: Any = None
    ) -> tuple[int, Any]:
        """Return the status and the decoded body."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        content = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self._host}:{self._port}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if content:
            lines.append("Content-Type: application/json")
        lines += [f"Content-Length: {len(content)}", "", ""]
        writer.write("\r\n".join(lines).encode() + content)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(head.partition("content-length: ")[2].partition("\r\n")[0] or 0)
        found = await reader.readexactly(length)
        return int(head.split(" ", 2)[1]), json.loads(found) if found else None

    def close(self) -> None:
        """Close it."""
        if self._streams is not None:
            self._streams[1].close()


@dataclass
class Person:
    """Somebody with an account, and a connection."""

    connection: Connection
    token: str = ""

    async def get(self, path: str) -> Any:
        """Read; an error ends the run."""
        return await self._ask("GET", path, {})

    async def post(self, path: str, body: Any) -> Any:
        """Send a command under a key of its own; an error ends the run."""
        return await self._ask(
            "POST", path, {"Idempotency-Key": f"{random.getrandbits(120):x}"}, body
        )

    async def _ask(self, method: str, path: str, headers: dict[str, str], body: Any = None) -> Any:
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        status, found = await self.connection.ask(method, path, headers, body)
        if status >= 400:
            raise RuntimeError(f"{method} {path}: {status} {found}")
        return found


@dataclass
class Measured:
    """What a load saw, from the end of its warm-up on."""

    begun: float = 0.0
    until: float = 0.0
    spent: list[float] = field(default_factory=list)
    reads: int = 0
    kinds: dict[str, int] = field(default_factory=dict)

    async def timed(self, work: Awaitable[Any], kind: str) -> Any:
        """Await *work* and keep how long it took."""
        asked = time.perf_counter()
        found = await work
        if self.begun <= asked < self.until:
            self.spent.append(time.perf_counter() - asked)
            self.kinds[kind] = self.kinds.get(kind, 0) + 1
        return found

    def read(self) -> None:
        """Count a read between two actions."""
        self.reads += self.begun <= time.perf_counter() < self.until


async def sit_down(base: str, tables: int) -> list[tuple[str, list[Person]]]:
    """
    Return *tables* tables of two in one league, each a tournament of its own.

    The blinds stay: the preset doubles them with every orbit, and a tournament for
    two is over after some fifty hands whatever the stacks.
    """
    people: list[Person] = []
    run = f"{random.getrandbits(40):x}"
    for number in range(2):
        person = Person(Connection(base))
        wanted = {"login": f"bench{run}{number}", "password": "correct horse", "name": "Bench"}
        person.token = (await person.post("/v1/accounts", wanted))["token"]["token"]
        people.append(person)
    league = (await people[0].post("/v1/leagues", {"name": "Bench"}))["id"]
    invited = await people[0].post(f"/v1/leagues/{league}/invitations", {})
    await people[1].post(f"/v1/invitations/{invited['code']}/accept", {})
    terms = {
        "name": "Bench", "ruleset": "better",
        "overrides": {"escalation": {"kind": "none"}}, "starting_stack": 1_000_000_000,
        "entrants_max": 2,
        "decision_seconds": 3600, "hands_between_seconds": 0,
    }  # fmt: skip
    found = []
    for _ in range(tables):
        seated = [Person(Connection(base), person.token) for person in people]
        made = (await people[0].post(f"/v1/leagues/{league}/tournaments", terms))["id"]
        for person in seated:
            await person.post(f"/v1/tournaments/{made}/registrations", {})
        await people[0].post(f"/v1/tournaments/{made}/start", {})
        shown = await people[0].get(f"/v1/tournaments/{made}")
        found.append((shown["tables"][0]["id"], seated))
    for person in people:
        person.connection.close()
    return found


async def play(table: str, seated: list[Person], measured: Measured) -> None:
    """Let both players of *table* act in turn, as soon as they are asked."""
    acted = time.perf_counter()
    while time.perf_counter() < measured.until:
        asked = False
        for person in seated:
            view = await person.get(f"/v1/tables/{table}")
            measured.read()
            while view["my_turn"] and time.perf_counter() < measured.until:
                body = action(view)
                path = f"/v1/tables/{table}/actions"
                await measured.timed(person.post(path, body), body["type"])
                acted, asked = time.perf_counter(), True
                break
        if not asked:
            if view["closed"] or time.perf_counter() > acted + STALLED_SECONDS:
                raise RuntimeError(f"nobody may act at {table}: {json.dumps(view)[:500]}")
            await asyncio.sleep(0.002)


def action(view: Any) -> dict[str, Any]:
    """Return the action that keeps a hand going: one card, never a raise, never a fold."""
    body = {"decision": view["decision"]["token"]}
    if view["phase"] == "select":
        return {**body, "type": "select", "cards": view["me"]["cards"][:1]}
    if view["phase"] == "improve":
        return {**body, "type": "improve", "cards": []}
    verbs = {each["verb"] for each in view["legal"]}
    return {**body, "type": next(e for e in ("check", "call", "stay", "fold") if e in verbs)}


async def insert(base: str, measured: Measured) -> None:
    """Ask the bare endpoint again and again."""
    connection = Connection(base)
    while time.perf_counter() < measured.until:
        status, found = await measured.timed(connection.ask("POST", "/insert", {}), "insert")
        if status >= 400:
            raise RuntimeError(f"{status} {found}")
    connection.close()


async def load(what: str, base: str, at_once: int) -> dict[str, Any]:
    """Return what *at_once* tables, or as many clients of the bare endpoint, saw."""
    work: list[Callable[[Measured], Awaitable[None]]] = []
    if what == "actions":
        for table, seated in await sit_down(base, at_once):
            work.append(lambda measured, t=table, s=seated: play(t, s, measured))  # type: ignore[misc]
    else:
        work = [lambda measured: insert(base, measured)] * at_once
    begun = time.perf_counter() + WARM_SECONDS
    measured = Measured(begun, begun + SECONDS)
    cpu = time.process_time()
    await asyncio.gather(*(each(measured) for each in work))
    spent = sorted(measured.spent)
    return {
        "rate": len(spent) / SECONDS,
        "p50": statistics.median(spent) * 1000,
        "p99": spent[len(spent) * 99 // 100] * 1000,
        "reads": measured.reads / SECONDS,
        "cpu": (time.process_time() - cpu) / (WARM_SECONDS + SECONDS),
        "kinds": measured.kinds,
    }


# -- the run


def main() -> None:
    """Print a row for each number of tables."""
    with TemporaryDirectory(prefix="holotable-bench-") as directory:
        stack = Stack(Path(directory) / "stack", keep=False, durable=True, options=CHANGES)
        with stack:
            assert stack.cluster is not None
            superuser = stack.cluster.url()
            database.create_database(superuser, "bare", owner="postgres")
            url = stack.cluster.url("bare")
            asyncio.run(_prepare(url))
            print(_settings(database.server_version(superuser), asyncio.run(_durability(url))))
            port = _free_port()
            endpoint = _child("bare", url, str(port))
            try:
                least = f"http://127.0.0.1:{port}"
                _await(port, endpoint)
                for tables in TABLES:
                    _row(
                        tables, _load("inserts", least, tables), _load("actions", stack.url, tables)
                    )
                stack.check()
            finally:
                endpoint.terminate()
                endpoint.wait(10)


def _row(tables: int, least: dict[str, Any], full: dict[str, Any]) -> None:
    clients = f"{tables} at once"
    for name, each in ((f"actions, {clients}", full), (f"bare INSERT, {clients}", least)):
        reads = f", besides {each['reads']:,.0f} reads/s" if each["reads"] else ""
        print(
            f"{name}: {each['rate']:,.0f}/s, p50 {each['p50']:.2f} ms, p99 {each['p99']:.2f} ms"
            f"{reads}; the load used {each['cpu']:.0%} of a core"
        )
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(full["kinds"].items()))
    print(f"  actions were {kinds}")
    print(
        f"ratio, {clients}: an action takes {full['p50'] / least['p50']:.1f} times as long (p50), "
        f"and there are {full['rate'] / least['rate']:.2f} times as many a second",
        flush=True,
    )


def _settings(server: str, durability: str) -> str:
    used = ", ".join(f"{name} {version(name)}" for name in ("litestar", "uvicorn", "asyncpg"))
    return (
        f"PostgreSQL {server} ({durability}), Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, {used}; one process and {CONNECTIONS} connections each side, "
        f"{SECONDS:.0f} s after {WARM_SECONDS:.0f} s of warm-up"
    )


async def _durability(url: str) -> str:
    connection = await asyncpg.connect(asyncpg_dsn(url))
    names = ("fsync", "synchronous_commit", "full_page_writes")
    found = [f"{name} {await connection.fetchval(f'SHOW {name}')}" for name in names]
    await connection.close()
    return ", ".join(found)


async def _prepare(url: str) -> None:
    connection = await asyncpg.connect(asyncpg_dsn(url))
    await connection.execute("CREATE TABLE bench_bare (id bigserial PRIMARY KEY, note text)")
    await connection.close()


def _child(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "bench.http", *arguments],
        cwd=database.ROOT,
        stdout=subprocess.PIPE,
    )


def _load(what: str, base: str, at_once: int) -> dict[str, Any]:
    child = _child("load", what, base, str(at_once))
    try:
        written, _ = child.communicate(timeout=WARM_SECONDS + SECONDS + 60)
    finally:
        child.kill()
    if child.returncode:
        raise RuntimeError(f"the load of {what} failed")
    found: dict[str, Any] = json.loads(written)
    return found


def _await(port: int, child: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until and child.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the bare endpoint did not come up")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _as_child(role: str, *arguments: str) -> None:
    if role == "bare":
        url, port = arguments
        uvicorn.run(
            bare(url), host="127.0.0.1", port=int(port), log_level="warning",
            access_log=False, server_header=False,
        )  # fmt: skip
    else:
        what, base, at_once = arguments
        print(json.dumps(uvloop.run(load(what, base, int(at_once)))))


if __name__ == "__main__":
    if sys.argv[1:]:
        _as_child(*sys.argv[1:])
    else:
        main()
