"""
Health of a process: the last beats of its parts, and the answers of its metrics port.

Every part of a process that must keep running beats: its event loop, a worker's ticker. A part that
has been silent for too long hangs, and ``/livez`` says so. ``/readyz`` also says whether this
program runs on the database's schema. The service manager gets the same report (``WatchdogSec`` of
systemd). It ends a process that hangs and starts it again.
"""

import asyncio
import json
import os
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Final
from wsgiref.types import StartResponse, WSGIEnvironment

import psycopg

from service.base.schema_range import of_code

SILENT_SECONDS: Final = 90.0
"""A part hangs if it has not beaten for this long. No wait for a database is longer than 60 s."""

_BEAT_SECONDS: Final = 1.0
TELL_SECONDS: Final = 5.0
_BELIEVED_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 3
"""The longest wait for the database's answer, or for a thread that is already asking."""

Ready = Callable[[], str | None]
"""Returns the reason why a process is not ready, or None."""


def tell_manager() -> None:
    """Tell systemd that this process is alive, if it asks for that."""
    address = os.environ.get("NOTIFY_SOCKET")
    if address is None:
        return
    with (
        suppress(OSError),  # a manager that does not listen must not stop the process
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as manager,
    ):
        manager.sendto(b"WATCHDOG=1", "\0" + address[1:] if address[0] == "@" else address)


class Liveness:
    """The last beat of each part of this process."""

    def __init__(self) -> None:
        self._beats: dict[str, float] = {}
        self._told = 0.0
        self.tell: Callable[[], None] = tell_manager
        """
        Called every few seconds while no part hangs. A worker's processes report to their parent.
        """

    def beat(self, part: str) -> None:
        """Record that *part* is alive."""
        now = self._beats[part] = time.monotonic()
        if now - self._told >= TELL_SECONDS and self.hanging() is None:
            self._told = now
            self.tell()

    def ended(self, part: str) -> None:
        """Forget a part that has ended as planned."""
        self._beats.pop(part, None)

    def hanging(self) -> str | None:
        """Return a sentence that names the hanging part, or None."""
        now = time.monotonic()
        for part, at in list(self._beats.items()):
            if now - at > SILENT_SECONDS:
                return f"{part} has made no progress for {now - at:.0f} s"
        return None


PULSE: Final = Liveness()
"""The pulse of this process. Like its metrics, a process has only one."""


@asynccontextmanager
async def beating(part: str) -> AsyncIterator[None]:
    """Beat in this event loop for the length of the block."""

    async def beat() -> None:
        while True:
            PULSE.beat(part)
            await asyncio.sleep(_BEAT_SECONDS)

    task = asyncio.create_task(beat(), name=f"pulse of {part}")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        PULSE.ended(part)


class Schema:
    """
    Checks, at most every five seconds, whether this program runs on a database's schema.

    Args:
        url: The database, with the login of this process.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._found: str | None = None
        self._until = 0.0

    def __call__(self) -> str | None:
        """Return the reason why this process is not ready, or None."""
        # A frozen server answers nothing at all, so each probe would leave a thread here.
        if not self._lock.acquire(timeout=_LOOK_SECONDS):
            return "the database does not answer: an earlier query waits for it"
        try:
            if time.monotonic() >= self._until:
                self._found = self._look()
                self._until = time.monotonic() + _BELIEVED_SECONDS
            return self._found
        finally:
            self._lock.release()

    def _look(self) -> str | None:
        try:
            with psycopg.connect(
                self._url, connect_timeout=_LOOK_SECONDS, application_name="holotable health"
            ) as connection:
                connection.read_only = True
                fit = of_code().look_now(connection)
        except psycopg.Error as error:
            return f"the database does not answer: {type(error).__name__}"
        return None if fit.fault is None else f"{fit.fault}; {fit.mend}"


def answer(
    environ: WSGIEnvironment, start: StartResponse, ready: Ready | None
) -> Iterable[bytes] | None:
    """Answer ``/livez`` and ``/readyz``, or return None for any other path."""
    path = environ["PATH_INFO"]
    if path not in ("/livez", "/readyz"):
        return None
    fault = PULSE.hanging()
    if fault is None and path == "/readyz" and ready is not None:
        fault = ready()
    body = json.dumps({"status": "ok"} if fault is None else {"status": "no", "why": fault})
    start(
        "200 OK" if fault is None else "503 Service Unavailable",
        [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
    )
    return [body.encode() + b"\n"]
