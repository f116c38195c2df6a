"""
Measure the cost of one league's idle streams for another league.

One process serves the API, another holds the streams, and a third plays tables and writes.
Rounds alternate between no streams and the given number, so that other load on the machine
meets both. Nobody writes to the league that is streamed.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import psycopg
import uvloop

from bench.client import Connection, Person
from bench.http import await_port, free_port
from bench.playing import Game, Measured, sit_down
from service.base import database, migrations
from service.base.embedded import Cluster, binaries
from service.base.settings import Settings, environment, read
from service.base.shipped import ROOT
from service.process.app import run

STREAMS = 1000
TABLES = 2
ROUNDS = 3
SECONDS = 4.0
WRITES = 40
_PASSWORD = "bench"
_STATEMENTS = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'ours'"


async def _stream(url: str, path: str, token: str, opened: asyncio.Semaphore) -> Any:
    """Open a stream and wait until its beginning has arrived."""
    address = urlsplit(url)
    async with opened:
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.write(
            f"GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n"
            "Accept: text/event-stream\r\n\r\n".encode()
        )
        await reader.readuntil(b"data: ")
    return reader, writer


async def hold(url: str, path: str, token: str) -> None:
    """For each line that comes in, open or close as many streams as it says."""
    held: list[Any] = []
    draining: list[asyncio.Task[Any]] = []
    print("ready", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        for task in draining:
            task.cancel()
        for _, writer in held:
            writer.close()
        opened = asyncio.Semaphore(16)
        wanted = range(int(line))
        held = await asyncio.gather(*(_stream(url, path, token, opened) for _ in wanted))
        draining = [asyncio.create_task(_drain(reader)) for reader, _ in held]
        print("held", flush=True)


async def _drain(reader: asyncio.StreamReader) -> None:
    while await reader.read(65536):
        pass


async def load(url: str, superuser: str) -> None:
    """Print the rates of rounds without and with streams, and their ratio."""
    games = await sit_down(url, TABLES)
    writer = await owner(url)
    league = (await writer.post("/v1/leagues", {"name": "Quiet"}))["id"]
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.streams", "hold", url, f"/v1/leagues/{league}/events",
        writer.token, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip
    assert child.stdin is not None
    assert child.stdout is not None
    await child.stdout.readline()
    seen: dict[int, list[dict[str, float]]] = {0: [], STREAMS: []}
    with psycopg.connect(superuser, autocommit=True) as watching:
        for _ in range(ROUNDS):
            for count, rounds in seen.items():
                child.stdin.write(f"{count}\n".encode())
                await child.stdout.readline()
                await asyncio.sleep(2)  # until the cost of opening them is over
                rounds.append(await _round(games, writer, watching))
                print(json.dumps({"streams": count} | rounds[-1]), flush=True)
    child.stdin.close()
    await child.wait()
    for name, unit in (("rate", "actions/s"), ("write", "ms a write"), ("idle", "statements/s")):
        few, many = [statistics.median(each[name] for each in seen[n]) for n in seen]
        print(f"  {unit}: {few:,.1f} without, {many:,.1f} with {STREAMS} idle streams", flush=True)
    ratios = [many["rate"] / few["rate"] for few, many in zip(seen[0], seen[STREAMS], strict=True)]
    print(
        f"  ratio of actions with to without: {statistics.median(ratios):.2f} "
        f"({min(ratios):.2f} to {max(ratios):.2f}) (aim 0.9)"
    )


async def owner(url: str) -> Person:
    """Return a person who is signed in and plays nowhere."""
    person = Person(Connection(url))
    wanted = {"login": "quiet", "password": "correct horse", "name": "Quiet"}
    await person.post("/v1/accounts", wanted)
    known = {"login": "quiet", "password": "correct horse"}
    person.token = (await person.post("/v1/tokens", known))["token"]
    return person


async def _round(games: list[Game], writer: Person, watching: Any) -> dict[str, float]:
    before, begun = _statements(watching), time.perf_counter()
    await asyncio.sleep(SECONDS)
    idle = (_statements(watching) - before) / (time.perf_counter() - begun)
    start = time.perf_counter()
    measured = Measured(start, start + SECONDS)
    await asyncio.gather(*(game.play(measured) for game in games))
    other = (await writer.post("/v1/leagues", {"name": "Other"}))["id"]
    took = []
    for _ in range(WRITES):
        asked = time.perf_counter()
        await writer.post(f"/v1/leagues/{other}/invitations", {})
        took.append(time.perf_counter() - asked)
    return {
        "rate": len(measured.spent) / SECONDS,
        "write": statistics.median(took) * 1000,
        "idle": idle,
    }


def _statements(watching: Any) -> int:
    watching.execute("SELECT pg_stat_clear_snapshot()")
    found = watching.execute(_STATEMENTS).fetchone()
    return int(found[0])


def main() -> None:
    """Serve, hold streams, play and print."""
    with (
        TemporaryDirectory(prefix="holotable-bench-") as directory,
        Cluster(Path(directory) / "cluster", binaries(os.environ), durable=True) as cluster,
    ):
        database.create_roles(cluster.url(), dict.fromkeys(database.LOGINS, _PASSWORD))
        database.create_database(cluster.url(), "ours")
        migrations.migrate(cluster.url("ours", "holotable_migrate", _PASSWORD))
        measure(cluster)


def measure(cluster: Cluster) -> None:
    """Serve the API from a process of its own, and load it."""
    port = free_port()
    settings = Settings(
        database_url=cluster.url("ours", "holotable_api", _PASSWORD),
        secret_key="a key of the benchmark, and of nothing else",
        log_level="error", port=port, token_streams=5000, account_streams=5000,
    )  # fmt: skip
    api = subprocess.Popen(
        [sys.executable, "-m", "bench.streams", "api"],
        cwd=ROOT, env=os.environ | environment(settings),
    )  # fmt: skip
    try:
        await_port(port)
        uvloop.run(load(f"http://127.0.0.1:{port}", cluster.url()))
    finally:
        api.terminate()
        api.wait(15)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["hold", url, path, token]:
            uvloop.run(hold(url, path, token))
        case ["api"]:
            run(read(os.environ))
        case _:
            main()
