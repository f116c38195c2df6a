"""
A fast path for the two hot routes: acting at a table and reading a table.

Both run the ordinary handlers under their ordinary declarations, without the framework's routing
and injection. Every other request goes to the framework.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable
from functools import cached_property
from typing import Any

from litestar import Litestar, Request, Response
from litestar.connection import ASGIConnection
from litestar.connection.base import empty_send
from litestar.handlers import HTTPRouteHandler
from litestar.status_codes import HTTP_204_NO_CONTENT, HTTP_304_NOT_MODIFIED
from litestar.types import Receive, Send

from service.api.http.access.authentication import authenticate
from service.api.http.handing import again, answered_elsewhere
from service.api.http.problems.answers import Handlers
from service.api.http.problems.refusing import PRIVATE
from service.api.http.serving import WHOLE
from service.api.http.shell import Asked, Shell, cut_off
from service.api.http.wire.crowding import PLACE, Place
from service.api.http.wire.frames import Answered, Handed
from service.api.http.wire.limiting import Limits
from service.api.http.wire.observing import EVENT_STREAM, Seen
from service.api.http.wire.requests import BoundedRequest
from service.api.table import tables
from service.base import telemetry
from service.base.errors import Overloaded, StoreUnavailable, TooManyRequests

Scope = Any  # ASGI defines the members by prose
"""An ASGI connection scope, as the server passes it."""

Given = Response[bytes] | Exception
"""An answer, or the error to answer with."""

_Answer = Callable[[Asked], Awaitable[Response[bytes]]]
_TABLE = re.compile(r"/v1/tables/([^/]+)(/actions)?")
_ROUTES: dict[tuple[str, str | None], HTTPRouteHandler] = {
    ("POST", "/actions"): tables.act,
    ("GET", None): tables.read_table,
}

_MEMBERS = frozenset((*Request.__slots__, *ASGIConnection.__slots__))
"""The members of the framework's request. The hot routes seldom need them."""


class _Headers:
    """Headers by lower-case name. If a header is repeated, its first value counts."""

    __slots__ = ("_found",)

    def __init__(self, given: Iterable[tuple[bytes, bytes]]) -> None:
        self._found = dict(reversed(list(given)))

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return the value of the header *name*, or *default* if the request does not have it."""
        value = self._found.get(name.encode())
        return default if value is None else value.decode("latin-1")


class _Request(BoundedRequest):
    """A request that reads its headers without the framework, whose parts are made on demand."""

    def __init__(self, scope: Scope, receive: Receive, send: Send = empty_send) -> None:
        self.scope = scope
        self.receive = receive
        self.send = send

    def __getattr__(self, name: str) -> object:
        if name not in _MEMBERS:
            raise AttributeError(name)
        super().__init__(self.scope, self.receive, self.send)
        return getattr(self, name)

    @cached_property
    def headers(self) -> _Headers:  # type: ignore[override]
        """The headers by name, decoded on access."""
        return _Headers(self.scope["headers"])


class Front:
    """
    Answers the hot routes and passes every other connection to *litestar*.

    Args:
        handlers: The application's exception handlers, by exception class.
        limits: The request limits of each client, the same as on all other routes.
    """

    def __init__(self, litestar: Litestar, handlers: Handlers, limits: Limits) -> None:
        self._litestar = litestar
        self._handlers = handlers
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        if scope["type"] != "http":
            await self._litestar(scope, receive, send)
            return
        if not await self._admitted(scope, receive, send):
            return
        try:
            place = self._limits.crowd.enter(scope["method"], scope["path"])
        except Overloaded as error:
            await _send(scope, self._answer_to(_Request(scope, receive, send), error), send)
            return
        scope["state"][PLACE] = place
        try:
            await self._serve(scope, receive, send)
        except asyncio.CancelledError:
            if not cut_off(scope):
                raise
            # Nobody knows whether a command was kept. Its key finds out, after the next start.
            stopped = StoreUnavailable("the service is stopping")
            await _send(scope, self._answer_to(_Request(scope, receive, send), stopped), send)
        finally:
            place.leave()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = _route_of(scope)
        if route is None:
            await self._litestar(scope, receive, _headed(scope, send))
            return
        scope["litestar_app"] = self._litestar
        request = _Request(scope, receive, send)
        await _send(scope, await self._answered(request, route, here=False), send)

    async def _answered(
        self, request: _Request, route: HTTPRouteHandler, *, here: bool
    ) -> Response[bytes]:
        """
        Return the answer of a hot route.

        Args:
            here: True if this process must answer itself.
        """
        answer: _Answer = route.fn
        try:
            await authenticate(request, route.opt["operation"])
            found = None if here else await answered_elsewhere(request)
            return await answer(request) if found is None else found
        except Exception as error:  # noqa: BLE001
            # The framework does the same around its own handlers, which this path skips.
            # Every error becomes its problem document. The handler of Exception logs an
            # unexpected error and answers 500.
            return self._answer_to(request, error)

    async def answer_handed(self, shell: Shell, handed: Handed) -> Answered:
        """
        Answer a request that another process has handed on, as if its client had sent it here.

        Its client's limits were counted there. The number of requests under way is bounded here.
        """
        telemetry.REQUEST.set(handed.request)
        scope: Scope = {
            "type": "http", "method": handed.method, "path": handed.path, "query_string": b"",
            "headers": handed.headers, "litestar_app": self._litestar,
            "state": {"shell": shell, "request_id": handed.request},
        }  # fmt: skip
        route, request = _route_of(scope), _Request(scope, again(handed.body))
        if route is None:
            raise LookupError("a request was handed on that is not for a table")
        try:
            place = self._limits.crowd.enter(handed.method, handed.path)
        except Overloaded as error:
            response = self._answer_to(request, error)
        else:
            try:
                response = await self._answered(request, route, here=True)
            finally:
                place.leave()
        return Answered(
            handed.number, response.status_code or 200, str(response.media_type),
            dict(response.headers), response.content,
        )  # fmt: skip

    async def answer(self, scope: Scope, receive: Receive, send: Send, given: Given) -> None:
        """Answer a request that reaches no route, within the client's limits."""
        if await self._admitted(scope, receive, send):
            request = _Request(scope, receive, send)
            response = self._answer_to(request, given) if isinstance(given, Exception) else given
            await _send(scope, response, send)

    async def _admitted(self, scope: Scope, receive: Receive, send: Send) -> bool:
        """
        Count a request. If the client has sent too many, answer that and return False.

        The first call that a page of the console makes was counted with the page.
        """
        if scope["state"].get("admitted") is not None:
            return True
        try:
            scope["state"]["admitted"] = self._limits.admit(scope)
        except TooManyRequests as error:
            request = _Request(scope, receive, send)
            await _send(scope, self._answer_to(request, error), send)
            return False
        return True

    def _answer_to(self, request: _Request, error: Exception) -> Response[bytes]:
        """Return the answer of the handler of the nearest class of *error*."""
        known = next(each for each in type(error).__mro__ if each in self._handlers)
        answer: Response[bytes] = self._handlers[known](request, error)
        return answer


