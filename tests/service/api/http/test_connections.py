"""Limits on slow and greedy clients, tested with raw sockets against the real server."""

import asyncio
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_network
from typing import Any

import pytest

from service.api.http.serving import protocol_of
from service.api.http.wire.connections import HEADER_BYTES_MAX, HEADERS_MAX, Connections
from service.api.http.wire.proxies import Proxies
from service.base.limits import LimitSettings
from tests.service.api.http.test_serving import asked, listening, whole

pytestmark = pytest.mark.anyio

QUICK = LimitSettings(header_seconds=1, body_seconds=1, keep_alive_seconds=1, write_seconds=1)
GOOD = b"GET /good HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

Pair = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def read_body(scope: Any, receive: Any, send: Any) -> None:
    """Answer after reading the whole body. Nothing is answered if the client disconnects first."""
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            return
        if not event.get("more_body", False):
            break
    await whole(scope, receive, send)


async def very_long(_scope: Any, _receive: Any, send: Any) -> None:
    """Answer with more bytes than all buffers on the way to the client hold."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(400):
        await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})


@asynccontextmanager
async def limited(
    settings: LimitSettings = QUICK, app: Any = read_body, proxies: Proxies | None = None
) -> AsyncIterator[int]:
    connections = Connections(settings, proxies or Proxies())
    async with listening(app, protocol_of(connections)) as port:
        yield port


async def opened(port: int, text: bytes = b"") -> Pair:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(text)
    await writer.drain()
    return reader, writer


async def answered(port: int) -> bool:
    return (await asked(port, GOOD)).startswith(b"HTTP/1.1 200 ")


HALF = {
    "half a line": b"GET /a HT",
    "half a header": b"GET /a HTTP/1.1\r\nHost: x\r\nX-Slow: ",
    "all but the last line": b"GET /a HTTP/1.1\r\nHost: x\r\n",
    "half a body": b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
    "half a chunk": b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab",
}


@pytest.mark.parametrize("case", HALF)
async def test_what_is_half_sent_is_ended_and_told(case: str) -> None:
    async with limited() as port:
        reader, writer = await opened(port, HALF[case])
        found = await reader.read()
        assert found.startswith(b"HTTP/1.1 408 "), found
        assert b'"code":"request_too_slow"' in found
        writer.close()


@pytest.mark.parametrize("first", [b"", b"\r\n\r\n", b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"])
async def test_a_connection_that_asks_nothing_is_closed_without_a_word(first: bytes) -> None:
    async with limited() as port:
        reader, writer = await opened(port, first)
        found = await reader.read()
        assert found.count(b"HTTP/1.1") == first.count(b"GET")
        writer.close()


async def _received(reader: asyncio.StreamReader) -> bytes:
    """Return all bytes until the end. A byte that meets a closed connection resets it."""
    found = b""
    with suppress(ConnectionError):
        while some := await reader.read(65_536):
            found += some
    return found


async def drip(port: int, head: bytes, byte: bytes) -> bytes:
    """Send *head*, then a byte every 50 milliseconds, until the server closes the connection."""
    reader, writer = await opened(port, head)
    reading = asyncio.create_task(_received(reader))
    while not reading.done():
        writer.write(byte)
        await asyncio.wait([reading], timeout=0.05)
    writer.close()
    return await reading


@pytest.mark.parametrize(
    ("head", "byte"),
    [
        (b"GET /a HTTP/1.1\r\nHost: ", b"x"),
        (b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n", b" "),
        (b"", b"\r\n"),
    ],
)
async def test_bytes_that_drip_in_are_counted_from_the_first(head: bytes, byte: bytes) -> None:
    """If the limit were on silence, each byte would start it again."""
    async with limited() as port:
        found = await asyncio.wait_for(drip(port, head, byte), 20)
        assert found.startswith(b"HTTP/1.1 408 ") or not head


async def test_a_client_that_reads_nothing_is_cut_off() -> None:
    async with limited(app=very_long) as port:
        _, writer = await opened(port, GOOD)
        sock = writer.get_extra_info("socket")
        writer.transport.pause_reading()
        with pytest.raises(ConnectionError):
            while True:  # only a write shows that the connection is closed
                writer.write(b"x")
                await asyncio.wait_for(writer.drain(), 20)
                await asyncio.sleep(0.05)
        assert sock is not None


@pytest.mark.parametrize(
    "head",
    [
        b"GET /" + b"a" * HEADER_BYTES_MAX + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"a" * HEADER_BYTES_MAX + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"a" * HEADER_BYTES_MAX,
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * (HEADERS_MAX + 1) + b"\r\n",
    ],
)
async def test_headers_are_bounded_in_size_and_number(head: bytes) -> None:
    async with limited(LimitSettings()) as port:
        found = await asked(port, head)
        assert found.startswith(b"HTTP/1.1 431 "), found
        assert b'"code":"headers_too_large"' in found


async def test_headers_within_the_bounds_are_read_in_any_pieces() -> None:
    head = (
        b"GET /good HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + b"X: %b\r\n" % (b"a" * 300) * 90
    )
    async with limited(LimitSettings()) as port:
        reader, writer = await opened(port)
        for at in range(0, len(head), 4096):
            writer.write(head[at : at + 4096])
            await writer.drain()
        writer.write(b"\r\n")
        assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
        writer.close()


async def test_a_malformed_request_is_told_so_and_leaves_no_line_in_the_log(caplog) -> None:
    async with limited() as port:
        found = await asked(port, b"\x00\x01\x02\r\n\r\n")
        assert found.startswith(b"HTTP/1.1 400 ")
        assert b'"code":"bad_request"' in found
    assert caplog.text == ""


async def test_one_address_holds_so_many_connections_and_no_more() -> None:
    settings = LimitSettings(address_connections=3)
    async with limited(settings) as port:
        held = [await opened(port, HALF["half a line"]) for _ in range(3)]
        found = await asked(port, GOOD)
        assert found.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 5\r\n" in found
        held[0][1].close()
        await held[0][1].wait_closed()
        while not await answered(port):
            pass
        for _, writer in held[1:]:
            writer.close()
    through = Proxies([ip_network("127.0.0.0/8")])
    async with limited(settings, proxies=through) as port:
        held = [await opened(port, HALF["half a line"]) for _ in range(3)]
        assert await answered(port), "a proxy's connections are many people's"
        for _, writer in held:
            writer.close()


async def test_idle_connections_at_the_ceiling_give_way_to_whoever_comes() -> None:
    """Both ends are open files of this process. It was also tried once with 9,900 connections."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    ceiling = min(2_000, (files - 200) // 2)
    settings = LimitSettings(connections=ceiling, address_connections=2 * ceiling)
    async with limited(settings) as port:
        held: list[Pair] = []
        while len(held) < ceiling:
            held += await asyncio.gather(*(opened(port) for _ in range(100)))
        assert await answered(port)
        assert await held[0][0].read() == b"", "the oldest gave way"
        for _, writer in held:
            writer.transport.abort()
