"""
How answers leave: in one piece, and what one turn of the event loop writes in one go.

A write that wakes a sleeping reader costs as much as several that do not; the server
itself writes the head of an answer, and then its body.
"""

import asyncio
import re
from collections.abc import Iterable
from typing import Any, cast
from weakref import ref

from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

WHOLE = "holotable.whole"
"""Extension in the scope: answers a request in one piece, as :class:`Whole` does."""

_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""What no header holds, besides the ends of its line; the server refuses it too."""

_HELD_MAX = 64 * 1024
"""Bytes of one connection that wait for the end of the turn."""


class Gathering:
    """
    A transport that sends at the end of the turn what was written in it.

    Args:
        transport: The connection's; it does everything else.
    """

    __slots__ = ("_call_soon", "_held", "_length", "_transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._call_soon = asyncio.get_running_loop().call_soon
        self._held: list[bytes] = []
        self._length = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        """Return whether nothing more is sent."""
        return self._transport.is_closing()

    def write(self, data: bytes) -> None:
        """Send *data*, after what was written before it."""
        if not self._held:
            self._call_soon(self.flush)
        self._held.append(data)
        self._length += len(data)
        if self._length > _HELD_MAX:  # so that the connection can ask its writer to pause
            self.flush()

    def close(self) -> None:
        """Send what is held, then close."""
        self.flush()
        self._transport.close()

    def flush(self) -> None:
        """Send what is held, unless nothing more is sent."""
        held, self._held, self._length = self._held, [], 0
        if held and not self._transport.is_closing():  # the client may have gone meanwhile
            self._transport.write(b"".join(held))


class Whole:
    """Answers one request of the server's in one piece."""

    __slots__ = ("_cycle",)

    def __init__(self, cycle: RequestResponseCycle) -> None:
        # The cycle holds the scope, which holds this: a circle that only the collector ends.
        self._cycle = ref(cycle)

    async def answer(
        self, status: int, headers: Iterable[tuple[bytes, bytes]], body: bytes
    ) -> None:
        """
        Send head and body; what the server's own ``send`` does in two steps.

        Args:
            headers: With ``content-length`` if there is a body.
        """
        cycle = self._cycle()
        if cycle is None:
            raise RuntimeError("the request is over")
        if cycle.flow.write_paused and not cycle.disconnected:
            await cycle.flow.drain()
        if cycle.disconnected:
            return
        if cycle.response_started:
            raise RuntimeError("the request has been answered")
        lines = [b"%b: %b" % each for each in (*cycle.default_headers, *headers)]
        if not cycle.keep_alive:
            lines.append(b"connection: close")
        head = STATUS_LINE[status] + b"\r\n".join(lines)
        if not head.count(b"\r") == head.count(b"\n") == len(lines) or _CONTROL.search(head):
            raise RuntimeError("a header of an answer holds more than a header")
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        cycle.message_event.set()
        cycle.transport.write(b"%b\r\n\r\n%b" % (head, body))
        if not cycle.keep_alive:
            cycle.transport.close()
        cycle.on_response()


class Protocol(HttpToolsProtocol):
    """The server's HTTP, with :data:`WHOLE`, on connections that gather what they send."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to serve a connection."""
        super().connection_made(cast(asyncio.Transport, Gathering(cast(Any, transport))))

    def eof_received(self) -> None:
        """Send what is held: the loop closes the connection of a client that asks no more."""
        cast(Gathering, self.transport).flush()

    def on_headers_complete(self) -> None:
        """Have a request answered; its task does not begin before this is over."""
        super().on_headers_complete()
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and cycle.scope is self.scope:
            cast(Any, self.scope)["extensions"] = {WHOLE: Whole(cycle)}