def _route_of(scope: Scope) -> HTTPRouteHandler | None:
    """Return the hot route of a request, and put the table into its scope, or None."""
    found = _TABLE.fullmatch(scope["path"])
    route = None if found is None else _ROUTES.get((scope["method"], found[2]))
    if found is not None and route is not None:
        scope["path_params"] = {"table_id": found[1]}
    return route


def _common(scope: Scope) -> list[tuple[bytes, bytes]]:
    """Return the headers of every answer: request ID, caching, security and rate limits."""
    state = scope["state"]
    admitted = state.get("admitted")
    limited = () if admitted is None else admitted.headers()
    return [(b"x-request-id", state["request_id"].encode()), *PRIVATE, *limited]


def _headed(scope: Scope, send: Send) -> Send:
    """Return a *send* that adds the common headers that an answer lacks."""
    place: Place | None = scope["state"].get(PLACE)

    async def send_with_headers(message: Scope) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            present = {name.lower() for name, _ in given}
            _note(scope, message["status"], given)
            missing = [each for each in _common(scope) if each[0] not in present]
            message["headers"] = [*given, *missing]
        await (send(message) if place is None else place.resting(send(message)))

    return send_with_headers


def _note(scope: Scope, status: int, headers: list[tuple[bytes, bytes]]) -> None:
    """Report the request to the observer. A page's own calls are not observed."""
    seen: Seen | None = scope["state"].get("seen")
    if seen is not None:
        seen.status = status
        seen.stream = any(each[1].startswith(EVENT_STREAM) for each in headers)


async def _send(scope: Scope, response: Response[bytes], send: Send) -> None:
    status, body, headers = response.status_code, response.content, _common(scope)
    for name, value in response.headers.items():
        headers.append((name.lower().encode("latin-1"), value.encode("latin-1")))
    if status not in (HTTP_204_NO_CONTENT, HTTP_304_NOT_MODIFIED):
        headers.append((b"content-type", str(response.media_type).encode("latin-1")))
        headers.append((b"content-length", b"%d" % len(body)))
    if (seen := scope["state"].get("seen")) is not None:
        seen.status = status
    if (place := scope["state"].get(PLACE)) is not None:
        place.leave()
    whole = (scope.get("extensions") or {}).get(WHOLE)
    if whole is not None:
        await whole.answer(status, headers, body)
        return
    head: Scope = {"type": "http.response.start", "status": status, "headers": headers}
    await send(head)
    await send({"type": "http.response.body", "body": body, "more_body": False})
