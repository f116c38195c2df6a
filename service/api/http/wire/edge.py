"""
The outermost part of the application: rules for every path and every answer.

It answers ``HEAD`` for each ``GET``, ``OPTIONS`` for each path, and scripts of other web sites. It
refuses media types that a route does not have, and compresses answers. All other requests and their
answers pass unchanged.
"""

import asyncio
from typing import Protocol, cast

from litestar import Response
from litestar.types import (
    HTTPResponseBodyEvent,
    HTTPResponseStartEvent,
    HTTPScope,
    Message,
    Receive,
    ReceiveMessage,
    Send,
)

from service.api.http.declaring.paths import Methods, Paths
from service.api.http.wire.compression import (
    Headers,
    compressed,
    compressible,
    lasting,
    suits,
    tagged,
    untagged,
)
from service.api.http.wire.cors import Cors
from service.api.http.wire.negotiating import ALL, best, takes_gzip
from service.base.errors import BadRequest

_READ = frozenset(
    {
        b"origin",
        b"accept",
        b"accept-encoding",
        b"if-none-match",
        b"access-control-request-method",
    }
)
_ALL = ALL.encode()
_TAGS = (b"if-none-match", b"if-match")
_PREFLIGHT_VARY = (
    b"vary",
    b"Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
)


class Behind(Protocol):
    """The part of the application behind the edge."""

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        """Serve one connection by its route."""

    async def answer(
        self, scope: HTTPScope, receive: Receive, send: Send, given: Response[bytes] | Exception
    ) -> None:
        """Answer a request that reaches no route, within the client's limits."""


class Edge:
    """
    Serves connections in front of the routes.

    Args:
        front: Everything behind this.
        paths: Every path of the application.
        cors: The web sites whose scripts may read the answers.
    """

    def __init__(self, front: Behind, paths: Paths, cors: Cors) -> None:
        self._front = front
        self._paths = paths
        self._cors = cors

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        given = {name: value for name, value in scope["headers"] if name in _READ}
        origin, accept = given.get(b"origin"), given.get(b"accept")
        method = scope["method"]
        here = self._paths.at(scope["path"])
        if here is not None and method == "OPTIONS":
            await self._options(scope, receive, send, given, here)
            return
        asked = "GET" if method == "HEAD" and (here is None or "GET" in here.operations) else method
        operation = None if here is None else here.operations.get(asked)
        if operation is not None and (seen := scope["state"].get("seen")) is not None:
            seen.operation = operation.name
        head, gzip = asked != method, asked == "GET" and _gzip(scope, given)
        if head or gzip or origin is not None or operation is None:
            sender = _Sender(
                send,
                [] if origin is None else self._cors.headers(origin),
                None if here is None else here.allow,
                given.get(b"if-none-match"),
                head=head,
                gzip=gzip,
                lasts=lasting(scope["path"]),
            )
            scope, receive, send = _without(scope, asked, gzip), sender.receiving(receive), sender
        if operation is not None and accept is not None and accept != _ALL:
            produced = operation.produces
            if operation.answer is not None and best(accept.decode("latin-1"), produced) is None:
                await self._front.answer(scope, receive, send, _not_acceptable(produced))
                return
        await self._front(scope, receive, send)

    async def _options(
        self,
        scope: HTTPScope,
        receive: Receive,
        send: Send,
        given: dict[bytes, bytes],
        here: Methods,
    ) -> None:
        """Answer ``OPTIONS`` without a token, also a browser's before the request of a script."""
        origin, cors = given.get(b"origin"), Headers()
        if origin is not None and b"access-control-request-method" in given:
            cors = [*self._cors.preflight(origin, here.allow), _PREFLIGHT_VARY]
        elif origin is not None:
            cors = self._cors.headers(origin)
        answer = Response[bytes](b"", status_code=204, headers={"Allow": here.allow})
        await self._front.answer(scope, receive, _Sender(send, cors), answer)


