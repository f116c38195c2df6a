"""
Play a tournament of bots to its end: one worker, two API processes, everybody through REST.

Half of the bots use one process and half the other, so both processes write to every table. The
measure is an action, from sending the request to the whole answer. Each bot follows a stream of its
turns, and answers each with one request at once. The load is a process of its own. It decodes
little and decides at random, so that the figures are those of the service. The load and the stack
share this machine.
"""

import asyncio
import json
import math
import os
import platform
import random
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import uvloop

from bench.client import Connection, Lines, Person
from service.base.children import dying_with
from service.base.settings import PREFIX, environment
from service.base.shipped import ROOT
from service.process.supervisor import Stack
from service.sandbox.bots.player import STALE

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

STACK_CHIPS = 150
_READY = b"GET /readyz HTTP/1.1\r\nHost: bench\r\n\r\n"
_READY_SECONDS = 60.0
_AUDIT_SECONDS = 300.0
_SEATING = (b'"play_started"', b'"round_seated"', b'"final_seated"')
_FINISHED = b'"tournament_finished"'


class Legal(msgspec.Struct):
    """The parts of a legal action that a bot reads."""

    verb: str
    max: int | None = None


class Mine(msgspec.Struct):
    """A bot's own cards."""

    cards: list[str] = []


class View(msgspec.Struct):
    """The parts of a table that a bot reads."""

    legal: list[Legal]
    me: Mine


class Turn(msgspec.Struct):
    """The parts of a turn that a bot reads."""

    table: str
    decision: str
    view: View


_turn = msgspec.json.Decoder(Turn)


@dataclass(slots=True)
class Timed:
    """The seconds that accepted actions took, and all other answers."""

    actions: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    """Answers of 500 and above. There should be none."""

    refused: list[str] = field(default_factory=list)
    """Refusals other than those of late actions."""

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


class Bot:
    """A player with a stream of its turns, and a connection for its actions."""

    def __init__(self, base: str, person: Person, timed: Timed, luck: random.Random) -> None:
        self._base = base
        self._person = person
        self._timed = timed
        self._luck = luck
        self._answered: tuple[str, str] | None = None
        self._acting: set[asyncio.Task[None]] = set()

    async def play(self) -> None:
        """Follow the stream for as long as the task runs. A stream lives for minutes."""
        asked = (
            "GET /v1/me/stream HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n"
            f"Authorization: Bearer {self._person.token}\r\nAccept: application/x-ndjson\r\n\r\n"
        )
        while True:
            await Lines(asked.encode(), (b'"type":"turn",',), self._take).follow(self._base)

    def _take(self, line: bytes) -> None:
        turn = _turn.decode(line)
        if self._answered == (turn.table, turn.decision):
            return  # the stream repeats a turn when its deadline changes
        self._answered = turn.table, turn.decision
        task = asyncio.create_task(self._act(turn))
        self._acting.add(task)
        task.add_done_callback(self._acting.discard)

    async def _act(self, turn: Turn) -> None:
        body = {"decision": turn.decision} | self._choose(turn.view)
        asked = time.perf_counter()
        status, told = await self._person.send(f"/v1/tables/{turn.table}/actions", body)
        if status < 400:
            self._timed.actions.append(time.perf_counter() - asked)
            return
        shown = f"{status} for {body['type']}: {told.decode()}"
        if status >= 500:
            self._timed.failed.append(shown)
        elif json.loads(told)["code"] not in STALE:
            self._timed.refused.append(shown)

    def _choose(self, view: View) -> dict[str, Any]:
        legal = {each.verb: each for each in view.legal}
        if "select" in legal:
            return {"type": "select", "cards": view.me.cards[:1]}
        if "improve" in legal:
            return {"type": "improve", "cards": []}
        lot = self._luck.random()
        if "raise_to" in legal and lot < 0.1:
            return {"type": "raise_to", "amount": legal["raise_to"].max}
        if "check" in legal:
            return {"type": "check"}
        return {"type": "fold" if lot > 0.7 else "call"}


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


async def _answering(url: str) -> None:
    async with asyncio.timeout(_READY_SECONDS):
        while True:
            try:
                status, _ = await Connection(url).ask(
                    b"GET /readyz HTTP/1.1\r\nHost: bench\r\n\r\n"
                )
            except OSError:
                status = 0
            if status == 200:
                return
            await asyncio.sleep(0.05)  # nothing signals that another process's socket opens


async def signed_up(url: str, name: str) -> Person:
    """Make an account, and return a client with its token."""
    person = Person(Connection(url))
    known = {"login": name, "password": "a long night ahead"}
    await person.post("/v1/accounts", known | {"name": name})
    person.token = (await person.post("/v1/tokens", known))["token"]
    return person


