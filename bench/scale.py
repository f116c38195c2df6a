"""
Measure an installation while its log grows: at 10^3, 10^5 and 10^6 events, or as many as you say.

``BENCH_EVENTS`` names the sizes, ``BENCH_TABLES`` the tables of six at play in one league,
``BENCH_STREAMS`` the idle streams, and ``BENCH_RATE`` the actions a second of the paced round. The
log is filled by copies of a league that was played (``bench/filling.py``), each a league of its
own. The load and the idle streams are processes of their own.
"""

import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import psycopg
import uvloop

from bench.filling import fill
from bench.installation import DATABASE, PASSWORD, SECRET, apis, server
from bench.playing import Game, Measured, sit_down
from bench.rebuild import rebuilt
from bench.streams import owner
from engine.coordination.aggregates import DECIDERS
from service.base.addresses import asyncpg_dsn
from service.base.embedded import Cluster
from service.base.shipped import ROOT
from service.log.codec import Codec
from service.log.states import StateCache
from service.log.store import PostgresStore

SIZES = [int(each) for each in os.environ.get("BENCH_EVENTS", "1000,100000,1000000").split(",")]
TABLES = int(os.environ.get("BENCH_TABLES", "100"))
STREAMS = int(os.environ.get("BENCH_STREAMS", "1000"))
RATE = float(os.environ.get("BENCH_RATE", "500"))
LEAGUES = 1000
SECONDS = 5.0
WARM_SECONDS = 1.0 + TABLES / 50
"""The time before a round is measured. All players of all tables read their views in it."""

PLAYED_SECONDS = 2.0
"""The time for which the league to be copied is played before its events are counted."""

EVENTS_AN_ACTION = 2
"""The events that an action writes on average."""

ACTING = 64
"""Tables that act at once in the unpaced round."""

COLD = 50
"""Tables loaded by a process that has read nothing."""

Found = dict[str, str]


# -- the load, in a process of its own


