"""
The HTTP protocol of the server: one write per answer, and limits for slow or greedy clients.

A write that wakes a sleeping reader costs as much as several that do not. The server's own protocol
writes an answer's head first and then its body. Here, everything written in one turn of the event
loop leaves in one write.
"""

import asyncio
import re
from collections import deque
from collections.abc import Iterable
from typing import Any, Final, cast
from weakref import ref

import httptools
import uvicorn
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)
from uvicorn.server import ServerState

from service.api.http.problems.answers import RETRY_AFTER_SECONDS
from service.api.http.problems.refusing import (
    CROWDED,
    HOST_INVALID,
    MALFORMED,
    TOO_LARGE,
    TOO_SLOW,
    Refusal,
    overloaded,
)
from service.api.http.wire.connections import HEADER_BYTES_MAX, HEADERS_MAX, Connections
from service.api.http.wire.crowding import Crowd, count_refused
from service.api.http.wire.gathering import Gathering
from service.api.http.wire.hosts import HostInvalid, origin_form
from service.api.http.wire.lean import OF_SERVER, Flow, Pipeline, Waiting
from service.api.http.wire.proxies import UNKNOWN, Proxies, normal
from service.api.http.wire.upgrades import framing_of, parser_of_rest
from service.base.limits import LimitSettings
from service.base.sources import SystemEntropy
from service.base.telemetry import given_id

_ENTROPY: Final = SystemEntropy()
_EARLY: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})
"""The methods whose answer has the body of a problem."""

WHOLE = "holotable.whole"
"""Name of the scope extension that sends an answer in one piece. It holds a :class:`Whole`."""

