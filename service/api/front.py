"""
The hot routes, in front of the framework: acting at a table, and looking at it.

They are the same handlers under the same declarations; only the framework's
routing and injection are left out.  Whatever does not look exactly like one of
them goes the ordinary way.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from litestar import Litestar, Response
from litestar.handlers import HTTPRouteHandler
from litestar.status_codes import HTTP_304_NOT_MODIFIED

from service.api import tables
from service.api.authentication import authenticate
from service.api.requests import BoundedRequest

Send = Callable[[Any], Awaitable[None]]
Receive = Callable[[], Awaitable[Any]]

_Handler = Callable[..., Awaitable[Response[bytes]]]
_TABLE = re.compile(r"/v1/tables/([^/]+)(/actions)?")
_ROUTES: dict[tuple[str, str | None], HTTPRouteHandler] = {
    ("POST", "/actions"): tables.act,
    ("GET", None): tables.read_table,
}


class Front:
    """
    Answers the hot routes, and hands everything else to *litestar*.

    Args:
        handlers: What answers an exception, by class; the application's own.
    """

    def __init__(self, litestar: Litestar, handlers: Mapping[Any, Any]) -> None:
        self._litestar = litestar
        self._handlers = handlers

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        found = _TABLE.fullmatch(scope["path"]) if scope["type"] == "http" else None
        route = None if found is None else _ROUTES.get((scope["method"], found[2]))
        if found is None or route is None:
            await self._litestar(scope, receive, send)
            return
        scope["litestar_app"] = self._litestar
        request = BoundedRequest(scope, receive, send)
        act: _Handler = route.fn
        try:
            await authenticate(request, route.opt["operation"])
            response = await act(request, found[1])
        except Exception as error:  # noqa: BLE001 - as the framework does
            response = self._answer_to(error)(request, error)
        await _send(response, send)

    def _answer_to(self, error: Exception) -> Callable[..., Response[bytes]]:
        known = next(each for each in type(error).__mro__ if each in self._handlers)
        answer: Callable[..., Response[bytes]] = self._handlers[known]
        return answer


async def _send(response: Response[bytes], send: Send) -> None:
    headers = [
        (name.lower().encode("latin-1"), value.encode("latin-1"))
        for name, value in response.headers.items()
    ]
    if response.status_code != HTTP_304_NOT_MODIFIED:
        headers.append((b"content-type", str(response.media_type).encode("latin-1")))
        headers.append((b"content-length", b"%d" % len(response.content)))
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.content, "more_body": False})
