"""A terminal's handling of an API's answers, over HTTP."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from service.base.client import Refused, answered, client


@contextmanager
def serving(status: int, body: bytes, tokens: list[str]) -> Iterator[str]:
    """Yield the address of a server that answers *body* and records the tokens it receives."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            tokens.append(self.headers["Authorization"])
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = HTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def token(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text("secret\n")
    return file


def test_the_token_in_the_file_is_shown_and_the_answer_returned(token: Path) -> None:
    tokens: list[str] = []
    with serving(200, b'{"items": []}', tokens) as url, client(url, token) as api:
        assert answered(api.get("/v1/leagues")) == {"items": []}
    assert tokens == ["Bearer secret"]


def test_a_no_is_said_with_its_code(token: Path) -> None:
    problem = {"code": "forbidden", "detail": "not you", "rows": [1]}
    body = json.dumps(problem).encode()
    with (
        serving(403, body, []) as url,
        client(url, token) as api,
        pytest.raises(Refused, match="forbidden: not you") as no,
    ):
        answered(api.get("/v1/leagues"))
    assert no.value.problem == problem


@pytest.mark.parametrize(
    ("status", "body"), [(503, b'{"detail": "away"}'), (502, b"<html>"), (200, b"\xff")]
)
def test_who_cannot_answer_is_away(token: Path, status: int, body: bytes) -> None:
    with (
        serving(status, body, []) as url,
        client(url, token) as api,
        pytest.raises(ConnectionError),
    ):
        answered(api.get("/v1/leagues"))


def test_nobody_there_is_away(token: Path) -> None:
    with (
        pytest.raises(ConnectionError, match="gave no answer"),
        client("http://127.0.0.1:1", token) as api,
    ):
        api.get("/v1/leagues")
