"""The server that a client is tested with: the part of the API that a player needs."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Final
from urllib.parse import parse_qs, urlsplit

from service.base.documents import Json
from service.sandbox.conformance.exchange import CUT, Act, Exchange, Reply, problem

WAIT_MAX: Final = 30.0
ANSWER_SECONDS: Final = 60.0
_NDJSON: Final = "application/x-ndjson"
_EVENTS: Final = "text/event-stream"


class Server(ThreadingHTTPServer):
    """
    The HTTP server for the client under test.

    Args:
        host: The address to listen at.
        port: The port, or 0 for a free one.
        exchange: What passes between the script and the client.
    """

    daemon_threads = True

    def __init__(self, host: str, port: int, exchange: Exchange) -> None:
        self.exchange = exchange
        self.numbers = count(1)
        super().__init__((host, port), _Handler)

    @property
    def url(self) -> str:
        """The address for the client."""
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}"

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Serve in a thread of its own, for the length of the block."""
        serve = partial(self.serve_forever, poll_interval=0.05)
        threading.Thread(target=serve, daemon=True).start()
        try:
            yield
        finally:
            self.exchange.end()
            self.shutdown()
            self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing, because clients may leave at any time."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing about single requests."""

    def do_GET(self) -> None:
        """Answer a read."""
        self._answer_as(self._read)

    def do_POST(self) -> None:
        """Answer an action."""
        self._answer_as(self._act)

    def _answer_as(self, serve: Callable[[str, dict[str, str]], Reply | None]) -> None:
        parts = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        exchange = self.server.exchange
        reply: Reply | None
        if self.headers.get("Authorization") != f"Bearer {exchange.token}":
            exchange.strangers += 1
            self._body()
            reply = problem(401, "unauthenticated", "the token is not that of the test")
        elif exchange.ended:
            exchange.late_requests += 1
            self._body()
            reply = problem(401, "unauthenticated", "the token has ended")
        else:
            reply = serve(parts.path, query)
        if reply is not None:
            self._send(reply)

    def _read(self, path: str, query: dict[str, str]) -> Reply | None:
        exchange = self.server.exchange
        if path == "/v1/me/stream":
            return self._stream(self.headers.get("Last-Event-ID") or query.get("after"))
        if path == "/v1/me/turns":
            return self._poll(query)
        view = exchange.views.get(path.removeprefix("/v1/tables/"))
        if view is not None:
            return Reply(200, view)
        return self._elsewhere(path)

    def _act(self, path: str, query: dict[str, str]) -> Reply:
        body = self._body()
        table = path.removeprefix("/v1/tables/").removesuffix("/actions")
        if path != f"/v1/tables/{table}/actions":
            return self._elsewhere(path)
        read: Json
        try:
            read = json.loads(body)
        except ValueError:
            read = None
        act = Act(table, read, self.headers.get("Idempotency-Key"))
        self.server.exchange.acts.put(act)
        return act.reply(ANSWER_SECONDS)

    def _poll(self, query: dict[str, str]) -> Reply:
        exchange = self.server.exchange
        known = exchange.admit("poll", query.get("after"))
        if isinstance(known, Reply):
            return known
        wait = query.get("wait", "0")
        seconds = min(WAIT_MAX, float(wait)) if wait.replace(".", "", 1).isdigit() else 0.0
        texts = exchange.poll(known, seconds)
        if texts is None:
            return CUT
        items = [json.loads(each) for each in texts]
        return Reply(200, {"items": items, "next_cursor": None, "more": False})

    def _stream(self, after: str | None) -> Reply | None:
        known = self.server.exchange.admit("stream", after)
        if isinstance(known, Reply):
            return known
        lines = _NDJSON in self.headers.get("Accept", "")
        self.send_response(200)
        self.send_header("Content-Type", _NDJSON if lines else _EVENTS)
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            self._chunk("\n" if lines else ": open\nretry: 1000\n\n")
            for text in self.server.exchange.stream(known, next(self.server.numbers)):
                if text is None:
                    self._chunk("\n" if lines else ": ping\n\n")
                else:
                    self._chunk(text + "\n" if lines else _event(text))
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self._cut()
        return None

    def _chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def _elsewhere(self, path: str) -> Reply:
        self.server.exchange.elsewhere[f"{self.command} {path}"] += 1
        return problem(404, "not_found", "the test has no such route")

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "0")
        return self.rfile.read(int(length)) if length.isdigit() else b""

    def _send(self, reply: Reply) -> None:
        if reply == CUT:
            self._cut()
            return
        data = json.dumps(reply.body).encode()
        kind = "application/json" if reply.status < 400 else "application/problem+json"
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _cut(self) -> None:
        """Close the connection without an answer, or without an end."""
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # the client has left


def _event(text: str) -> str:
    item = json.loads(text)
    return f"id: {item['cursor']}\nevent: {item['type']}\ndata: {text}\n\n"