async def play(urls: tuple[str, ...], bots: int, terms: dict[str, Any]) -> Crowd:
    """Have *bots* play one tournament to its end, spread over the processes at *urls*."""
    await asyncio.gather(*map(_answering, urls))
    host = await signed_up(urls[0], "host")
    league = (await host.post("/v1/leagues", {"name": "Crowd", "sandbox": True}))["id"]
    invited = {"role": "player", "uses": bots}
    code = (await host.post(f"/v1/leagues/{league}/invitations", invited))["code"]
    asked = {"name": "Crowd", "ruleset": "better", "table_seats": SEATS, "bots": "only"}
    asked |= {"entrants_max": bots, "hands_between_seconds": 0, "decision_seconds": 60}
    asked |= terms | {"overrides": ORBIT | terms.get("overrides", {})}
    tournament = (await host.post(f"/v1/leagues/{league}/tournaments", asked))["id"]
    door, timed = asyncio.Semaphore(SIGNING_UP), Timed()

    async def enter(number: int) -> Bot:
        url = urls[number % len(urls)]
        async with door:
            person = await signed_up(url, f"bot{number}")
            await person.post(f"/v1/invitations/{code}/accept", {})
            await person.post(f"/v1/tournaments/{tournament}/registrations", {"bot": True})
        return Bot(url, person, timed, random.Random(number))

    players = await asyncio.gather(*map(enter, range(bots)))
    playing = [asyncio.create_task(bot.play()) for bot in players]
    watching = asyncio.create_task(_to_the_end(urls[0], host, tournament))
    began = time.perf_counter()
    await host.post(f"/v1/tournaments/{tournament}/start", {})
    # A bot plays until it is stopped. If one has ended, it has failed.
    done, _ = await asyncio.wait([watching, *playing], return_when=asyncio.FIRST_COMPLETED)
    seconds = time.perf_counter() - began
    for each in playing:
        each.cancel()
    for each in playing:
        if each in done:
            each.result()
    tables, finished = await watching
    return Crowd(bots, len(tables), seconds, timed, finished, await audited(host, league))


async def _to_the_end(url: str, host: Person, tournament: str) -> tuple[set[str], dict[str, Any]]:
    """Return all tables of a tournament, and the data of its last event."""
    tables: set[str] = set()
    ended: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def hear(line: bytes) -> None:
        item = json.loads(line.partition(b"data: ")[2])
        data = item["data"]
        match item["type"]:
            case "tournament_finished":
                ended.set_result(data)
            case "play_started":
                tables.update(data["tables"])
            case "round_seated":
                tables.update(each["table"] for each in data["tables"])
            case "final_seated":
                tables.update(each["table"] for each in data["assignments"])

    asked = (
        f"GET /v1/tournaments/{tournament}/events HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n"
        f"Authorization: Bearer {host.token}\r\nAccept: text/event-stream\r\n"
    )
    while not ended.done():
        tables.clear()  # each stream begins with the first event
        lines = Lines(f"{asked}\r\n".encode(), (*_SEATING, _FINISHED), hear)
        following = asyncio.create_task(lines.follow(url))
        awaited: list[asyncio.Future[Any]] = [following, ended]
        await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
        if following.done():
            following.result()
        following.cancel()
    return tables, ended.result()


async def audited(host: Person, league: str) -> dict[str, Any]:
    """Have the league audited, and return the report."""
    started = await host.post(f"/v1/leagues/{league}/audits", {})
    async with asyncio.timeout(_AUDIT_SECONDS):
        while True:
            operation = await host.get(f"/v1/operations/{started['operation']}")
            if operation["result"] is not None:
                return dict(operation["result"])
            await asyncio.sleep(0.5)  # an operation has no feed, so ask again


async def load(*urls: str) -> None:
    """Play, and print the figures with the processor time of this process."""
    used = time.process_time()
    terms = {"starting_stack": STACK_CHIPS, "overrides": {"starting_stack": STACK_CHIPS}}
    crowd = await play(urls, BOTS, terms)
    timed, verdict = crowd.timed, "passed" if crowd.audit["passed"] else "failed"
    print(crowd.line())
    print(
        f"  slowest action {max(timed.actions) * 1e3:.0f} ms; answers of 500 and above: "
        f"{len(timed.failed)}, refusals: {len(timed.refused)}; the audit {verdict}; "
        f"the load's own processor time {time.process_time() - used:.1f} s",
        flush=True,
    )


def main() -> None:
    """Play the tournament once, and print its figures."""
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores", flush=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with TemporaryDirectory(prefix="holotable-") as directory:
        data = Path(directory) / "d"
        stack = Stack(data, keep=True, durable=True, options=OPTIONS)
        with stack, another_api(stack, data / "api2.log") as second:
            command = [sys.executable, "-m", "bench.crowd", stack.url, second]
            subprocess.run(command, cwd=ROOT, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"  of all processes, with their start and the audit: {spent:.1f} s")


if __name__ == "__main__":
    uvloop.run(load(*sys.argv[1:]))
