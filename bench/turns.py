"""
Measure how long a turn takes to its player: 100 tables at play, a stream for each player.

Bots know nothing but their stream, and send one request a decision. The measure is the time from
the answer of the action before, which follows its commit, to the arrival of the next turn. One
process serves the API, one holds idle streams of members who do not play, and one plays. Bots think
before they act, so the rate is given and not as high as possible.
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
from urllib.parse import urlsplit

import msgspec
import uvloop

from bench.client import Connection, Person
from bench.http import await_port, free_port
from service.base import database, migrations
from service.base.embedded import Cluster, binaries
from service.base.settings import Settings, environment, read
from service.base.shipped import ROOT
from service.process.app import run

TABLES = 100
SEATS = 6
IDLE = 1000
ROUNDS = 3
SECONDS = 10.0
THINK_SECONDS = 1.0
"""The mean time for which a bot thinks. Each turn takes between half and one and a half of it."""

_PASSWORD = "bench"
_SIGNING_UP = 8
_TERMS = {
    "name": "Bench", "ruleset": "better",
    "overrides": {"escalation": {"kind": "none"}}, "starting_stack": 1_000_000_000,
    "entrants_max": SEATS, "decision_seconds": 3600, "hands_between_seconds": 0,
}  # fmt: skip


@dataclass
class Measured:
    """What happened while it was measured."""

    on: bool = False
    delays: list[float] = field(default_factory=list)
    """Seconds from the answer of the action before to the arrival of the turn."""

    actions: list[float] = field(default_factory=list)
    """Seconds from the sending of an action to its answer, for comparison."""

    requests: int = 0
    answered: dict[tuple[str, str], float] = field(default_factory=dict)
    """The instant of the answer that opened each decision, by table and decision."""


class Bot:
    """A player with a stream and a connection for its actions."""

    def __init__(self, url: str, person: Person, measured: Measured) -> None:
        self._address = urlsplit(url)
        self._person = person
        self._measured = measured
        self._acting: set[asyncio.Task[None]] = set()

    async def play(self, ready: asyncio.Event) -> None:
        """Follow the stream for as long as the task runs, again and again."""
        cursor: str | None = None
        while True:
            cursor = await self._follow(cursor, ready)

    async def _follow(self, cursor: str | None, ready: asyncio.Event) -> str | None:
        self._measured.requests += self._measured.on
        reader, writer = await asyncio.open_connection(self._address.hostname, self._address.port)
        resumed = "" if cursor is None else f"Last-Event-ID: {cursor}\r\n"
        writer.write(
            f"GET /v1/me/stream HTTP/1.1\r\nHost: bench\r\n{resumed}"
            f"Authorization: Bearer {self._person.token}\r\n"
            "Accept: application/x-ndjson\r\n\r\n".encode()
        )
        try:
            while line := await reader.readline():
                if not line.startswith(b"{"):
                    continue
                arrived = time.perf_counter()
                item = msgspec.json.decode(line)
                cursor = item["cursor"]
                if item["type"] == "caught_up":
                    ready.set()
                elif item["type"] == "turn":
                    self._take(item, arrived)
        finally:
            writer.close()
        return cursor

    def _take(self, item: Any, arrived: float) -> None:
        begun = self._measured.answered.get((item["table"], item["decision"]))
        if self._measured.on:
            if begun is None:
                # The stream may be faster than the answer of the action that opened the decision.
                self._measured.answered[item["table"], item["decision"]] = -arrived
            elif begun > 0:
                self._measured.delays.append(arrived - begun)
        task = asyncio.create_task(self._act(item))
        self._acting.add(task)
        task.add_done_callback(self._acting.discard)

    async def _act(self, item: Any) -> None:
        await asyncio.sleep(THINK_SECONDS * (0.5 + random.random()))
        measured, counted = self._measured, self._measured.on
        asked = time.perf_counter()
        done = await self._person.post(f"/v1/tables/{item['table']}/actions", _answer(item))
        now = time.perf_counter()
        measured.requests += counted
        if counted:
            measured.actions.append(now - asked)
        for each in done["events"]:
            if each["type"] != "decision_opened":
                continue
            key = (item["table"], each["data"]["decision"])
            before = measured.answered.get(key)
            if before is None:
                measured.answered[key] = now
            elif counted and before < 0:
                measured.delays.append(-before - now)  # negative: the turn was there first


def _answer(item: Any) -> Any:
    """Return an action that keeps one card, never raises and never folds."""
    view, verbs = item["view"], {each["verb"] for each in item["view"]["legal"]}
    body = {"decision": item["decision"]}
    if "select" in verbs:
        return body | {"type": "select", "cards": view["me"]["cards"][:1]}
    if "improve" in verbs:
        return body | {"type": "improve", "cards": []}
    return body | {"type": "check" if "check" in verbs else "call"}


async def sit_down(url: str) -> tuple[list[Person], Person]:
    """Seat six people at each table, each table a tournament. Return them and a member."""
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
    return [person for people in seated for person in people], member


async def _signed_up(url: str, login: str, limit: asyncio.Semaphore) -> Person:
    person, known = Person(Connection(url)), {"login": login, "password": "correct horse"}
    async with limit:
        await person.post("/v1/accounts", known)
        person.token = (await person.post("/v1/tokens", known))["token"]
    return person


async def load(url: str) -> None:
    """Print the delays of rounds without and with idle streams."""
    people, member = await sit_down(url)
    measured = Measured()
    ready = [asyncio.Event() for _ in people]
    bots = [Bot(url, person, measured) for person in people]
    playing = [asyncio.create_task(bot.play(each)) for bot, each in zip(bots, ready, strict=True)]
    await asyncio.gather(*(each.wait() for each in ready))
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.streams", "hold", url, "/v1/me/stream", member.token,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip
    assert child.stdin is not None
    assert child.stdout is not None
    await child.stdout.readline()
    seen: dict[int, list[float]] = {0: [], IDLE: []}
    for _ in range(ROUNDS):
        for count, delays in seen.items():
            child.stdin.write(f"{count}\n".encode())
            await child.stdout.readline()
            await asyncio.sleep(2)  # until the cost of opening them is over
            found = await _round(measured)
            delays.extend(found)
            print(json.dumps({"idle": count} | _figures(found) | _rates(measured)), flush=True)
    for count, delays in seen.items():
        shown = _figures(delays)
        print(
            f"  with {count:,} idle streams a turn arrives {shown['p50']:.1f} ms (p50) and "
            f"{shown['p99']:.1f} ms (p99) after the answer to the action before (aim p99 50)"
        )
    failed = [each for each in playing if each.done()]
    assert not failed, failed[0].exception()
    child.stdin.close()
    await child.wait()


async def _round(measured: Measured) -> list[float]:
    measured.delays, measured.actions, measured.requests = [], [], 0
    measured.answered.clear()
    measured.on = True
    await asyncio.sleep(SECONDS)
    measured.on = False
    return measured.delays


def _figures(delays: list[float]) -> dict[str, float]:
    found = statistics.quantiles(delays, n=100)
    return {"turns": len(delays), "p50": found[49] * 1000, "p99": found[98] * 1000}


def _rates(measured: Measured) -> dict[str, float]:
    return {
        "decisions_a_second": len(measured.actions) / SECONDS,
        "requests_a_decision": measured.requests / len(measured.actions),
        "action_p50": statistics.median(measured.actions) * 1000,
        "action_p99": statistics.quantiles(measured.actions, n=100)[98] * 1000,
    }


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
            uvloop.run(load(f"http://127.0.0.1:{port}"))
        finally:
            api.terminate()
            api.wait(15)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["api"]:
            run(read(os.environ))
        case _:
            main()
