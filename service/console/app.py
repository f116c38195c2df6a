"""The console as a part of the application: its routes, and the headers of every answer."""

import asyncio
import gzip
import pkgutil
import re
from functools import cache
from importlib import import_module
from urllib.parse import quote

from litestar import Litestar, Response, route
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.types import HTTPScope, Message, Receive, Scope, Send

from service.api.http.shell import Asked, cut_off
from service.api.http.wire.negotiating import takes_gzip
from service.api.http.wire.observing import EVENT_STREAM
from service.console import files, live, screens
from service.console.asking import ask_of
from service.console.calling import Calls, Edge, Problem
from service.console.declaring import Screen, admit, edge_of, pattern
from service.console.pages import Part
from service.console.sharing import Sharing
from service.console.troubles import troubled

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
    "manifest-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"referrer-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
    (
        b"permissions-policy",
        b"camera=(self), screen-wake-lock=(self), geolocation=(), microphone=(), payment=()",
    ),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_PRIVATE = (
    (b"cache-control", b"private, no-store"),
    (b"vary", b"Cookie, Accept-Language, Accept-Encoding"),
)
_COMPRESSED = (b"text/html", b"text/csv")
_LENGTH_MIN = 600
_LEVEL = 7

_METHOD_NOT_ALLOWED = 405


@cache
def routes() -> tuple[HTTPRouteHandler, ...]:
    """Return the handlers of every declared screen. Every module in ``screens`` is read."""
    prefix = f"{screens.__name__}."
    folder = [import_module(each.name) for each in pkgutil.walk_packages(screens.__path__, prefix)]
    found: dict[Screen, None] = {}
    for module in (files, live, *folder):
        found.update({each: None for each in vars(module).values() if isinstance(each, Screen)})
    return tuple(each.handler() for each in found)


@cache
def application() -> Litestar:
    """Return the routes. They know no settings, so every application of a process shares them."""
    return Litestar(
        route_handlers=[*routes(), _missing],
        exception_handlers={HTTPException: _answer_http},
        openapi_config=None,
        logging_config=None,
    )


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    paths = {path for handler in routes() for path in handler.paths}
    return tuple(map(pattern, sorted(paths)))


@cache
def _screens() -> tuple[Screen, ...]:
    return tuple(each.opt["screen"] for each in routes())


@cache
def _forms() -> tuple[Screen, ...]:
    return tuple(each for each in _screens() if each.method == "POST")


@cache
def _told() -> tuple[Screen, ...]:
    """Return the pages of whose parts streams tell strangers the tags."""
    return tuple(each for each in _screens() if each.open and each.from_log and not each.hidden)


def serves(path: str) -> bool:
    """Return whether the console has a page, form or file at *path*."""
    return any(each.fullmatch(path) for each in _patterns())


def _page_of_form(path: str) -> str | None:
    """Return the address of the page with the form that posts to *path*, or None if none does."""
    for screen in _forms():
        names = screen.names_in(path)
        if names is not None and screen.of is not None:
            return screen.of.at(names)
    return None


class Console:
    """
    Serves the console's pages.

    Args:
        edge: The application's own edge, through which pages call the API.
    """

    def __init__(self, edge: Edge) -> None:
        self._calls = Calls(edge)
        self._sharing, self._telling = Sharing[Part](), Sharing[str | None]()
        self._routes = application()

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        head = scope["method"] == "HEAD"
        state = {
            **scope["state"], "edge": self._calls, "head": head, "sharing": self._sharing,
            "telling": self._telling, "told": _told(),
        }  # fmt: skip
        inner: HTTPScope = {**scope, "state": state, "extensions": {}}
        if head:
            inner["method"] = "GET"
        sender = _Sender(inner, send, head=head)
        try:
            await self._routes(inner, receive, sender)
        except asyncio.CancelledError:
            if not cut_off(scope):
                raise
            # A page would ask the database for its words. A number needs no language.
            await sender(
                {
                    "type": "http.response.start", "status": 503,
                    "headers": [(b"content-type", b"text/plain"), (b"content-length", b"4")],
                }
            )  # fmt: skip
            await sender({"type": "http.response.body", "body": b"503\n", "more_body": False})

    async def ended(self) -> None:
        """Wait for API calls that pages have started and no longer need."""
        await self._calls.ended()


class _Sender:
    """Adds the headers of every answer, and compresses pages that hold no hidden card."""

    def __init__(self, scope: Scope, send: Send, *, head: bool) -> None:
        self._scope = scope
        self._send = send
        self._head = head
        self._held: Message | None = None
        accepted = next((v for k, v in scope["headers"] if k == b"accept-encoding"), b"")
        self._gzip = takes_gzip(accepted.decode("latin-1"))

    async def __call__(self, message: Message) -> None:
        """Send one message of the answer."""
        if message["type"] == "http.response.start":
            await self._start(message)
        elif message["type"] == "http.response.body":
            await self._body(message)

    async def _start(self, message: Message) -> None:
        if message["type"] != "http.response.start":
            return
        state = self._scope["state"]
        given = [(name.lower(), value) for name, value in message["headers"]]
        present = {name for name, _ in given}
        common = (*_HEADERS, *_PRIVATE, (b"x-request-id", state["request_id"].encode()))
        given += [each for each in common if each[0] not in present]
        given += [(b"set-cookie", each.encode()) for each in state.get("cookies", ())]
        message["headers"] = given
        found = dict(given)
        media = found.get(b"content-type", b"").partition(b";")[0]
        if (seen := state.get("seen")) is not None:
            routed = "route_handler" in self._scope  # else the framework found no handler
            seen.operation = (routed and self._scope["route_handler"].name) or "console"
            seen.status, seen.stream = message["status"], media == EVENT_STREAM
        wanted = media in _COMPRESSED and int(found.get(b"content-length", b"0")) >= _LENGTH_MIN
        if wanted and self._gzip and not state.get("hidden", True):
            self._held = message
            return
        await self._send(message)

    async def _body(self, message: Message) -> None:
        if message["type"] != "http.response.body":
            return
        start, self._held = self._held, None
        if start is not None and start["type"] == "http.response.start":
            message["body"] = gzip.compress(message["body"], _LEVEL, mtime=0)
            start["headers"] = [
                *(each for each in start["headers"] if each[0] != b"content-length"),
                (b"content-encoding", b"gzip"),
                (b"content-length", b"%d" % len(message["body"])),
            ]
            await self._send(start)
        if self._head:
            message["body"] = b""
        await self._send(message)


@route("/{missing:path}", http_method=["GET"], opt={"screen": None}, name="console.missing")
async def _missing(request: Asked) -> Response[bytes]:
    """Answer an unknown path with a page."""
    ask = ask_of(request, edge_of(request))
    return await troubled(ask, admit(ask) or Problem(404, {"code": "not_found"}))


def _answer_http(request: Asked, error: HTTPException) -> Response[bytes]:
    """
    Answer an error of the framework, such as a method that a page does not have.

    A request for the address of a form, which a browser keeps after a refusal, gets the form's
    page.
    """
    if error.status_code == _METHOD_NOT_ALLOWED and request.method == "GET":
        page = _page_of_form(str(request.scope["path"]))
        if page is not None:
            return Response(b"", status_code=303, headers={"Location": quote(page)})
    return Response(
        f"{error.status_code}\n".encode(), status_code=error.status_code, media_type="text/plain"
    )
