"""
Calls of the API in memory. The API has authorised everything that a page shows.

A call goes through the application's own edge with the reader's token and address, as a call from
outside would. A page can therefore do nothing that the reader's own client could not do.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar, cast
from urllib.parse import urlencode

import msgspec
from litestar.types import HTTPScope, Message, Receive, ReceiveMessage, Scope, Send

from service.api.http.declaring.nothing import Nothing
from service.api.http.problems.answers import wording_of
from service.api.http.wire.limiting import Admitted
from service.api.http.writing.rehearsing import WouldChange
from service.base.languages import Language
from service.console.bots import with_bots_named
from service.console.link_keys import PARAMETER, LinkKeys

Value = TypeVar("Value")
Body = msgspec.Struct | Mapping[str, object] | None
"""The body of a command. Null is an empty object."""

Values = Mapping[str, str | int | bool | None]
"""Query parameters by name. Null ones are left out."""


class Edge(Protocol):
    """The application, as the server calls it."""

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        """Serve one connection."""


class Calls:
    """
    The application's edge, with a count of the calls under way.

    A page asks for several things at once. If one is refused, the page is answered while other
    calls are still running. A process waits for them before it ends.

    Args:
        edge: The application's own edge.
    """

    def __init__(self, edge: Edge) -> None:
        self._edge = edge
        self._under_way = 0
        self._none = asyncio.Event()
        self._none.set()

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        """Serve one call."""
        self._under_way += 1
        self._none.clear()
        try:
            await self._edge(scope, receive, send)
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._none.set()

    async def ended(self) -> None:
        """Wait until no call is running."""
        await self._none.wait()


class FieldError(msgspec.Struct):
    """A fault in one member of a body."""

    pointer: str
    """The place in the body, as a JSON pointer."""

    detail: str
    """The fault, in the words of the decoder."""


class Problem(Exception):
    """
    A refusal of the API.

    Args:
        status: The status of the answer.
        document: The members of the problem document.
    """

    def __init__(self, status: int, document: Mapping[str, object]) -> None:
        super().__init__(f"{status} {document.get('code')}")
        self.status = status
        self.code = str(document.get("code", "internal_error"))
        self.title = str(document.get("title", ""))
        self.detail = str(document.get("detail", ""))
        self.instance = str(document.get("instance", ""))
        self.facts: dict[str, object] = {
            name: value for name, value in document.items() if name not in _STANDARD
        }
        self.errors = msgspec.convert(document.get("errors", ()), tuple[FieldError, ...])

    @property
    def wording(self) -> str:
        """The part of the detail that is free English, or nothing."""
        return wording_of(self.code, self.detail, self.facts)


_STANDARD = frozenset({"type", "title", "status", "detail", "instance", "code", "errors"})


@dataclass(frozen=True, slots=True)
class Read(Generic[Value]):
    """An answer with its tag, for a form that sends ``If-Match``."""

    value: Value
    etag: str | None


@dataclass(slots=True)
class Api:
    """
    Calls the API for one reader.

    Attributes:
        edge: The application's own edge.
        scope: The scope of the reader's request. Calls come from the same address.
        token: The secret of the reader's session, or None for a stranger.
        address: The reader's address, for the limits.
        language: The reader's language, as in ``Accept-Language``.
        links: The keys of leagues that are shared by a link, which the reader's browser holds.
        admitted: The reader's request, as it was counted. The first call counts with it.
    """

    edge: Edge
    scope: Scope
    token: str | None
    address: str
    language: Language
    links: LinkKeys
    admitted: Admitted | None = None

    async def get(self, path: str, shape: type[Value], **query: str | int | bool | None) -> Value:
        """
        Return the answer of a read.

        Raises:
            Problem: If the API refuses.
        """
        return (await self.read(path, shape, **query)).value

    async def read(
        self, path: str, shape: type[Value], **query: str | int | bool | None
    ) -> Read[Value]:
        """Return the answer of a read with its ``ETag``. Raises as :meth:`get`."""
        *others, last = (None,) if PARAMETER in query else self.links.tried(path)
        for key in others:
            try:
                return await self._read(path, shape, {PARAMETER: key, **query})
            except Problem as problem:
                if problem.status != 404:
                    raise
        return await self._read(path, shape, {PARAMETER: last, **query})

    async def _read(self, path: str, shape: type[Value], query: Values) -> Read[Value]:
        status, headers, body = await self._call("GET", path, query=query)
        return Read(_decoded(status, body, shape), headers.get("etag"))

    async def text(self, path: str, **query: str | int | bool | None) -> str:
        """Return an answer that is not JSON, such as CSV. Raises as :meth:`get`."""
        status, _, body = await self._call("GET", path, query=query)
        _demand(status, body)
        return body.decode()

    async def send(
        self,
        method: str,
        path: str,
        body: Body,
        shape: type[Value],
        *,
        key: str,
        if_match: str | None = None,
    ) -> Value:
        """
        Send a command and return its answer.

        Args:
            key: The idempotency key, made when the form was rendered.

        Raises:
            Problem: If the API refuses.
        """
        headers = {"idempotency-key": key, **({"if-match": if_match} if if_match else {})}
        content = msgspec.json.encode(Nothing() if body is None else body)
        status, _, answer = await self._call(method, path, headers, content)
        return _decoded(status, answer, shape)

    async def send_csv(
        self, path: str, text: str, shape: type[Value], *, key: str = "", dry_run: bool = False
    ) -> Value:
        """Send a list as CSV and return the answer. Raises as :meth:`send`."""
        headers = {"content-type": "text/csv", **({"idempotency-key": key} if key else {})}
        query = {"dry_run": True} if dry_run else None
        status, _, answer = await self._call("POST", path, headers, text.encode(), query)
        return _decoded(status, answer, shape)

    async def rehearse(
        self,
        method: str,
        path: str,
        body: Body,
        *,
        key: str,
    ) -> WouldChange:
        """Return what a command would change. Raises as :meth:`send`."""
        content = msgspec.json.encode(Nothing() if body is None else body)
        headers = {"idempotency-key": key}
        status, _, answer = await self._call(method, path, headers, content, {"dry_run": "true"})
        return _decoded(status, answer, WouldChange)

    async def _call(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        query: Values | None = None,
    ) -> tuple[int, dict[str, str], bytes]:
        given = {"accept": "*/*", "accept-language": self.language, **(headers or {})}
        if body:
            given = {"content-type": "application/json", **given, "content-length": str(len(body))}
        if self.token is not None:
            given["authorization"] = f"Bearer {self.token}"
        asked = {
            name: str(value).lower() if isinstance(value, bool) else str(value)
            for name, value in (query or {}).items()
            if value is not None
        }
        state = {name: self.scope["state"][name] for name in ("request_id", "shell")}
        if self.admitted is not None:
            state["admitted"], self.admitted = self.admitted, None
        scope = {
            **_CALL,
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": urlencode(asked).encode(),
            "headers": [
                (name.encode(), value.encode("latin-1", "backslashreplace"))
                for name, value in given.items()
            ],
            "client": (self.address, 0),
            "server": self.scope.get("server"),
            "state": state,
        }
        answered = _Answered(body)
        await self.edge(cast(HTTPScope, scope), answered.receive, answered.send)
        answer = bytes(answered.body)
        kind = answered.headers.get("content-type", "").partition(";")[0]
        if kind in _NAMING:  # the lines of a bundle are signed, and stay as they are
            answer = with_bots_named(answer, self.language)
        return answered.status, answered.headers, answer


_NAMING = ("application/json", "application/problem+json")
"""The types of the answers in which house bots are named in the reader's language."""

