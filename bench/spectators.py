"""
Measure the cost of spectators of one floor for the process of the API and the console.

Strangers look at the floor of a public league, as browsers do: each holds ``/live`` and asks for
the page's parts at first. After each change it asks for a part within a third of a second, with the
tag it knows, unless it heard that the part still has this tag. One seat acts each second, so the
floor itself changes once in half a minute, when a hand ends and another begins. The share of a core
is measured with nobody, and with all of them; the spectators themselves run in another process.
"""

import asyncio
import math
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from random import uniform
from statistics import median
from tempfile import TemporaryDirectory
from urllib.parse import urlencode, urlsplit

import httpx
import msgspec
import uvloop

from bench.client import Connection, Person
from bench.http import cpu_seconds
from bench.playing import SEATS, Game, Measured
from service.base.shipped import ROOT
from service.process.supervisor import Stack

SPECTATORS = 300
TABLES = 4
EACH_SECONDS = 1.0
"""The time from one change to the next."""

HAND = 24
"""The acts of a hand of six who never raise and never fold."""

SECONDS = HAND * EACH_SECONDS
"""In this time one of the hands ends, and another begins, which everybody sees on the floor."""

JITTER_SECONDS = 0.3
"""As in ``static/js/live.js``."""

OPENING = 16
AIM = 0.1
OPTIONS = {
    "tick_milliseconds": 50,
    "worker_processes": 1,
    "log_level": "error",
    # All spectators have one address here.
    "open_requests": 1_000_000,
    "address_streams": 5_000,
    "process_streams": 10_000,
}
_PART = re.compile(r'data-part="([^"]+)" data-topics="([^"]+)"')
_TAG = re.compile(rb"etag: (\S+)", re.IGNORECASE)


class _Changed(msgspec.Struct):
    """The members of the stream's news that a page reads."""

    topic: str
    part: str = ""
    tag: str = ""


@dataclass(slots=True)
class Seen:
    """The data that all spectators were sent."""

    changes: int = 0
    known: int = 0
    """Changes after which a page knew that it shows the newest part already."""

    parts: int = 0
    same: int = 0
    """Answers that say that the part has not changed."""

    sent: int = 0
    """Bytes of parts."""

    acted: float = 0.0
    """The time of the last act."""

    late: list[float] = field(default_factory=list)
    """The seconds from an act to the new part, on each page."""


class Spectator:
    """
    A page that is open on the floor.

    Args:
        base: The address of the console.
        path: The floor.
        parts: The topics of each live part.
    """

    def __init__(self, base: str, path: str, parts: dict[str, set[str]], seen: Seen) -> None:
        self._base = urlsplit(base)
        self._connection = Connection(base)
        self._path = path
        self._parts = parts
        self._seen = seen
        self._tags: dict[str, str] = {}

    async def watch(self, opened: asyncio.Semaphore, ready: asyncio.Event) -> None:
        """Follow the floor until this task is cancelled."""
        async with opened:
            reader, writer = await asyncio.open_connection(self._base.hostname, self._base.port)
            shown = [("shown", self._address(name)) for name in self._parts]
            asked = urlencode(
                [("topics", ",".join(sorted(set().union(*self._parts.values())))), *shown]
            )
            writer.write(self._asked(f"/live?{asked}", b"Accept: text/event-stream\r\n"))
            await reader.readuntil(b"event: begun")
        for name in self._parts:
            await self._refresh(name)
        ready.set()
        waiting: dict[str, asyncio.Task[None]] = {}
        while line := await reader.readline():
            if not line.startswith(b'data: {"'):
                continue
            self._seen.changes += 1
            changed = msgspec.json.decode(line.removeprefix(b"data: "), type=_Changed)
            for name, topics_of in self._parts.items():
                if changed.topic not in topics_of:
                    continue
                told = changed.part == self._address(name)
                if told and changed.tag == self._tags.get(name):
                    self._seen.known += 1
                elif name not in waiting or waiting[name].done():
                    waiting[name] = asyncio.create_task(self._refresh(name))

    async def _refresh(self, name: str) -> None:
        await asyncio.sleep(uniform(0, JITTER_SECONDS))
        known = self._tags.get(name)
        more = b"" if known is None else f"If-None-Match: {known}\r\n".encode()
        status, body = await self._connection.ask(self._asked(self._address(name), more))
        if status not in (200, 304):
            raise RuntimeError(f"{status} {body.decode()[:200]}")
        self._seen.parts += 1
        self._seen.same += status == 304
        self._seen.sent += len(body)
        found = _TAG.search(self._connection.head)
        if status == 200 and found is not None:
            self._tags[name] = found[1].decode()
            self._seen.late.append(time.perf_counter() - self._seen.acted)

    def _address(self, name: str) -> str:
        return f"{self._path}?part={name}"

    def _asked(self, path: str, more: bytes) -> bytes:
        head = f"GET {path} HTTP/1.1\r\nHost: {self._base.netloc}\r\nAccept-Encoding: gzip\r\n"
        return head.encode() + more + b"\r\n"


