"""
Offer one API process more than it can do, and measure its accepted and refused answers.

First the capacity is measured with a fixed number of clients, each of which asks again as soon as
it is answered. Then requests are sent at fixed instants, at multiples of this rate, whatever comes
back. Half of them read a table, the other half are actions that come too late: each of these takes
its turn at the writer, and is refused by the rules. Accepted is what is answered otherwise than by
429 and 503.
"""

import asyncio
import math
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.client import Connection
from bench.playing import sit_down
from service.process.supervisor import Stack

CLIENTS: Final = 64
"""Clients that measure the capacity."""

FACTORS: Final = (1, 2, 4)
SECONDS: Final = 5.0
CONNECTIONS: Final = 1_000
"""Connections that are open before anything is measured, so that opening them costs nothing."""

_LIVE: Final = b"GET /livez HTTP/1.1\r\nHost: bench\r\n\r\n"
SHED: Final = frozenset({429, 503})
OPTIONS: Final = {
    "log_level": "warning",
    "worker_processes": 1,
    "access_log": False,
    "token_requests": 1_000_000,
    "account_requests": 1_000_000,
    "address_requests": 1_000_000,
    "account_refusals": 1,
}


@dataclass(slots=True)
class Offered:
    """The answers of one load."""

    spent: list[float] = field(default_factory=list)
    """Seconds of each accepted request."""

    statuses: Counter[str] = field(default_factory=Counter)
    """Answers by kind and status."""

    unsent: int = 0
    """Requests that were due and not sent: all connections waited, or the load was too slow."""

    def told(self, kind: str, status: int, seconds: float) -> None:
        """Note an answer."""
        self.statuses[f"{kind} {status}"] += 1
        if status not in SHED:
            self.spent.append(seconds)

    def percentile(self, share: float) -> float:
        """Return the milliseconds within which *share* of the accepted were answered."""
        ordered = sorted(self.spent) or [math.nan]
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)] * 1e3


class Requests:
    """Alternately a read of a table and an action that comes too late."""

    def __init__(self, tables: list[tuple[str, str]]) -> None:
        self._tables = tables
        self._sent = 0

    def next(self) -> tuple[str, bytes]:
        """Return the kind of a request, and its bytes."""
        self._sent += 1
        table, token = self._tables[self._sent // 2 % len(self._tables)]
        bearer = f"Host: bench\r\nAuthorization: Bearer {token}\r\n"
        if self._sent % 2:
            return "read", f"GET /v1/tables/{table} HTTP/1.1\r\n{bearer}\r\n".encode()
        body = '{"decision":"dcn_1","type":"check"}'
        key = f"Idempotency-Key: {random.getrandbits(100):x}\r\nContent-Type: application/json\r\n"
        head = f"POST /v1/tables/{table}/actions HTTP/1.1\r\n{bearer}{key}"
        return "action", f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()


async def capacity(base: str, requests: Requests) -> float:
    """Return how many requests a second are answered if each client waits for its answer."""
    until, answered = time.perf_counter() + SECONDS, 0

    async def ask_on(connection: Connection) -> None:
        nonlocal answered
        while time.perf_counter() < until:
            _, request = requests.next()
            await connection.ask(request)
            answered += 1

    begun = time.perf_counter()
    await asyncio.gather(*(ask_on(Connection(base)) for _ in range(CLIENTS)))
    return answered / (time.perf_counter() - begun)


async def offer(base: str, requests: Requests, rate: float) -> Offered:
    """Send *rate* requests a second, whatever comes back."""
    offered, tasks = Offered(), set[asyncio.Task[None]]()
    idle = [Connection(base) for _ in range(CONNECTIONS)]
    for connection in idle:
        await connection.ask(_LIVE)

    async def ask(connection: Connection) -> None:
        kind, request = requests.next()
        asked = time.perf_counter()
        try:
            status, _ = await connection.ask(request)
        except OSError:
            offered.statuses[f"{kind} cut"] += 1
        else:
            offered.told(kind, status, time.perf_counter() - asked)
        idle.append(connection)

    begun, sent = time.perf_counter(), 0
    while (passed := time.perf_counter() - begun) < SECONDS:
        while sent < passed * rate:
            sent += 1
            if not idle:
                offered.unsent += 1
                continue
            task = asyncio.create_task(ask(idle.pop()))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        await asyncio.sleep(0.002)
    offered.unsent += int(SECONDS * rate) - sent  # the load itself was too slow
    await asyncio.gather(*tasks)
    return offered


def memory(pid: int) -> int:
    """Return the resident memory of a process in MB."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(each.split()[1]) for each in lines if each.startswith("VmRSS")) // 1024


async def compare(base: str, pid: int) -> None:
    """Print a line for each load."""
    games = await sit_down(base, 4)
    tables = [(game._path.rpartition("/")[2], game._people[0].token) for game in games]
    requests = Requests(tables)
    found = await capacity(base, requests)
    print(f"{CLIENTS} clients that wait: {found:,.0f}/s, {memory(pid)} MB")
    for factor in FACTORS:
        offered = await offer(base, requests, found * factor)
        print("\n".join(_lines(factor, found, offered, memory(pid))), flush=True)


def _lines(factor: int, found: float, offered: Offered, used: int) -> Iterator[str]:
    rate = len(offered.spent) / SECONDS
    yield (
        f"offered {factor} x ({found * factor:,.0f}/s): accepted {rate:,.0f}/s, "
        f"p50 {offered.percentile(0.5):.0f} ms, p99 {offered.percentile(0.99):.0f} ms, {used} MB"
    )
    yield f"  {dict(sorted(offered.statuses.items()))}, not sent {offered.unsent}"


def main() -> None:
    """Measure the capacity of one process, and offer it more."""
    with TemporaryDirectory(prefix="holotable-") as directory:
        stack = Stack(Path(directory) / "d", keep=True, durable=True, options=OPTIONS)
        with stack:
            api = stack._children["api"].pid
            asyncio.run(compare(stack.url, api))
