"""
Measure the delay of a turn for its player: 100 tables at play, a stream for each player.

Bots know nothing but their stream, and send one request a decision. The measure is the time from
the answer of the action before, which follows its commit, to the arrival of the next turn. If the
turn arrives first, the time is 0.

One process serves the API, one holds idle streams of members who do not play, and one plays. Bots
think before they act, so the rate is given. In saturation a delay would only say how long a queue
is. So each round prints what the processes used of the machine, and the bench says if that leaves
no room. The wait of the players' own loop is printed too: it is part of each delay.
"""

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import uvloop

from bench.client import Connection, Lines, Person
from bench.http import await_port, cpu_seconds, free_port
from bench.installation import server_seconds
from service.base import database, migrations
from service.base.embedded import Cluster, binaries
from service.base.settings import Settings, environment, read
from service.base.shipped import ROOT
from service.process.app import run

TABLES = 100
SEATS = 6
IDLE = 1000
ROUNDS = 2
SECONDS = 8.0
EVENTS = 5
THINK_SECONDS = 2.0
"""The mean time for which a bot thinks. Each turn takes half to one and a half times as long."""

SATURATED = 0.8
"""The used share of all cores above which the delays say nothing about the service."""

_PASSWORD = "bench"
_SIGNING_UP = 8
_TERMS = {
    "name": "Bench", "ruleset": "better",
    "overrides": {"escalation": {"kind": "none"}}, "starting_stack": 1_000_000_000,
    "entrants_max": SEATS, "decision_seconds": 3600, "hands_between_seconds": 0,
}  # fmt: skip


class _Verb(msgspec.Struct):
    verb: str


class _Mine(msgspec.Struct):
    cards: list[str]


class _View(msgspec.Struct):
    legal: list[_Verb]
    me: _Mine | None


class _Item(msgspec.Struct):
    """The parts of an item that bots read. Everything else is skipped, so that bots cost little."""

    type: str
    table: str | None = None
    decision: str | None = None
    view: _View | None = None


class _Event(msgspec.Struct):
    type: str
    data: msgspec.Raw


class _Done(msgspec.Struct):
    events: list[_Event]


class _Opened(msgspec.Struct):
    decision: str


_HEARD = (b'{"type":"turn",', b'{"type":"caught_up",')

_item = msgspec.json.Decoder(_Item)
_done = msgspec.json.Decoder(_Done)
_opened = msgspec.json.Decoder(_Opened)


@dataclass
class Measured:
    """The measurements of one round."""

    on: bool = False
    delays: list[float] = field(default_factory=list)
    """Seconds from the answer of the action before to the arrival of the turn, at least 0."""

    actions: list[float] = field(default_factory=list)
    """Seconds from the sending of an action to its answer, for comparison."""

    waits: list[float] = field(default_factory=list)
    """Seconds that the loop of the players let a timer wait."""

    requests: int = 0
    answered: dict[tuple[str | None, str | None], float] = field(default_factory=dict)
    """The instant of the answer that opened each decision, by table and decision."""

    arrived: dict[tuple[str | None, str | None], int] = field(default_factory=dict)
    """The number of turns that came before that answer."""


class Bot:
    """A player with a stream, and a connection for its actions."""

    def __init__(self, person: Person, measured: Measured) -> None:
        self._person = person
        self._measured = measured
        self._acting: set[asyncio.Task[None]] = set()
        self.caught_up = asyncio.Event()

    async def follow(self, url: str) -> None:
        """Follow the stream until the server ends it."""
        request = (
            "GET /v1/me/stream HTTP/1.1\r\nHost: bench\r\n"
            f"Authorization: Bearer {self._person.token}\r\n"
            "Accept: application/x-ndjson\r\n\r\n"
        )
        await Lines(request.encode(), _HEARD, self._hear).follow(url)

    def _hear(self, line: bytes) -> None:
        self._take(_item.decode(line), time.perf_counter())

    def _take(self, item: _Item, arrived: float) -> None:
        if item.type == "caught_up":
            self.caught_up.set()
        if item.type != "turn":
            return
        measured, key = self._measured, (item.table, item.decision)
        if measured.on:
            begun = measured.answered.get(key)
            if begun is None:
                measured.arrived[key] = measured.arrived.get(key, 0) + 1
            else:
                measured.delays.append(arrived - begun)
        task = asyncio.create_task(self._act(item))
        self._acting.add(task)
        task.add_done_callback(self._acting.discard)

    async def _act(self, item: _Item) -> None:
        await asyncio.sleep(THINK_SECONDS * (0.5 + random.random()))
        measured, counted = self._measured, self._measured.on
        asked = time.perf_counter()
        status, body = await self._person.send(f"/v1/tables/{item.table}/actions", _answer(item))
        now = time.perf_counter()
        assert status == 200, body
        if not counted:
            return
        measured.requests += 1
        measured.actions.append(now - asked)
        for each in _done.decode(body).events:
            if each.type == "decision_opened":
                key = (item.table, _opened.decode(each.data).decision)
                measured.answered[key] = now
                measured.delays.extend([0.0] * measured.arrived.pop(key, 0))