_CALL: Mapping[str, object] = {
    "type": "http",
    "asgi": {"version": "3.0", "spec_version": "2.3"},
    "http_version": "1.1",
    "scheme": "http",
    "root_path": "",
    "extensions": {},
}


@dataclass(slots=True)
class _Answered:
    """The server's side of one call: gives the body, and keeps the answer."""

    given: bytes
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    body: bytearray = field(default_factory=bytearray)
    _read: bool = False
    _complete: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self) -> ReceiveMessage:
        if self._read:
            await self._complete.wait()  # the reader stays connected until the answer is complete
            return {"type": "http.disconnect"}
        self._read = True
        return {"type": "http.request", "body": self.given, "more_body": False}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {
                name.decode("latin-1").lower(): value.decode("latin-1")
                for name, value in message["headers"]
            }
        elif message["type"] == "http.response.body":
            self.body += message["body"]
            if not message.get("more_body"):
                self._complete.set()


def _demand(status: int, body: bytes) -> None:
    if status >= 400:
        raise Problem(status, msgspec.json.decode(body, type=dict[str, object]))


def _decoded(status: int, body: bytes, shape: type[Value]) -> Value:
    _demand(status, body)
    if not body:
        return cast(Value, None)  # A 204 has no body to decode.
    return msgspec.json.decode(body, type=shape)