async def load(url: str, api: int, tables: int) -> None:
    """
    Print the shares of a core with nobody and with all spectators.

    Args:
        api: The number of the API's process.
        tables: The tables on the floor.
    """
    games, path = await _floor(url, tables)
    await _spread(games)
    parts = await _parts(url, path)
    print(f"  {path.partition('?')[0].rpartition('/')[2]}: live parts {', '.join(parts)}")
    shares = {0: await _share(games, api)}
    seen = Seen()
    opened, tasks = asyncio.Semaphore(OPENING), []
    ready = [asyncio.Event() for _ in range(SPECTATORS)]
    for each in ready:
        watching = Spectator(url, path, parts, seen).watch(opened, each)
        tasks.append(asyncio.create_task(watching))
    await asyncio.gather(*(each.wait() for each in ready))
    shares[SPECTATORS] = await _share(games, api, seen)
    for task in tasks:
        task.cancel()
    ended = [each for each in await asyncio.gather(*tasks, return_exceptions=True)
             if not isinstance(each, asyncio.CancelledError)]  # fmt: skip
    if ended:
        raise RuntimeError(f"{len(ended)} spectators went away: {ended[0]!r}")
    _print(shares, seen)


def _print(shares: dict[int, float], seen: Seen) -> None:
    if len(seen.late) < SPECTATORS:
        raise RuntimeError(f"only {len(seen.late)} pages showed that a hand had ended")
    more = shares[SPECTATORS] - shares[0]
    print(f"  each second: {seen.changes / SECONDS:,.0f} changes told, {seen.known / SECONDS:,.0f} "
          f"of them known, {seen.parts / SECONDS:,.0f} parts asked for, "
          f"{seen.same / SECONDS:,.0f} of them the same, {seen.sent / SECONDS / 1024:,.0f} "
          f"KiB")  # fmt: skip
    print(f"  {len(seen.late):,} new parts shown within {max(seen.late):.2f} s of the act, half of "
          f"them within {median(seen.late):.2f} s")  # fmt: skip
    print(f"  of a core the API used {shares[0]:.3f} with nobody, {shares[SPECTATORS]:.3f} with "
          f"{SPECTATORS} spectators: {more:.3f} for them (aim {AIM})")  # fmt: skip


async def _floor(url: str, tables: int) -> tuple[list[Game], str]:
    """Start one tournament of a public league. Return its tables and the path of its floor."""
    people = await asyncio.gather(*(_person(url, each) for each in range(tables * SEATS)))
    owner = people[0]
    league = (await owner.post("/v1/leagues", {"name": "Public"}))["id"]
    await owner.put(f"/v1/leagues/{league}/visibility", {"visibility": "public"})
    invited = await owner.post(f"/v1/leagues/{league}/invitations", {"uses": len(people)})
    for person in people[1:]:
        await person.post(f"/v1/invitations/{invited['code']}/accept", {})
    terms = {
        "name": "Floor", "ruleset": "better", "starting_stack": 1_000_000_000,
        "entrants_max": len(people), "table_seats": SEATS, "staff_may_play": True,
        "overrides": {"escalation": {"kind": "none"}},
        "decision_seconds": 3600, "hands_between_seconds": 0,
    }  # fmt: skip
    made = (await owner.post(f"/v1/leagues/{league}/tournaments", terms))["id"]
    for person in people:
        await person.post(f"/v1/tournaments/{made}/registrations", {})
    await owner.post(f"/v1/tournaments/{made}/start", {})
    seated: dict[str, list[Person]] = {}
    for person in people:
        shown = await person.get(f"/v1/tournaments/{made}")
        seated.setdefault(shown["my"]["table"], []).append(person)
    return [Game(table, those) for table, those in seated.items()], f"/tournaments/{made}/floor"


async def _spread(games: list[Game]) -> None:
    """Play on, so that the hands end one after the other, each in the middle of a measurement."""
    share, measured = HAND // len(games), Measured(0.0, math.inf)
    for number, game in enumerate(games):
        for _ in range(number * share + share // 2):
            await game.step(measured)


async def _person(url: str, number: int) -> Person:
    person = Person(Connection(url))
    known = {"login": f"spectated{number}", "password": "correct horse"}
    await person.post("/v1/accounts", known)
    person.token = (await person.post("/v1/tokens", known))["token"]
    return person


async def _parts(url: str, path: str) -> dict[str, set[str]]:
    """Return the topics of each live part of a page, as a stranger sees it."""
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http:
        page = (await http.get(path)).raise_for_status().text
    found = {name: set(unescape(topics).split()) for name, topics in _PART.findall(page)}
    if not found:
        raise RuntimeError(f"{path} has no live part")
    return found


async def _share(games: list[Game], api: int, seen: Seen | None = None) -> float:
    """Return the API's share of a core while one seat acts each second."""
    await asyncio.sleep(2)  # until the cost of earlier requests is over
    if seen is not None:
        seen.changes = seen.known = seen.parts = seen.same = seen.sent = 0
        seen.late.clear()
    begun, used = time.perf_counter(), cpu_seconds(api)
    measured = Measured(begun, begun + SECONDS)
    for number in range(int(SECONDS / EACH_SECONDS)):
        await asyncio.sleep(max(0.0, begun + number * EACH_SECONDS - time.perf_counter()))
        await games[number % len(games)].step(measured)
        if seen is not None:
            seen.acted = time.perf_counter()
    await asyncio.sleep(max(0.0, measured.until - time.perf_counter()))
    return (cpu_seconds(api) - used) / (time.perf_counter() - begun)


def main() -> None:
    """Serve, play and print."""
    with TemporaryDirectory(prefix="holotable-bench-") as directory:
        stack = Stack(Path(directory) / "d", keep=True, durable=False, options=OPTIONS)
        with stack:
            api = stack._children["api"].pid
            asked = [sys.executable, "-m", "bench.spectators", stack.url, str(api)]
            subprocess.run(asked, cwd=ROOT, check=True)


if __name__ == "__main__":
    uvloop.run(load(sys.argv[1], int(sys.argv[2]), TABLES))
