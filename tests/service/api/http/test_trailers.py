"""What a client sends behind a body says nothing of the request (RFC 9110, section 6.5.1)."""

import asyncio
from typing import Any

import msgspec
import pytest

from tests.service.api.http.test_serving import asked, listening
from tests.service.api.http.test_upgrades import ASKS
from tests.support.waiting import SECONDS_MAX

pytestmark = pytest.mark.anyio

TRAILERS = [
    b"X-Forwarded-For: 6.6.6.6",
    b"Authorization: Bearer of-somebody",
    b"Host: evil.example",
    b"Upgrade: foo\r\nConnection: upgrade",
    b"Expect: 100-continue",
]


async def shown(scope: Any, receive: Any, send: Any) -> None:
    """Answer with the names of the request's headers. ``/early`` does not wait for the body."""
    while scope["path"] != "/early":
        if not (await receive())["more_body"]:
            break
    body = msgspec.json.encode(sorted(name.decode() for name, _ in scope["headers"]))
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def request(trailer: bytes, asks: bytes = b"", path: bytes = b"/first") -> tuple[bytes, bytes]:
    """Return the head of a request, and the rest with *trailer*."""
    head = b"POST %b HTTP/1.1\r\nHost: x\r\n%bTransfer-Encoding: chunked\r\n\r\n" % (path, asks)
    return head, b"2\r\n{}\r\n0\r\n%b\r\n\r\n" % trailer


LAST = b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize("asks", ASKS)
@pytest.mark.parametrize("trailer", TRAILERS)
async def test_a_trailer_is_no_header_however_the_request_is_cut(trailer: bytes, asks: str) -> None:
    head, rest = request(trailer, ASKS[asks])
    names = sorted(line.partition(b":")[0].lower().decode() for line in head.splitlines()[1:-1])
    whole = b"HTTP/1.1 200 OK\r\n"
    async with listening(shown) as port:
        at_once = await asked(port, head + rest + LAST)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head)
        await asyncio.sleep(0.05)
        writer.write(rest + LAST)
        in_pieces = await asyncio.wait_for(reader.read(), SECONDS_MAX)
        writer.close()
    assert at_once == in_pieces
    first, last = (each.partition(b"\r\n\r\n")[2] for each in at_once.split(whole)[1:])
    assert msgspec.json.decode(first) == names
    assert msgspec.json.decode(last) == ["connection", "host"]


@pytest.mark.parametrize("asks", ASKS)
@pytest.mark.parametrize("path", [b"/first", b"/early"])
async def test_a_trailer_that_ends_the_connection_leaves_nobody_without_an_answer(
    path: bytes, asks: str
) -> None:
    """The parser reads no more behind it, so a proxy must not send the next request there."""
    head, rest = request(b"Connection: close", ASKS[asks], path)
    async with listening(shown) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head)
        await asyncio.sleep(0.05)
        writer.write(rest)
        found = await asyncio.wait_for(reader.read(), 0.9)  # an idle connection ends after a second
        writer.close()
    assert found.startswith(b"HTTP/1.1 200 OK\r\n")
    assert (b"\r\nconnection: close\r\n" in found) == (path == b"/first")
