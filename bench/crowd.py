"""
Play a tournament of bots to its end: one worker, two API processes, everybody through REST.

Half of the bots use one process and half the other, so both processes write to every table. The
measure is an action, from sending the request to the whole answer. The bots, the feeds and the
stack share this machine.
"""

import asyncio
import math
import os
import platform
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from rich.console import Console

from service.base.children import dying_with
from service.base.settings import PREFIX, environment
from service.base.shipped import ROOT
from service.process.supervisor import Stack
from service.sandbox.bots.client import Client
from service.sandbox.bots.player import Player
from service.sandbox.demo.floor import Floor
from service.sandbox.demo.teller import Story, Teller

BOTS = 180
SEATS = 6
ORBIT = {"escalation": {"kind": "double_per_orbit"}}
"""
A tournament with several tables has levels by the clock by default, which are too slow for
bots.
"""
OPTIONS = {"tick_milliseconds": 50, "sweep_seconds": 1, "worker_processes": 1}
SIGNING_UP = 8
"""Accounts created at once. Each costs a slow hash of a password."""

_READY_SECONDS = 60.0
_AUDIT_SECONDS = 300.0


@dataclass(slots=True)
class Timed:
    """The seconds that accepted actions took, and all other answers."""

    actions: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    """Answers of 500 and above. There should be none."""

    async def began(self, request: httpx.Request) -> None:
        """Note when a request is sent."""
        request.extensions["began"] = time.perf_counter()

    async def ended(self, response: httpx.Response) -> None:
        """Note how long an action took; a feed never ends, and is left alone."""
        request = response.request
        if response.status_code >= 500:
            await response.aread()
            self.failed.append(f"{request.method} {request.url.path}: {response.text}")
        elif request.url.path.endswith("/actions") and response.is_success:
            await response.aread()
            self.actions.append(time.perf_counter() - request.extensions["began"])

    def percentile(self, share: float) -> float:
        """Return the time within which *share* of the actions were answered."""
        ordered = sorted(self.actions)
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


@dataclass(frozen=True, slots=True)
class Crowd:
    """The figures of a tournament of bots."""

    bots: int
    tables: int
    seconds: float
    """Seconds from the start of play to the result."""
    timed: Timed
    refused: tuple[str, ...]
    """Refusals other than those of late actions."""
    finished: dict[str, Any]
    audit: dict[str, Any]
    """The worker's report on the league's log."""

    def line(self) -> str:
        """Return the figures in one line."""
        took, count = self.timed, len(self.timed.actions)
        return (
            f"{self.bots} bots, {self.tables} tables, 2 API processes, 1 worker: "
            f"{self.seconds:.1f} s, {count} actions ({count / self.seconds:.0f}/s), "
            f"p50 {took.percentile(0.5) * 1e3:.0f} ms, p99 {took.percentile(0.99) * 1e3:.0f} ms"
        )