async def load(url: str) -> None:
    """Play the league that is copied. Then play a round for each line that comes in."""
    first = await sit_down(url, 2)
    acted = 0
    while acted * EVENTS_AN_ACTION < SIZES[-1] / LEAGUES:
        begun = time.perf_counter()
        measured = Measured(begun, begun + PLAYED_SECONDS)
        await asyncio.gather(*(game.play(measured) for game in first))
        acted += len(measured.spent)
    print(json.dumps(first[0].table), flush=True)
    games = await sit_down(url, TABLES)
    print(json.dumps([game.table for game in games]), flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        begun = time.perf_counter() + WARM_SECONDS
        measured = Measured(begun, begun + SECONDS)
        cpu = time.process_time()
        if line.strip() == "paced":
            await _paced(games, measured)
        else:
            await _fast(games, measured)
        spent = sorted(measured.spent)
        told = {
            "rate": len(spent) / SECONDS,
            "p50": statistics.median(spent) * 1e3,
            "p99": spent[len(spent) * 99 // 100] * 1e3,
            "load": (time.process_time() - cpu) / (WARM_SECONDS + SECONDS),
        }
        print(json.dumps(told), flush=True)


async def _fast(games: Sequence[Game], measured: Measured) -> None:
    """Let ``ACTING`` tables act at once, those that have waited longest."""
    idle = deque(games)

    async def act() -> None:
        while time.perf_counter() < measured.until:
            game = idle.popleft()
            await game.step(measured)
            idle.append(game)

    await asyncio.gather(*(act() for _ in range(min(ACTING, len(games)))))


async def _paced(games: Sequence[Game], measured: Measured) -> None:
    """Begin ``RATE`` actions a second, each at the table that has waited longest."""
    idle: asyncio.Queue[Game] = asyncio.Queue()
    for game in games:
        idle.put_nowait(game)
    acting: set[asyncio.Task[None]] = set()

    async def act(game: Game) -> None:
        await game.step(measured)
        idle.put_nowait(game)

    due = time.perf_counter()
    while due < measured.until:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        due += 1 / RATE
        task = asyncio.create_task(act(await idle.get()))
        acting.add(task)
        task.add_done_callback(acting.discard)
    await asyncio.gather(*acting)


# -- what is measured beside it


async def cold(url: str, tables: Sequence[str]) -> list[float]:
    """Return the milliseconds of loading each table's state with nothing in memory."""
    store = PostgresStore(url, SECRET)
    await store.start()
    league = await _league_of(url, tables[0])
    await store.keys(league)
    took = []
    for table in tables[:COLD]:
        cache = StateCache(store, Codec(DECIDERS), 1)
        begun = time.perf_counter()
        await cache.load(league, f"table-{table.removeprefix('tbl_')}")  # type: ignore[arg-type]
        took.append((time.perf_counter() - begun) * 1e3)
    await store.aclose()
    return took


async def _league_of(url: str, table: str) -> UUID:
    connection = await asyncpg.connect(asyncpg_dsn(url))
    try:
        found: UUID = await connection.fetchval(
            "SELECT league FROM events WHERE stream = $1 AND stream_version = 1",
            f"table-{table.removeprefix('tbl_')}",
        )
    finally:
        await connection.close()
    return found


async def grow(url: str, template: str, events: int, done: int) -> int:
    """Copy the played league until the log holds *events*. Return the number of copies."""
    league = await _league_of(url, template)
    connection = await asyncpg.connect(asyncpg_dsn(url))
    try:
        made = await fill(connection, league, events, LEAGUES, done)
        # What the filling left to the disk and to the next reader must not be measured.
        await connection.execute("VACUUM (ANALYZE) events")
        await connection.execute("CHECKPOINT")
    finally:
        await connection.close()
    return made


def _resident(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def _events(cluster: Cluster) -> tuple[int, int, int]:
    """Return the number of events, of leagues, and the bytes of the log with its indexes."""
    asked = "SELECT count(*), count(DISTINCT league), pg_total_relation_size('events') FROM events"
    with psycopg.connect(cluster.url(DATABASE)) as connection:
        row = connection.execute(asked).fetchone()
    assert row is not None
    return int(row[0]), int(row[1]), int(row[2])


class Load:
    """The process that plays."""

    def __init__(self, url: str) -> None:
        self._child = subprocess.Popen(
            [sys.executable, "-m", "bench.scale", url],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def read(self) -> Any:
        """Return the load's next answer."""
        assert self._child.stdout is not None
        return json.loads(self._child.stdout.readline())

    def round(self, kind: str) -> dict[str, float]:
        """Return the figures of a round, ``paced`` or as fast as the service answers."""
        assert self._child.stdin is not None
        self._child.stdin.write(f"{kind}\n".encode())
        self._child.stdin.flush()
        return dict(self.read())

    def stop(self) -> None:
        """End the process."""
        assert self._child.stdin is not None
        self._child.stdin.close()
        self._child.wait()


def measure(cluster: Cluster, pid: int, playing: Load, tables: Sequence[str]) -> Found:
    """Return the figures of the log's present size."""
    events, leagues, size = _events(cluster)
    fast, paced = playing.round("fast"), playing.round("paced")
    loads = asyncio.run(cold(cluster.url(DATABASE, "holotable_api", PASSWORD), tables))
    projector = cluster.url(DATABASE, "holotable_project", PASSWORD)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        built = pool.submit(rebuilt, projector, SECRET).result()
    after = _events(cluster)[0]
    return {
        "events": f"{events:,}",
        "leagues": f"{leagues:,}",
        "actions/s": f"{fast['rate']:,.0f}",
        f"p50 at {RATE:.0f}/s, ms": f"{paced['p50']:.1f}",
        f"p99 at {RATE:.0f}/s, ms": f"{paced['p99']:.1f}",
        "paced, reached/s": f"{paced['rate']:,.0f}",
        "the load's core": f"{paced['load']:.2f}",
        "memory of the API, MB": f"{_resident(pid):,.0f}",
        "cold load of a table, ms": f"{statistics.median(loads):.1f}",
        "rebuild, events/s": f"{after / built.seconds:,.0f}",
        "rebuild, memory, MB": f"{built.memory / 2**20:,.0f}",
        "log on disk, bytes an event": f"{size / events:,.0f}",
    }


def main() -> None:
    """Print a column for each size."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    print(
        f"{os.cpu_count()} cores; {TABLES} tables of six in one league, {STREAMS} idle streams of "
        f"another, one API process; rounds of {SECONDS:.0f} s",
        flush=True,
    )
    with ExitStack() as stack:
        cluster = stack.enter_context(server())
        api = stack.enter_context(apis(cluster, 1))[0]
        playing = Load(api.url)
        stack.callback(playing.stop)
        template, tables = playing.read(), playing.read()
        holding = _hold(stack, api.url)
        found: list[Found] = []
        copies = 0
        for size in SIZES:
            copies = asyncio.run(grow(cluster.url(DATABASE), template, size, copies))
            found.append(measure(cluster, api.pid, playing, tables))
            print(json.dumps(found[-1]), file=sys.stderr, flush=True)
        assert holding.poll() is None, "the process with the idle streams has ended"
    for name in found[0]:
        print(f"| {name} | {' | '.join(each[name] for each in found)} |")


def _hold(stack: ExitStack, url: str) -> subprocess.Popen[bytes]:
    async def sign_up() -> tuple[str, str]:
        person = await owner(url)
        league = (await person.post("/v1/leagues", {"name": "Quiet"}))["id"]
        return f"/v1/leagues/{league}/events", person.token

    path, token = uvloop.run(sign_up())
    child = subprocess.Popen(
        [sys.executable, "-m", "bench.streams", "hold", url, path, token],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    stack.callback(child.wait)
    assert child.stdin is not None
    assert child.stdout is not None
    stack.callback(child.stdin.close)
    child.stdout.readline()
    child.stdin.write(f"{STREAMS}\n".encode())
    child.stdin.flush()
    child.stdout.readline()
    return child


if __name__ == "__main__":
    if sys.argv[1:]:
        uvloop.run(load(sys.argv[1]))
    else:
        main()