def _answer(item: _Item) -> Any:
    """Return an action that keeps one card, never raises and never folds."""
    if item.view is None or item.view.me is None:
        raise ValueError("a turn without cards")
    verbs = {each.verb for each in item.view.legal}
    body = {"decision": item.decision}
    if "select" in verbs:
        return body | {"type": "select", "cards": item.view.me.cards[:1]}
    if "improve" in verbs:
        return body | {"type": "improve", "cards": []}
    return body | {"type": "check" if "check" in verbs else "call"}


async def sit_down(url: str) -> tuple[list[Person], Person, tuple[Person, str]]:
    """
    Seat six people at each table, each table a tournament.

    Return them, a member who does not play, and the league with its owner.
    """
    run_of, limit = f"{random.getrandbits(40):x}", asyncio.Semaphore(_SIGNING_UP)
    owner = await _signed_up(url, f"owner{run_of}", limit)
    member = await _signed_up(url, f"member{run_of}", limit)
    league = (await owner.post("/v1/leagues", {"name": "Bench"}))["id"]
    invited = await owner.post(f"/v1/leagues/{league}/invitations", {"uses": TABLES * SEATS + 1})
    await member.post(f"/v1/invitations/{invited['code']}/accept", {})

    async def table(number: int) -> list[Person]:
        people = []
        async with limit:
            made = (await owner_of[number].post(f"/v1/leagues/{league}/tournaments", _TERMS))["id"]
        for seat in range(SEATS):
            person = await _signed_up(url, f"bench{run_of}x{number}x{seat}", limit)
            async with limit:
                await person.post(f"/v1/invitations/{invited['code']}/accept", {})
                await person.post(f"/v1/tournaments/{made}/registrations", {})
            people.append(person)
        async with limit:
            await owner_of[number].post(f"/v1/tournaments/{made}/start", {})
        return people

    owner_of = [Person(Connection(url), owner.token) for _ in range(TABLES)]
    seated = await asyncio.gather(*(table(number) for number in range(TABLES)))
    return [person for people in seated for person in people], member, (owner, league)


async def _signed_up(url: str, login: str, limit: asyncio.Semaphore) -> Person:
    person, known = Person(Connection(url)), {"login": login, "password": "correct horse"}
    async with limit:
        await person.post("/v1/accounts", known)
        person.token = (await person.post("/v1/tokens", known))["token"]
    return person


@dataclass(frozen=True)
class Machine:
    """The processes whose use of the machine is printed."""

    api: int
    cluster: Cluster
    holder: int

    def used(self) -> dict[str, float]:
        """Return the processor seconds of each part so far."""
        return {
            "api": cpu_seconds(self.api),
            "postgres": server_seconds(self.cluster),
            "load": cpu_seconds(os.getpid()) + cpu_seconds(self.holder),
            "machine": _machine_seconds(),
        }


def _machine_seconds() -> float:
    """Return the processor time of everything on this machine."""
    line = Path("/proc/stat").read_text(encoding="utf-8").partition("\n")[0]
    numbers = list(map(int, line.split()[1:9]))
    # The fourth and the fifth are idle time, of which the second waits for a disk.
    return (sum(numbers) - numbers[3] - numbers[4]) / os.sysconf("SC_CLK_TCK")


