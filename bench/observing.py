"""
Measure the processor time of metrics and the access log for an action over HTTP.

One thread serves the API, and another one plays at a table. The clock is that of the serving thread
alone, so waiting counts for nothing. Each part is measured where it runs, in the middle of the
requests: whole blocks with and without the parts differ by less than a busy machine's noise.
"""

import asyncio
import os
import sys
import threading
import time
from collections import Counter as Counted
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import uvicorn
from prometheus_client import Counter, Gauge, Histogram

from bench.playing import Measured, sit_down
from service.api.http.serving import protocol_of
from service.api.http.wire.connections import Connections
from service.api.http.wire.observing import Observer
from service.api.http.wire.proxies import Proxies
from service.base import database, migrations, telemetry
from service.base.embedded import Cluster, binaries
from service.base.ports import free_ports
from service.base.settings import Settings
from service.process.app import build

ACTIONS: Final = 600
WARM: Final = 100
"""Actions before those that count."""

FLUSHED_SECONDS: Final = 0.15
"""The access log is written at most so long after a request."""

_SECRET: Final = "5a" * 32


class Meter:
    """The processor time of some functions, in nanoseconds, by part."""

    def __init__(self) -> None:
        self.spent: Counted[str] = Counted()
        self._within = False

    def watch(self, kind: Any, name: str, part: str, *, alone: bool = False) -> None:
        """
        Measure a method of *kind* from now on.

        Args:
          alone: Leave out calls from within another measured method.
        """
        real = getattr(kind, name)

        def measured(*given: Any, **named: Any) -> Any:
            if alone and self._within:
                return real(*given, **named)
            before, self._within = self._within, True
            began = time.thread_time_ns()
            try:
                return real(*given, **named)
            finally:
                self.spent[part] += time.thread_time_ns() - began
                self._within = before

        setattr(kind, name, measured)


class Serving:
    """The API in a thread of its own."""

    def __init__(self, settings: Settings, log: Path) -> None:
        with log.open("w") as opened:
            stream = os.fdopen(os.dup(opened.fileno()), "w")
        lines = telemetry.configure(settings, "api", stream)
        self.application = build(settings, None, Observer(lines))
        self.url = f"http://127.0.0.1:{settings.port}"
        config = uvicorn.Config(
            self.application,
            port=settings.port,
            log_config=None,
            timeout_keep_alive=600,
            access_log=False,
            http=protocol_of(Connections(settings, Proxies(settings.proxies()))),
            ws="none",
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.05)
        assert self._thread.ident is not None
        self._clock = time.pthread_getcpuclockid(self._thread.ident)

    def spent(self) -> float:
        """Return the microseconds of processor that the thread has used."""
        return time.clock_gettime(self._clock) * 1e6

    def stop(self) -> None:
        """End the thread."""
        self._server.should_exit = True
        self._thread.join(20)


async def play(serving: Serving, meter: Meter) -> tuple[int, float]:
    """Return the number of actions that counted, and the thread's microseconds for them."""
    (game,) = await sit_down(serving.url, 1)
    measured = Measured(0, float("inf"))
    for _ in range(WARM):
        await game.step(measured)
    await asyncio.sleep(FLUSHED_SECONDS)
    meter.spent.clear()
    begun, before = len(measured.spent), serving.spent()
    for _ in range(ACTIONS):
        await game.step(measured)
    await asyncio.sleep(FLUSHED_SECONDS)
    return len(measured.spent) - begun, serving.spent() - before


def main() -> int:
    """Print the microseconds of each part, and those of the whole, for one action."""
    meter = Meter()
    meter.watch(Observer, "answered", "counting a request, and holding its line")
    meter.watch(Observer, "_remember", "  of it holding the line")
    meter.watch(Observer, "flush", "writing the lines")
    for kind, name in ((Counter, "inc"), (Histogram, "observe"), (Gauge, "set")):
        meter.watch(kind, name, "counting commands, batches and commits", alone=True)
    with TemporaryDirectory(prefix="holotable-observing-") as folder:
        cluster = Cluster(Path(folder) / "cluster", binaries(os.environ), durable=False)
        with cluster:
            passwords = dict.fromkeys(database.LOGINS, "bench")
            database.create_roles(cluster.url(), passwords)
            database.create_database(cluster.url(), database.DATABASE)
            url = cluster.url(database.DATABASE, database.MIGRATOR, "bench")
            migrations.migrate(url)
            settings = Settings(
                database_url=cluster.url(database.DATABASE, "holotable_api", "bench"),
                secret_key=_SECRET,
                port=free_ports(),
                log_format="json",
                password_memory_kib=8,
            )
            serving = Serving(settings, Path(folder) / "log")
            try:
                actions, whole = asyncio.run(play(serving, meter))
            finally:
                serving.stop()
    each = whole / actions
    sys.stdout.write(f"{'an action':<44} {each:8.1f} us\n")
    for part, spent in meter.spent.items():
        mine = spent / 1e3 / actions
        sys.stdout.write(f"{part:<44} {mine:8.1f} us  {mine / each:6.2%}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