_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Characters that the server refuses in a header. CR and LF are counted separately."""


class _TooLarge(Exception):
    """The headers exceed the limit on their size or number."""


_BY_ERROR: Final[dict[type | None, Refusal]] = {_TooLarge: TOO_LARGE, HostInvalid: HOST_INVALID}
"""The answers to errors that a call of the parser raised."""


class Whole:
    """Sends the answer to one request in one piece."""

    __slots__ = ("_cycle",)

    def __init__(self, cycle: RequestResponseCycle) -> None:
        # A weak reference, because the cycle holds the scope and the scope holds this object.
        self._cycle = ref(cycle)

    async def answer(
        self, status: int, headers: Iterable[tuple[bytes, bytes]], body: bytes
    ) -> None:
        """
        Send head and body in one write. The server's own ``send`` takes two.

        Args:
            headers: The answer's headers, with ``content-length`` if there is a body.

        Raises:
            RuntimeError: If the request is over or already answered, or a header has an invalid
                character.
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
    The server's HTTP protocol, with the extension :data:`WHOLE` and gathered writes.

    It limits the size of a request's headers, and the time a client may take.
    """

    watch = Connections(LimitSettings(), Proxies())
    """The process's connections. :func:`protocol_of` gives each server its own."""

    crowd: Crowd | None = None
    """The requests under way, or None if the application alone refuses what is too much."""

    __slots__ = (
        *OF_SERVER,
        "_completed",
        "_reading",
        "_received",
        "_unparsed",
        "address",
        "deadline",
    )

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, object],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.pipeline = cast(deque[Waiting], Pipeline())
        self.address = UNKNOWN
        self.deadline: float | None = None
        self._reading = self._completed = False
        self._received = self._unparsed = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept a connection, or refuse it if there are too many."""
        # The server uses only the methods that Gathering has.
        super().connection_made(cast(asyncio.Transport, Gathering(cast(Any, transport))))
        self.flow = Flow(self.transport)
        self.address = UNKNOWN if self.client is None else normal(self.client[0])
        if not self.watch.enter(self):
            self._refuse(CROWDED)
            return
        self.deadline = self.loop.time() + self.watch.settings.header_seconds

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection."""
        self.watch.leave(self)
        super().connection_lost(exc)

    def eof_received(self) -> None:
        """Send the held data. The event loop then closes the connection."""
        cast(Gathering, self.transport).flush()

    def data_received(self, data: bytes) -> None:
        """Parse *data* like the server's own protocol, but do not log every bad request."""
        self._completed = False
        try:
            self._parse(memoryview(data))
            if self._reading and not self._completed:
                self._unparsed += len(data)
                if self._unparsed > HEADER_BYTES_MAX:
                    raise _TooLarge
        except _TooLarge:
            self._refuse(TOO_LARGE)
        except httptools.HttpParserError as error:
            self._refuse(_BY_ERROR.get(type(error.__context__), MALFORMED))

    def _parse(self, data: memoryview) -> None:
        """Parse *data* as HTTP, also behind a request that asks for another protocol."""
        while True:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                data = data[upgrade.args[0] :]
            else:
                return
            head = framing_of(self.headers, self.parser.get_http_version())
            self.parser = parser_of_rest(self)
            self.parser.feed_data(head)

    def on_message_begin(self) -> None:
        """Start the deadline for the headers."""
        super().on_message_begin()
        self._reading = True
        self._received = self._unparsed = 0
        self.deadline = self.loop.time() + self.watch.settings.header_seconds

    def on_url(self, url: bytes) -> None:
        """Count the URL towards the size of the headers."""
        self._received += len(url)
        if self._received > HEADER_BYTES_MAX:
            raise _TooLarge
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """
        Limit the number and the size of the headers, and ignore what stands behind a body.

        A proxy removes what a client says of itself from the head only (RFC 9110, section 6.5.1).
        """
        self._received += len(name) + len(value)
        if self._received > HEADER_BYTES_MAX:
            raise _TooLarge
        if self._reading:
            if len(self.headers) >= HEADERS_MAX:
                raise _TooLarge
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """
        Check the host, start the deadline for the body, and add :data:`WHOLE` to the scope.

        The request's task starts only after this method returns.
        """
        self.url = origin_form(self.url, self.headers, self.parser.get_http_version())
        self._reading = False
        self.deadline = self.loop.time() + self.watch.settings.body_seconds
        super().on_headers_complete()
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and cycle.scope is self.scope and not cycle.response_complete:
            # The server's scope type allows only its own extensions.
            cast(Any, self.scope)["extensions"] = {WHOLE: Whole(cycle)}

    def on_message_complete(self) -> None:
        """Clear the deadline: the request is complete."""
        if self.parser.should_upgrade():
            return  # its body follows
        self._completed = True
        self.deadline = None
        super().on_message_complete()
        # The parser ends the connection for a header behind the body, too, and then reads no more.
        ends = not self.parser.should_keep_alive()
        if self.idle:  # it was answered before it was complete
            self.scope = self.headers = self.cycle = None  # type: ignore[assignment]
            if ends:
                self.transport.close()
            self._wait_for_next()
        elif ends:
            self.cycle.keep_alive = False

    def on_response_complete(self) -> None:
        """Keep nothing of a request that is whole and answered: connections are idle for long."""
        cycle = self.cycle
        over = cycle.response_complete and not cycle.more_body
        if over:
            if cycle.scope is self.scope:  # otherwise they belong to the next request
                self.scope = self.headers = None  # type: ignore[assignment]
            self.cycle = None  # type: ignore[assignment]
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        elif over and not self._reading:
            self._wait_for_next()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """
        Start a request, or refuse it if too many are under way.

        A refused client is not read from before it may ask again. Otherwise those who ask again at
        once would take the time of those who were let in.
        """
        if self._suits_refusing(cycle):
            self._refuse_early(cycle)
        else:
            super()._start_asgi_task(cycle, app)

    def _suits_refusing(self, cycle: RequestResponseCycle) -> bool:
        """Return whether a request is one too many, and its answer is known without a task."""
        method, path = cycle.scope["method"], cycle.scope["path"]
        return (
            self.crowd is not None
            and method in _EARLY
            and path.startswith("/v1/")  # a page is refused by a page
            and self.crowd.full(method)
            and not self.pipeline  # or each answer would refuse the next one in a deeper call
            and not cycle.waiting_for_100_continue  # the client may not send its body
            and not any(name == b"origin" for name, _ in cycle.scope["headers"])
        )

    def _refuse_early(self, cycle: RequestResponseCycle) -> None:
        count_refused(cycle.scope["method"])
        head, body = overloaded(given_id(cycle.scope["headers"]) or str(_ENTROPY.uuid()))
        lines = [b"%b: %b" % each for each in cycle.default_headers]
        if not cycle.keep_alive:
            lines.append(b"connection: close")
        cycle.response_started = cycle.response_complete = True
        head = STATUS_LINE[503] + b"\r\n".join((*lines, head))
        self.transport.write(b"%b\r\n\r\n%b" % (head, body))
        if not cycle.keep_alive:
            self.transport.close()
        cycle.on_response()
        if cycle.keep_alive and not self.watch.proxies.trusts(self.address):
            # A proxy's connection carries the requests of others, who may be served by then.
            self.flow.pause_reading()
            self.loop.call_later(RETRY_AFTER_SECONDS, self._read_on)

    def _read_on(self) -> None:
        """Read again from a client that was told to wait."""
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.deadline is None and self.idle:
            self._wait_for_next()

    def _wait_for_next(self) -> None:
        """Start the deadline for the next request. The server would start a timer."""
        if self.flow.write_paused:
            return  # the client still reads its answer, and has its own deadline for that
        if self.flow.read_paused:
            return  # the time of a client that is not read from does not count
        self.deadline = self.loop.time() + self.timeout_keep_alive

    def pause_writing(self) -> None:
        """Start the deadline for a client that does not read its answer."""
        super().pause_writing()
        self.deadline = self.loop.time() + self.watch.settings.write_seconds

    def resume_writing(self) -> None:
        """Clear the deadline: the client reads again."""
        super().resume_writing()
        self.deadline = None
        if self.idle and not self._reading:
            self._wait_for_next()

    @property
    def idle(self) -> bool:
        """True if no request is being answered."""
        cycle: Any = self.cycle  # None before the first request
        return cycle is None or bool(cycle.response_complete)

    def expire(self) -> None:
        """
        Close the connection of a client that was too slow. Answer 408 first if no answer has begun.
        """
        self.deadline = None
        if self.flow.write_paused:
            self.transport.abort()
        elif self._reading or not (self.idle or self.cycle.response_started):
            self._refuse(TOO_SLOW)
        else:  # the client has sent nothing, or has its answer
            self.transport.close()

    def give_way(self) -> None:
        """Close the connection to make room for another."""
        self.transport.close()

    def _refuse(self, refusal: Refusal) -> None:
        """
        Answer a malformed or incomplete request with *refusal* and close the connection.

        If an earlier request waits for its answer, only close it. The client would take the refusal
        for that answer.
        """
        earlier = self._reading or self.pipeline
        if self.idle or not (earlier or self.cycle.response_started):
            self.transport.write(refusal.answer)
        self.transport.close()


def protocol_of(connections: Connections, crowd: Crowd | None = None) -> type[Protocol]:
    """
    Return a protocol class that counts its connections in *connections*.

    Args:
        crowd: The requests under way, to refuse those that are too many before the application
            is asked.
    """
    return type("Protocol", (Protocol,), {"watch": connections, "crowd": crowd})