class _Sender:
    """
    Sends one answer, changed as the request wants it.

    Args:
        cors: Headers to add.
        allow: The value of ``Allow`` in an answer 405.
        known: The tags of the answers that the client has.
        head: True to send no body.
        gzip: True to compress the body if that is worth it.
        lasts: True if the answer is the same until the process ends.
    """

    def __init__(
        self,
        send: Send,
        cors: Headers,
        allow: str | None = None,
        known: bytes | None = None,
        *,
        head: bool = False,
        gzip: bool = False,
        lasts: bool = False,
    ) -> None:
        self._send = send
        self._cors = cors
        self._allow = allow
        self._known = known or b""
        self._head = head
        self._gzip = gzip
        self._lasts = lasts
        self._held: HTTPResponseStartEvent | None = None
        """The start of an answer that will be compressed when its body arrives."""

        self._over = asyncio.Event()
        """Set once nothing more of the answer will be sent."""

    def receiving(self, receive: Receive) -> Receive:
        """Return *receive* for the routes.

        After a whole ``HEAD`` it reports that the client has left.
        """
        if not self._head:
            return receive

        async def received() -> ReceiveMessage:
            if self._over.is_set():
                return {"type": "http.disconnect"}
            return await receive()

        return received

    async def __call__(self, message: Message) -> None:
        """Send one message of the answer."""
        if self._over.is_set():
            return
        if message["type"] == "http.response.start":
            await self._start(message)
        elif message["type"] == "http.response.body":
            await self._body(message)
        else:
            await self._send(message)

    async def _body(self, message: HTTPResponseBodyEvent) -> None:
        if self._held is not None:
            start, self._held = self._held, None
            start["headers"], message["body"] = await compressed(
                list(start["headers"]), message["body"], lasts=self._lasts
            )
            await self._send(start)
        if not self._head:
            await self._send(message)
        elif not message.get("more_body", False):
            await self._end()

    async def _start(self, message: HTTPResponseStartEvent) -> None:
        status = message["status"]
        headers: Headers = [(name.lower(), value) for name, value in message["headers"]]
        if status == 405 and self._allow is not None:
            headers = [each for each in headers if each[0] != b"allow"]
            headers.append((b"allow", self._allow.encode()))
        if status == 304:
            headers = [self._as_known(*each) for each in headers]
        replaced = {name for name, _ in self._cors}
        headers = [*(each for each in headers if each[0] not in replaced), *self._cors]
        message["headers"] = headers
        if self._gzip and suits(status, headers):
            self._held = message
            return
        await self._send(message)
        if self._head and not any(name == b"content-length" for name, _ in headers):
            await self._end()  # a stream would not end by itself

    async def _end(self) -> None:
        self._over.set()
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    def _as_known(self, name: bytes, value: bytes) -> tuple[bytes, bytes]:
        """Return a header of an answer 304. Its tag is the one that the client sent."""
        known = name == b"etag" and self._gzip and tagged(value) in self._known
        return name, tagged(value) if known else value


def _gzip(scope: HTTPScope, given: dict[bytes, bytes]) -> bool:
    """Return whether the answer may be compressed and the client accepts that."""
    taken = given.get(b"accept-encoding")
    return taken is not None and compressible(scope["path"]) and takes_gzip(taken.decode("latin-1"))


def _without(scope: HTTPScope, method: str, gzip: bool) -> HTTPScope:
    """
    Return a copy of *scope* with *method*, for an answer that is changed on its way.

    The extension that sends an answer in one piece would go past the change. Tags of compressed
    answers become those that the routes know.
    """
    headers = scope["headers"]
    if gzip:
        headers = [(name, untagged(value) if name in _TAGS else value) for name, value in headers]
    return cast(HTTPScope, {**scope, "method": method, "headers": headers, "extensions": {}})


def _not_acceptable(produced: tuple[str, ...]) -> BadRequest:
    return BadRequest(
        "not_acceptable",
        f"the answer has the media type {' or '.join(produced)}; accept that, or */*",
        produces=produced,
    )