@contextmanager
def another_api(stack: Stack, log: Path) -> Iterator[str]:
    """Serve the same stack from a second process, and yield its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = stack.settings("api")
    inherited = {name: it for name, it in os.environ.items() if not name.startswith(PREFIX)}
    told = environment(settings) | {f"{PREFIX}PORT": str(port)}
    with log.open("ab") as output:
        child = subprocess.Popen(
            [sys.executable, "-m", "service.cli.main", "api"],
            env=inherited | told,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=dying_with(os.getpid(), signal.SIGTERM),  # noqa: PLW1509 - no threads yet
        )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        child.terminate()
        child.wait(15)


@asynccontextmanager
async def connected(urls: tuple[str, ...], timed: Timed) -> AsyncIterator[list[httpx.AsyncClient]]:
    """Open one pool of connections for each process, once it answers."""
    async with AsyncExitStack() as opened:
        pools = []
        for url in urls:
            pool = httpx.AsyncClient(
                base_url=url,
                timeout=60,
                limits=httpx.Limits(max_connections=256),
                event_hooks={"request": [timed.began], "response": [timed.ended]},
            )
            pools.append(await opened.enter_async_context(pool))
            async with asyncio.timeout(_READY_SECONDS):
                while not await _answers(pool):  # noqa: ASYNC110 - another process's socket
                    await asyncio.sleep(0.05)
        yield pools


async def _answers(pool: httpx.AsyncClient) -> bool:
    try:
        return (await pool.get("/readyz")).is_success
    except httpx.TransportError:
        return False


async def signed_up(http: httpx.AsyncClient, name: str) -> Client:
    """Make an account, and return what speaks with its token."""
    body = {"login": name, "password": "a long night ahead", "name": name}
    await Client(http, name).post("/v1/accounts", body)
    made = await Client(http, name).post(
        "/v1/tokens", {"login": name, "password": body["password"]}
    )
    return Client(http, name, made["token"])


async def play(urls: tuple[str, ...], bots: int, terms: dict[str, Any]) -> Crowd:
    """Have *bots* play one tournament to its end, spread over the processes at *urls*."""
    timed = Timed()
    async with connected(urls, timed) as pools:
        host = await signed_up(pools[0], "host")
        league = (await host.post("/v1/leagues", {"name": "Crowd", "sandbox": True}))["id"]
        invited = {"role": "player", "uses": bots}
        code = (await host.post(f"/v1/leagues/{league}/invitations", invited))["code"]
        asked = {"name": "Crowd", "ruleset": "better", "table_seats": SEATS, "bots": "only"}
        asked |= {"entrants_max": bots, "hands_between_seconds": 0, "decision_seconds": 60}
        asked |= terms | {"overrides": ORBIT | terms.get("overrides", {})}
        tournament = (await host.post(f"/v1/leagues/{league}/tournaments", asked))["id"]
        door = asyncio.Semaphore(SIGNING_UP)

        async def enter(number: int) -> tuple[str, Player]:
            async with door:
                name = f"bot{number}"
                client = await signed_up(pools[number % len(pools)], name)
                await client.post(f"/v1/invitations/{code}/accept", {})
                path = f"/v1/tournaments/{tournament}/registrations"
                entrant = (await client.post(path, {"bot": True}))["entrant"]
                return entrant, Player(client=client, name=name, seed=7)

        players = dict(await asyncio.gather(*map(enter, range(bots))))
        teller = Teller(Console(file=StringIO()), steps=1)
        story = Story(teller, {entrant: bot.name for entrant, bot in players.items()})
        floor = Floor(watcher=host, players=players, story=story)
        following = asyncio.create_task(floor.follow(tournament))
        began = time.perf_counter()
        await host.post(f"/v1/tournaments/{tournament}/start", {})
        finished = await following
        seconds = time.perf_counter() - began
        refused = tuple(each for bot in players.values() for each in bot.refused)
        return Crowd(
            bots=bots,
            tables=len(floor.feeds),
            seconds=seconds,
            timed=timed,
            refused=refused,
            finished=finished,
            audit=await audited(host, league),
        )


async def audited(host: Client, league: str) -> dict[str, Any]:
    """Have the league audited, and return the report."""
    started = await host.post(f"/v1/leagues/{league}/audits", {})
    async with asyncio.timeout(_AUDIT_SECONDS):
        while True:
            operation = await host.get(f"/v1/operations/{started['operation']}")
            if operation["result"] is not None:
                return dict(operation["result"])
            await asyncio.sleep(0.5)  # an operation has no feed, so ask again


def main() -> None:
    """Play the tournament once, and print its figures."""
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores")
    with TemporaryDirectory(prefix="holotable-") as directory:
        data = Path(directory) / "d"
        stack = Stack(data, keep=True, durable=True, options=OPTIONS)
        with stack, another_api(stack, data / "api2.log") as second:
            cpu = time.process_time()
            terms = {"starting_stack": 150, "overrides": {"starting_stack": 150}}
            crowd = asyncio.run(play((stack.url, second), BOTS, terms))
            used = time.process_time() - cpu
    print(crowd.line())
    print(f"  the bots' own CPU: {used:.1f} s; answers of 500 and above: {len(crowd.timed.failed)}")
    median = statistics.median(crowd.timed.actions) * 1e3
    print(f"  median {median:.1f} ms, slowest {max(crowd.timed.actions) * 1e3:.0f} ms")
