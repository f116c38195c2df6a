"""
Offer one API process more than it can do, and measure its accepted and refused answers.

First the capacity is measured with a fixed number of clients, each of which asks again as soon as
it is answered. Then requests are sent at fixed instants, at multiples of this rate, whatever comes
back. Half of them read a table, the other half are actions that come too late: each of these takes
its turn at the writer, and is refused by the rules. Every answer other than 429 and 503 counts as
accepted.

A second process that refuses nothing early gets the same rates, in turn with the first. Finally,
clients request long answers from the first one and read nothing, until it has closed their
connections.
"""

import asyncio
import math
import random
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlsplit

from bench.client import Connection
from bench.playing import sit_down
from service.process.supervisor import Stack

CLIENTS: Final = 64
"""Clients that measure the capacity."""

FACTORS: Final = (1, 2, 4)
SECONDS: Final = 5.0
CONNECTIONS: Final = 3_500
"""Connections that are open before anything is measured, so that opening them costs nothing."""

_LIVE: Final = b"GET /livez HTTP/1.1\r\nHost: bench\r\n\r\n"
SHED: Final = frozenset({429, 503})
DEAF: Final = 50
"""Clients that read nothing."""

DEAF_REQUESTS: Final = 10
"""The times that each of them asks for the longest answer. The system's buffers hold a few."""

OPTIONS: Final = {
    "log_level": "warning",
    "worker_processes": 1,
    "access_log": False,
    "token_requests": 1_000_000,
    "account_requests": 1_000_000,
    "address_requests": 1_000_000,
    "account_refusals": 1,
    "write_seconds": 5,
}
_REFUSING_NOTHING: Final = """
from service.api.http.wire import crowding
from service.cli.main import main
crowding._FEW = 10**9
main()
"""


class Unshed(Stack):
    """A stack whose API refuses nothing early."""

    def command(self, process: str) -> list[str]:
        """Return the command line of a child."""
        if process != "api":
            return super().command(process)
        return [sys.executable, "-c", _REFUSING_NOTHING, process]


@dataclass(slots=True)
class Offered:
    """The answers of one load."""

    spent: list[float] = field(default_factory=list)
    """Seconds of each accepted request."""

    statuses: Counter[str] = field(default_factory=Counter)
    """Answers by kind and status."""

    unsent: int = 0
    """Requests that were due and not sent: all connections waited, or the load was too slow."""

    without: int = 0
    """Refusals that do not say when to try again."""

    def told(self, kind: str, status: int, seconds: float, head: bytes) -> None:
        """Record an answer."""
        self.statuses[f"{kind} {status}"] += 1
        if status not in SHED:
            self.spent.append(seconds)
        elif b"\r\nretry-after: " not in head.lower():
            self.without += 1

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
        status, _ = await connection.ask(_LIVE)
        if status != 200:
            raise RuntimeError(f"{status}: a connection was refused before anything was offered")

    async def ask(connection: Connection) -> None:
        kind, request = requests.next()
        asked = time.perf_counter()
        try:
            status, _ = await connection.ask(request)
        except OSError:
            offered.statuses[f"{kind} cut"] += 1
        else:
            offered.told(kind, status, time.perf_counter() - asked, connection.head)
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
    for connection in idle:  # an address may have only so many
        connection.close()
    return offered


def memory(pid: int) -> int:
    """Return the resident memory of a process in MB."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(each.split()[1]) for each in lines if each.startswith("VmRSS")) // 1024


async def deaf(base: str, pid: int) -> None:
    """Request long answers, read nothing, and print when the last connection was closed."""
    address, loop = urlsplit(base), asyncio.get_running_loop()
    asked = b"GET /openapi.json HTTP/1.1\r\nHost: bench\r\n\r\n" * DEAF_REQUESTS
    lines = [socket.socket() for _ in range(DEAF)]
    begun, most = time.perf_counter(), memory(pid)
    for line in lines:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.setblocking(False)
        await loop.sock_connect(line, (address.hostname, address.port))
        await loop.sock_sendall(line, asked)
    while not all(map(_is_cut, lines)):
        most = max(most, memory(pid))
        await asyncio.sleep(0.1)
    took = time.perf_counter() - begun
    for line in lines:
        line.close()
    print(f"{DEAF} clients that read nothing: all cut after {took:.1f} s, at most {most} MB")


def _is_cut(line: socket.socket) -> bool:
    """Return whether the server has closed a connection. Only a write shows it."""
    try:
        line.send(b"\r\n")
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    return False


async def compare(stacks: dict[str, Stack]) -> None:
    """Print a line for each load and stack."""
    asked: dict[str, Requests] = {}
    for name, stack in stacks.items():
        games = await sit_down(stack.url, 4)
        tables = [(game._path.rpartition("/")[2], game._people[0].token) for game in games]
        asked[name] = Requests(tables)
    pids = {name: stack._children["api"].pid for name, stack in stacks.items()}
    first, *_ = stacks
    found = await capacity(stacks[first].url, asked[first])
    print(f"{CLIENTS} clients that wait: {found:,.0f}/s, {memory(pids[first])} MB")
    for factor in FACTORS:
        for name, stack in stacks.items():
            offered = await offer(stack.url, asked[name], found * factor)
            print(name, *_lines(factor, found, offered, memory(pids[name])), sep="\n  ", flush=True)
    await deaf(stacks[first].url, pids[first])


def _lines(factor: int, found: float, offered: Offered, used: int) -> Iterator[str]:
    rate = len(offered.spent) / SECONDS
    yield (
        f"offered {factor} x ({found * factor:,.0f}/s): accepted {rate:,.0f}/s, "
        f"p50 {offered.percentile(0.5):.0f} ms, p99 {offered.percentile(0.99):.0f} ms, {used} MB"
    )
    yield (
        f"{dict(sorted(offered.statuses.items()))}, not sent {offered.unsent}, "
        f"refused without Retry-After {offered.without}"
    )


def main() -> None:
    """Measure the capacity of one process, and offer it more."""
    with TemporaryDirectory(prefix="holotable-") as directory, ExitStack() as running:
        data, unbounded = Path(directory), OPTIONS | {"process_requests": 1_000_000}
        stacks = {
            "refusing early": Stack(data / "a", options=OPTIONS),
            "refusing nothing": Unshed(data / "b", options=unbounded),
        }
        for stack in stacks.values():
            running.enter_context(stack)
        asyncio.run(compare(stacks))
