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

import httptools
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from service.api.http.connections import HEADER_BYTES_MAX, HEADERS_MAX, Connections
from service.api.http.proxies import UNKNOWN, Proxies, normal
from service.api.http.refusing import CROWDED, MALFORMED, TOO_LARGE, TOO_SLOW, Refusal
from service.base.limits import LimitSettings

WHOLE = "holotable.whole"
"""Extension in the scope: answers a request in one piece, as :class:`Whole` does."""

_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""What no header holds, besides the ends of its line; the server refuses it too."""

_HELD_MAX = 64 * 1024
"""Bytes of one connection that wait for the end of the turn."""


class _TooLarge(Exception):
    """The headers are larger or more than the server reads."""


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

    def __getattr__(self, name: str) -> Any:  # whatever the transport has
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
    """
    The server's HTTP, with :data:`WHOLE`, on connections that gather what they send.

    It bounds what a client may send, and how long it may take over it.
    """

    watch = Connections(LimitSettings(), Proxies())
    """The process's connections; :func:`protocol_of` gives a server its own."""

    address = UNKNOWN
    deadline: float | None = None
    _reading = _completed = False
    _received = _unparsed = _headers = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to serve a connection, if there is room for one more."""
        # The server asks of a transport what Gathering has, and not that it is one.
        super().connection_made(cast(asyncio.Transport, Gathering(cast(Any, transport))))
        self.address = UNKNOWN if self.client is None else normal(self.client[0])
        if not self.watch.enter(self):
            self._refuse(CROWDED)
            return
        self.deadline = self.loop.time() + self.watch.settings.header_seconds

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection no more."""
        self.watch.leave(self)
        super().connection_lost(exc)

    def eof_received(self) -> None:
        """Send what is held: the loop closes the connection of a client that asks no more."""
        cast(Gathering, self.transport).flush()

    def data_received(self, data: bytes) -> None:
        """Parse what came; as the server does, without a line in the log for each bad request."""
        self._unset_keepalive_if_required()
        if self.deadline is None and self.idle:
            self.deadline = self.loop.time() + self.watch.settings.header_seconds
        self._completed = False
        try:
            self.parser.feed_data(data)
            if self._reading and not self._completed:
                self._unparsed += len(data)
                if self._unparsed > HEADER_BYTES_MAX:
                    raise _TooLarge
        except _TooLarge:
            self._refuse(TOO_LARGE)
        except httptools.HttpParserError as error:
            large = isinstance(error.__context__, _TooLarge)
            self._refuse(TOO_LARGE if large else MALFORMED)
        except httptools.HttpParserUpgrade:
            pass  # nothing here speaks another protocol; the request is answered as it stands

    def on_message_begin(self) -> None:
        """Give the headers their time."""
        super().on_message_begin()
        self._reading = True
        self._received = self._unparsed = self._headers = 0
        self.deadline = self.loop.time() + self.watch.settings.header_seconds

    def on_url(self, url: bytes) -> None:
        """Bound what the request's line adds to the headers."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Bound number and size of the headers."""
        self._headers += 1
        if self._headers > HEADERS_MAX:
            raise _TooLarge
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Have a request answered; its task does not begin before this is over."""
        self._reading = False
        self.deadline = self.loop.time() + self.watch.settings.body_seconds
        super().on_headers_complete()
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and cycle.scope is self.scope:
            # The server's type of a scope knows its own extensions only.
            cast(Any, self.scope)["extensions"] = {WHOLE: Whole(cycle)}

    def on_message_complete(self) -> None:
        """Let the client rest: it is the server's turn."""
        self._completed = True
        self.deadline = None
        super().on_message_complete()

    def pause_writing(self) -> None:
        """Give a client that reads nothing its time."""
        super().pause_writing()
        self.deadline = self.loop.time() + self.watch.settings.write_seconds

    def resume_writing(self) -> None:
        """Let a client that reads again go on."""
        super().resume_writing()
        self.deadline = None

    @property
    def idle(self) -> bool:
        """Whether no request is being answered."""
        cycle: Any = self.cycle  # None before the first request; the server does not say so
        return cycle is None or bool(cycle.response_complete)

    def expire(self) -> None:
        """End a connection whose client took too long; say so if nothing was answered yet."""
        self.deadline = None
        if self.flow.write_paused:
            self.transport.abort()
        elif self._reading or not (self.idle or self.cycle.response_started):
            self._refuse(TOO_SLOW)
        else:  # it never asked anything, or has its answer
            self.transport.close()

    def give_way(self) -> None:
        """Close a connection for another's sake."""
        self.transport.close()

    def _count(self, length: int) -> None:
        self._received += length
        if self._received > HEADER_BYTES_MAX:
            raise _TooLarge

    def _refuse(self, refusal: Refusal) -> None:
        """Answer what never became a request, or was never complete, and close."""
        if self.idle or not self.cycle.response_started:
            self.transport.write(refusal.answer)
        self.transport.close()


def protocol_of(connections: Connections) -> type[Protocol]:
    """Return the protocol of a server with these connections."""
    return type("Protocol", (Protocol,), {"watch": connections})
