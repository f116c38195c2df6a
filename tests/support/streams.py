"""A client for streams of events, or of lines of JSON, which reads them while they are open."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

PATIENCE_SECONDS = 120.0
"""Ends a test whose stream stays silent. No test says how fast a stream is."""


class Following:
    """
    One open stream of an application that runs in this loop.

    Args:
        limit: The number of events after which the client stops reading, until ``read_on``.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.items: list[dict[str, Any]] = []
        self.status: int | None = None
        self.problem: str | None = None
        """The code of the problem, if the request was refused."""

        self.ended = asyncio.Event()
        self._changed = asyncio.Condition()
        self._reading = asyncio.Event()
        self._reading.set()
        self._limit = limit

    def read_on(self) -> None:
        """Read again, without a limit."""
        self._limit = None
        self._reading.set()

    async def receive(self) -> Any:
        """Wait for ever, because this client never disconnects."""
        await asyncio.Event().wait()

    async def send(self, message: Any) -> None:
        """Take a message of the application, once the client reads."""
        await self._reading.wait()
        self.status = message.get("status", self.status)
        text = message.get("body", b"").decode()
        if text and (self.status or 0) >= 400:
            self.problem = json.loads(text)["code"]
            text = ""
        for line in text.splitlines():
            if line.startswith(("data: {", "{")):
                self.items.append(json.loads(line.removeprefix("data: ")))
        if message["type"] == "http.response.body" and not message.get("more_body"):
            self.ended.set()
        if self._limit is not None and len(self.items) >= self._limit:
            self._reading.clear()
        async with self._changed:
            self._changed.notify_all()

    async def until_begun(self, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until the status of the answer has arrived."""
        async with asyncio.timeout(seconds), self._changed:
            await self._changed.wait_for(lambda: self.status is not None)

    async def until(self, count: int, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until *count* events have arrived."""
        async with asyncio.timeout(seconds), self._changed:
            await self._changed.wait_for(lambda: len(self.items) >= count)


@asynccontextmanager
async def following(
    app: Any,
    url: str,
    headers: Mapping[str, str],
    after: str | None = None,
    accept: str = "text/event-stream",
    **more: Any,
) -> AsyncIterator[Following]:
    """Open a stream that continues after a cursor. Leaving the block cuts it off."""
    sent = {"host": "test", **headers, "accept": accept}
    if after is not None:
        sent["last-event-id"] = after
    parts = urlsplit(url)
    scope = {
        "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "path": parts.path, "raw_path": parts.path.encode(), "root_path": "",
        "query_string": parts.query.encode(), "client": ("127.0.0.1", 1), "server": ("test", 80),
        "headers": [(name.lower().encode(), text.encode()) for name, text in sent.items()],
    }  # fmt: skip
    stream = Following(**more)

    running = asyncio.create_task(app(scope, stream.receive, stream.send))
    try:
        yield stream
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