async def load(url: str, api: int, cluster: Cluster) -> None:
    """Print the delays of rounds without and with idle streams, and what an event costs."""
    people, member, (owner, league) = await sit_down(url)
    measured = Measured()
    bots = [Bot(person, measured) for person in people]
    playing = [asyncio.create_task(bot.follow(url)) for bot in bots]
    await asyncio.gather(*(bot.caught_up.wait() for bot in bots))
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.streams", "hold", url, "/v1/me/stream", member.token,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip
    assert child.stdin is not None
    assert child.stdout is not None
    await child.stdout.readline()
    machine = Machine(api, cluster, child.pid)
    seen: dict[int, list[float]] = {0: [], IDLE: []}
    for _ in range(ROUNDS):
        for count, delays in seen.items():
            child.stdin.write(f"{count}\n".encode())
            await child.stdout.readline()
            await asyncio.sleep(2)  # until the cost of opening them is over
            found, figures = await _round(measured, machine)
            delays.extend(found)
            print(json.dumps({"idle": count} | figures), flush=True)
    for count, delays in seen.items():
        shown = _figures(delays)
        print(
            f"  with {count:,} idle streams a turn arrives {shown['p50']:.1f} ms (p50) and "
            f"{shown['p99']:.1f} ms (p99) after the answer to the action before (aim p99 50)"
        )
    held = IDLE + len(bots)
    print(f"  an event that all {held:,} streams hear: {await _heard(owner, league, machine)}")
    # The server ends a stream only after five minutes.
    assert not (lost := sum(each.done() for each in playing)), f"{lost} streams ended"
    child.stdin.close()
    await child.wait()


async def _round(measured: Measured, machine: Machine) -> tuple[list[float], dict[str, Any]]:
    measured.delays, measured.actions, measured.waits, measured.requests = [], [], [], 0
    measured.answered.clear()
    measured.arrived.clear()
    before, began = machine.used(), time.perf_counter()
    measured.on = True
    while (now := time.perf_counter()) - began < SECONDS:
        await asyncio.sleep(0.01)
        measured.waits.append(max(0.0, time.perf_counter() - now - 0.01))
    measured.on = False
    seconds, used = time.perf_counter() - began, machine.used()
    spent = {name: used[name] - before[name] for name in used}
    busy = spent["machine"] / seconds / (os.cpu_count() or 1)
    if busy > SATURATED:
        print(f"  the machine is {busy:.0%} busy: the delays below say little about the service")
    waits = statistics.quantiles(measured.waits, n=100)
    return measured.delays, {
        **_figures(measured.delays),
        "decisions_a_second": len(measured.actions) / seconds,
        "requests_a_decision": measured.requests / len(measured.actions),
        "action_p50": _ms(statistics.median(measured.actions)),
        "action_p99": _ms(statistics.quantiles(measured.actions, n=100)[98]),
        "own_wait_p99": _ms(waits[98]),
        "cpu_ms_a_decision": {
            name: round(1000 * spent[name] / len(measured.actions), 2)
            for name in ("api", "postgres", "load")
        },
        "machine_busy": round(busy, 2),
    }


async def _heard(owner: Person, league: str, machine: Machine) -> str:
    """Return the cost of an event of the league, which wakes every stream and brings no item."""
    before, took = machine.used()["api"], []
    for _ in range(EVENTS):
        asked = time.perf_counter()
        await owner.post(f"/v1/leagues/{league}/invitations", {})
        took.append(time.perf_counter() - asked)
        await asyncio.sleep(0.5)  # until every stream has looked
    spent = machine.used()["api"] - before
    return (
        f"{_ms(statistics.median(took)):.0f} ms for its writer, and less than "
        f"{_ms(spent / EVENTS):.0f} ms of the API's processor time (play goes on beside it)"
    )


def _figures(delays: list[float]) -> dict[str, float]:
    found = statistics.quantiles(delays, n=100)
    return {"turns": len(delays), "p50": _ms(found[49]), "p99": _ms(found[98])}


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


def main() -> None:
    """Serve, play, and print."""
    with (
        TemporaryDirectory(prefix="holotable-bench-") as directory,
        Cluster(Path(directory) / "cluster", binaries(os.environ), durable=True) as cluster,
    ):
        database.create_roles(cluster.url(), dict.fromkeys(database.LOGINS, _PASSWORD))
        database.create_database(cluster.url(), "ours")
        migrations.migrate(cluster.url("ours", "holotable_migrate", _PASSWORD))
        port = free_port()
        settings = Settings(
            database_url=cluster.url("ours", "holotable_api", _PASSWORD),
            secret_key="a key of the benchmark, and of nothing else",
            log_level="error", port=port, token_streams=5000, account_streams=5000,
            address_accounts=5000, open_requests=5000, address_requests=50_000,
            account_requests=5000, token_requests=5000, password_memory_kib=8,
            keep_alive_seconds=300,
        )  # fmt: skip
        api = subprocess.Popen(
            [sys.executable, "-m", "bench.turns", "api"],
            cwd=ROOT, env=os.environ | environment(settings),
        )  # fmt: skip
        try:
            await_port(port)
            uvloop.run(load(f"http://127.0.0.1:{port}", api.pid, cluster))
        finally:
            api.terminate()
            api.wait(15)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["api"]:
            run(read(os.environ))
        case _:
            main()
