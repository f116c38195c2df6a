"""Requests to the application as each audience, with every answer kept whole."""

import asyncio
import io
import json
import re
import zipfile
from dataclasses import dataclass, field
from typing import Any

import httpx

from service.console.declaring import Screen
from service.console.sessions import PLAIN_COOKIE

_DIGEST = re.compile(r"\\\"request_digest\\\":\\\"[0-9a-f]{64}\\\",")

NO_TOKEN = "no token"
STRANGER = "stranger"
PLAYER = "player in the hand"
OTHER = "other player"
SPECTATOR = "spectator"
SCORER, AUDITOR, REFEREE, DIRECTOR, OWNER = "scorer", "auditor", "referee", "director", "owner"
PLAYING_DIRECTOR = "playing director"
APPLICANT = "applicant"
"""The player who applied and was refused. It is a different person in each world."""

AUDIENCES = (
    NO_TOKEN, STRANGER, SPECTATOR, PLAYER, OTHER, PLAYING_DIRECTOR,
    SCORER, AUDITOR, REFEREE, DIRECTOR, OWNER,
)  # fmt: skip
"""The audiences in the order of asking. Those with few rights come first and change nothing."""


@dataclass(frozen=True)
class Exchange:
    """A request and its answer."""

    audience: str
    operation: str
    question: str
    """The method, the path and any special headers."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: str
    cards: bool = True
    """False for a page that holds no hidden card, not even the reader's own."""

    def text(self) -> str:
        """Return the whole answer: status, headers, an empty line, the body."""
        headers = (f"{name}: {value}" for name, value in self.headers)
        return "\n".join([str(self.status), *headers, "", self.body])


@dataclass
class Asker:
    """
    A client of one application that asks for every audience.

    Args:
        app: The started ASGI application.
        http: An HTTP client of the application.
    """

    app: Any
    http: httpx.AsyncClient
    tokens: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    """The cookie of each audience in the console."""

    exchanges: list[Exchange] = field(default_factory=list)
    keys: int = 0

    async def ask(
        self,
        audience: str,
        operation: str,
        method: str,
        path: str,
        *,
        body: Any = None,
        headers: dict[str, str] | None = None,
        content: bytes | None = None,
    ) -> httpx.Response:
        """Send a request as *audience*, keep the answer, and return it."""
        sent = self._headers(audience) | (headers or {})
        if method not in ("GET", "HEAD"):
            self.keys += 1
            sent = {"Idempotency-Key": f"k{self.keys}", "If-Match": "*"} | sent
        more: dict[str, Any] = {} if body is None else {"json": body}
        if content is not None:
            more["content"] = content
        answer = await self.http.request(method, path, headers=sent, **more)
        extra = " ".join(f"{key}={value}" for key, value in (headers or {}).items())
        self._keep(audience, operation, f"{method} {path} {extra}".strip(), answer)
        return answer

    async def open(self, audience: str, screen: Screen, path: str) -> httpx.Response:
        """Open a page of the console as *audience*, keep it, and return it."""
        sent = {"Host": "localhost:8000"}
        if audience in self.sessions:
            sent["Cookie"] = f"{PLAIN_COOKIE}={self.sessions[audience]}"
        answer = await self.http.get(path, headers=sent)
        name = page_name(screen)
        self._keep(audience, name, f"GET {path}", answer, cards=screen.hidden)
        return answer

    async def head(self, audience: str, path: str, answer: httpx.Response) -> None:
        """
        Ask for the headers of *path* only. They must equal those of *answer*.

        They are not kept: an exchange without a body does not show which values its length is from.
        """
        found = await self.http.head(path, headers=self._headers(audience))
        assert (found.status_code, found.content) == (answer.status_code, b"")
        assert found.headers.keys() == answer.headers.keys()
        for name in ("content-length", "content-type", "etag"):
            assert found.headers[name] == answer.headers[name], (path, name)

    async def follow(self, audience: str, operation: str, path: str, *, events: int) -> None:
        """
        Read a stream of server-sent events up to a number of events, and keep the text.

        Args:
            events: The number of events in the stream. After them this method disconnects.
        """
        parts: list[bytes] = []
        start: dict[str, Any] = {}
        enough = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await enough.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            parts.append(message.get("body", b""))
            if b"".join(parts).count(b"id: ") >= events:
                enough.set()

        sent = self._headers(audience) | {"Accept": "text/event-stream"}
        request = self.http.build_request("GET", path, headers=sent)
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET",
            "scheme": "http", "path": request.url.path, "raw_path": request.url.raw_path,
            "query_string": request.url.query, "root_path": "", "server": ("test", 80),
            "client": ("127.0.0.1", 1), "extensions": {},
            "headers": [(key.lower(), value) for key, value in request.headers.raw],
        }  # fmt: skip
        await self.app(scope, receive, send)
        answer = httpx.Response(start["status"], headers=start["headers"], content=b"".join(parts))
        self._keep(audience, operation, f"GET {path} as a stream", answer)

    def _headers(self, audience: str) -> dict[str, str]:
        token = self.tokens.get(audience)
        return {} if token is None else {"Authorization": f"Bearer {token}"}

    def _keep(
        self,
        audience: str,
        operation: str,
        question: str,
        answer: httpx.Response,
        *,
        cards: bool = True,
    ) -> None:
        headers = tuple(sorted((key.lower(), value) for key, value in answer.headers.items()))
        body = answer.text
        if answer.headers.get("content-type", "").startswith("application/zip"):
            body = json.dumps(_unpacked(answer.content))
        self.exchanges.append(
            Exchange(audience, operation, question, answer.status_code, headers, body, cards)
        )


def page_name(screen: Screen) -> str:
    """Return the name of a page among the operations."""
    return f"the page {screen.name}"


def _unpacked(archive: bytes) -> dict[str, list[str]]:
    """
    Return the files of an archive, by name, as lines.

    The owner of a league's archive may see texts and their authors. Order and size of the texts
    follow from these, so texts are sorted by time here, and the manifest of sizes is left out.
    Keyed digests of requests are removed. They show equal requests, and readers of the archive may
    audit that.
    """
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        found = {
            each: _DIGEST.sub("", files.read(each).decode("utf-8", "replace")).splitlines()
            for each in files.namelist()
            if each != "manifest.json"
        }
    found.get("texts.ndjson", []).sort(key=lambda line: str(json.loads(line)["written_at"]))
    return found
