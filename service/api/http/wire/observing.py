"""The traces of each request: a line of the access log, and metrics."""

import asyncio
import re
import time
from typing import Final

from prometheus_client import Counter, Histogram

from service.base import metrics
from service.base.telemetry import Lines

_SUBJECT: Final = re.compile(r"/((?:lge|ssn|trn|tbl|hnd|dsp)_[0-9a-f]{32})(?=/|$)")
"""The first identifier of a path. The rest of a path may hold codes and keys."""

EVENT_STREAM: Final = b"text/event-stream"
_FLUSH_SECONDS: Final = 0.1
_HELD_MAX: Final = 500


class Seen:
    """The facts about one request that the parts of the application learn."""

    __slots__ = ("operation", "status", "stream")

    def __init__(self) -> None:
        self.operation = "none"
        """The operation's id, or a page's name. It stays ``none`` if nothing has the path."""

        self.status = 0
        """The answer's status. 0 if the client left before the answer."""

        self.stream = False
        """True if the answer is an event stream, which lasts as long as its reader likes."""


class Observer:
    """
    Counts the requests of a process and writes its access log.

    Args:
        lines: The access log. Without it nothing is written.
    """

    def __init__(self, lines: Lines | None = None) -> None:
        self._lines = lines
        self._held: list[tuple[float, dict[str, object]]] = []
        self._counters: dict[tuple[str, int], Counter] = {}
        self._seconds: dict[str, Histogram] = {}

    def answered(self, seen: Seen, method: str, path: str, request: str, seconds: float) -> None:
        """Count one answered request, and remember its line."""
        key = (seen.operation, seen.status)
        counter = self._counters.get(key)
        if counter is None:
            counter = metrics.REQUESTS.labels(seen.operation, str(seen.status))
            self._counters[key] = counter
        counter.inc()
        if not seen.stream:
            histogram = self._seconds.get(seen.operation)
            if histogram is None:
                histogram = metrics.REQUEST_SECONDS.labels(seen.operation)
                self._seconds[seen.operation] = histogram
            histogram.observe(seconds)
        if self._lines is not None:
            self._remember(self._lines, seen, method, path, request, seconds)

    def _remember(
        self, lines: Lines, seen: Seen, method: str, path: str, request: str, seconds: float
    ) -> None:
        fields: dict[str, object] = {
            "event": "request",
            "method": method,
            "operation": seen.operation,
            "status": seen.status,
            "milliseconds": round(seconds * 1000, 2),
            "request_id": request,
        }
        if (found := _SUBJECT.search(path)) is not None:
            fields["subject"] = found[1]
        # Lines are written together, so that no request waits for the log.
        if not self._held:
            asyncio.get_running_loop().call_later(_FLUSH_SECONDS, self.flush)
        self._held.append((time.time(), fields))
        if len(self._held) >= _HELD_MAX:
            self.flush()

    def flush(self) -> None:
        """Write the lines that wait."""
        held, self._held = self._held, []
        if held and self._lines is not None:
            self._lines.write(held)
