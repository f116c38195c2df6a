"""The parts of a running installation. Each may be killed and is started again."""

import asyncio
import contextlib
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

import psycopg
from msgspec.structs import replace

from service.base.embedded import Cluster, ClusterFailed, binaries
from service.base.settings import Settings
from service.process import at_rest
from service.process.supervisor import Stack
from tests.chaos.lines import Line, Weather
from tests.chaos.rabbit import Broker
from tests.support.servers import free_port

SECOND: Final = "api2"
CONNECTIONS_MAX: Final = 120
AGAIN_SECONDS: Final = 0.5
"""The pause before a part is started again, as under a service manager."""

OPTIONS: Final = {
    "tick_milliseconds": 50,
    "sweep_seconds": 1,
    "worker_processes": 1,
    "lease_seconds": 5,
    "visibility_seconds": 10,
    "heartbeat_seconds": 2,
    "sign_seconds": 5,
    "password_memory_kib": 8,
    "log_format": "json",
}

_Result = TypeVar("_Result")


class Loop:
    """An event loop in a thread of its own, because the parts need the main thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="loop", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, _Result], seconds: float | None = None) -> _Result:
        """Do *work* there and return its result."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(seconds)
        except TimeoutError:
            future.cancel()
            raise

    def begin(self, work: Coroutine[Any, Any, _Result]) -> "asyncio.Future[_Result]":
        """Begin *work* there, and do not wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)  # type: ignore[return-value]

    def stop(self) -> None:
        """End the loop and all work that still runs there."""
        self.run(_end_others(), 10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


async def _end_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for each in others:
        each.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="holotable-")


@dataclass
class Room(Stack):
    """
    The parts of ``holotable up`` with a second API process and lines that may fail.

    The processes reach the database over a line, and the clients each API process over another.

    Args:
        seed: The seed of the lines' faults.
        logs_in: The folder of the logs, which may not lie on a disk that gets full.
        broker: RabbitMQ, if PGMQ is not the broker.
    """

    seed: int = 0
    logs_in: Path = Path()
    bots: bool = True
    broker: Broker | None = None
    loop: Loop = field(default_factory=Loop)
    counts: Counter[str] = field(default_factory=Counter)
    starts: Counter[str] = field(default_factory=Counter)
    """The number of times that each part was started again."""

    weather: dict[str, Weather] = field(default_factory=dict)
    lines: dict[str, Line] = field(default_factory=dict)
    newer: dict[str, Path] = field(default_factory=dict)
    """The folder of the migrations of each part that runs the newer version."""

    planted: dict[str, str] = field(default_factory=dict)
    """The fault planted in each part, to check that the verdict finds it."""

    second_port: int = field(default_factory=free_port)
    sockets: TemporaryDirectory[str] = field(default_factory=_folder)
    """The folder of the API processes' sockets."""

    resting: set[str] = field(default_factory=set)
    """The parts that a fault keeps down."""

    clock: float = 0.0
    """The seconds by which the clock of the database is ahead for good."""

    _again: dict[str, float] = field(default_factory=dict)

    @property
    def children(self) -> tuple[str, ...]:
        """The parts besides the database, in the order of their start."""
        return (*super().children, SECOND)

    @property
    def ports(self) -> tuple[int, ...]:
        """The ports of the lines to the API processes."""
        return self.lines["api"].port, self.lines[SECOND].port

    @property
    def superuser(self) -> str:
        """The address of the log's database for a superuser, over no line."""
        return self._direct(self.name)

    @property
    def superuser_of_broker(self) -> str:
        """The address of the broker's database for a superuser."""
        return self._direct(self._broker)

    def open_lines(self) -> None:
        """Open the lines. The stack is started after that."""
        targets = {
            "api": lambda: self.port,
            SECOND: lambda: self.second_port,
            "database": lambda: 0 if self.cluster is None else self.cluster.port,
        }
        for number, (name, target) in enumerate(targets.items()):
            weather = Weather(Random(self.seed * 16 + number), f"line to {name}", self.counts)
            self.weather[name] = weather
            self.lines[name] = Line(weather, target)
            self.loop.run(self.lines[name].start())

    def settings(self, process: str) -> Settings:
        """Return the settings of a part. The two API processes hand each other requests."""
        if process == "worker" and self.broker is not None:
            return replace(super().settings(process), broker_url=self.broker.url)
        if process not in ("api", SECOND):
            return super().settings(process)
        port = self.port if process == "api" else self.second_port
        return replace(super().settings("api"), port=port, neighbours=self.sockets.name)

    def command(self, process: str) -> list[str]:
        """Return the command of a part, in the version that it runs."""
        folder, fault = str(self.newer.get(process, "-")), self.planted.get(process, "-")
        program = ["tests.chaos.program", folder, fault]
        if (folder, fault) == ("-", "-"):
            program = ["service.cli.main"]
        return [sys.executable, "-m", *program, "api" if process == SECOND else process]

    def pid(self, part: str) -> int | None:
        """Return the process id of a part, or None while it is down."""
        if part == "postmaster":
            down = self.cluster is None or self.cluster.ended()
            return None if down or self.cluster is None else self.cluster.pid
        child = self._children.get(part)
        return None if child is None or child.poll() is not None else child.pid

    def tend(self) -> None:
        """Start ended parts again, as a service manager does."""
        now = time.monotonic()
        if self.cluster is not None and self.cluster.ended() and "postmaster" not in self.resting:
            try:
                self.cluster.start()
                self.starts["postmaster"] += 1
            except ClusterFailed:
                return  # its disk may be full, or its memory not free yet
        if self.broker is not None and self.broker.ended() and "broker" not in self.resting:
            self.broker.begin()
            self.starts["broker"] += 1
        for part in self.children:
            if self._children[part].poll() is None or part in self.resting:
                continue
            if part not in self._again:
                self._again[part] = now + AGAIN_SECONDS
            elif self._again[part] <= now:
                del self._again[part]
                self.starts[part] += 1
                self._spawn(part)

    def end(self, part: str) -> int | None:
        """Kill a part. Return its process id, or None if it is down."""
        pid = self.pid(part)
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return pid

    def calm(self) -> None:
        """Let every line carry everything."""
        for weather in self.weather.values():
            weather.calm()

    @contextlib.contextmanager
    def asked(self, url: str | None = None) -> Iterator[psycopg.Connection]:
        """Open a superuser's connection."""
        with psycopg.connect(url or self.superuser, autocommit=True) as found:
            yield found

    def secrets(self) -> dict[str, str]:
        """Return the secrets of the installation, by their names."""
        folder = self.data / "secrets"
        return {each.name: each.read_text("ascii").strip() for each in folder.iterdir()}

    def log(self, process: str) -> Path:
        """Return the log file of a part."""
        return self.logs_in / f"{process}.log"

    def logs(self) -> list[Path]:
        """Return the logs of all parts."""
        return [*map(self.log, self.children), self.data / "cluster" / "server.log"]

    def _direct(self, name: str) -> str:
        if self.cluster is None:
            raise RuntimeError("the database has never been started")
        # A frozen server must not freeze the thread that will continue it.
        return f"{self.cluster.url(name)}?connect_timeout=2&options=-cstatement_timeout%3D20000"

    def _own_server(self) -> str:
        options = {"max_connections": str(CONNECTIONS_MAX), "max_wal_size": "128MB"}
        options["min_wal_size"] = "32MB"
        self.cluster = Cluster(
            self.data / "cluster", binaries(os.environ), durable=self.durable, options=options
        )
        self.cluster.start()
        return at_rest.superuser(self.cluster)

    def _url(self, role: str, name: str) -> str:
        direct, cluster = super()._url(role, name), self.cluster
        if cluster is None or "database" not in self.lines:
            return direct
        return direct.replace(f":{cluster.port}/", f":{self.lines['database'].port}/")
