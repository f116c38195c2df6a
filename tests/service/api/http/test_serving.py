"""Answers leave complete, in order, and with the bytes that the server itself would write."""

import asyncio
import gc
import re
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import unquote_to_bytes

import httpx
import pytest
import uvicorn
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle
from uvicorn.server import ServerState

from service.api.http.serving import WHOLE, Protocol, protocol_of
from service.api.http.wire.connections import Connections
from service.api.http.wire.proxies import Proxies
from service.base.limits import LimitSettings
from tests.service.api.table.test_commands import turn
from tests.service.api.test_front import JSON, ORDINARY
from tests.support.waiting import SECONDS_MAX

pytestmark = pytest.mark.anyio

Asgi = Callable[[Any, Any, Any], Any]

CHUNK, CHUNKS = b"x" * 65_536, 400


@asynccontextmanager
async def listening(app: Asgi, protocol: type[Protocol] = Protocol) -> AsyncIterator[int]:
    """Serve *app* on a local port."""
    config = uvicorn.Config(
        app, lifespan="off", server_header=False, log_config=None, timeout_keep_alive=1
    )
    config.load()
    state = ServerState()
    server = await asyncio.get_running_loop().create_server(
        lambda: protocol(config, state, {}), "127.0.0.1", 0
    )
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for connection in list(state.connections):
            connection.shutdown()
        await asyncio.gather(*state.tasks)


async def whole(scope: Any, _receive: Any, _send: Any) -> None:
    """Answer with the path in one piece. For one path, send an invalid header."""
    body = scope["path"].encode()
    headers = [(b"content-length", b"%d" % len(body)), (b"etag", b'"1"')]
    if body.startswith(b"/split"):
        headers.append((b"x", b"a" + unquote_to_bytes(scope["query_string"]) + b"set-cookie: b"))
    await scope["extensions"][WHOLE].answer(200, headers, body)


async def asked(port: int, text: bytes) -> bytes:
    """Send *text* in one write and return everything until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(text)
    found = await asyncio.wait_for(reader.read(), SECONDS_MAX)
    writer.close()
    return found


async def test_answers_leave_in_the_order_of_their_requests() -> None:
    first = b"".join(b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n" % number for number in range(5))
    last = b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    async with listening(whole) as port:
        found = await asked(port, first + last)
        lines = (
            b'HTTP/1.1 200 OK\r\ncontent-length: 5\r\netag: "1"\r\nconnection: close\r\n\r\n/last'
        )
        assert found.endswith(lines)
        bodies = [each.partition(b"\r\n\r\n")[2] for each in found.split(b"HTTP/1.1 200 OK\r\n")]
        assert bodies == [b"", b"/0", b"/1", b"/2", b"/3", b"/4", b"/last"]


async def test_an_older_client_is_answered_and_left() -> None:
    async with listening(whole) as port:
        found = await asked(port, b"GET /a HTTP/1.0\r\n\r\n")
        assert found.startswith(b"HTTP/1.1 200 OK\r\n")
        assert found.endswith(b"connection: close\r\n\r\n/a")


async def test_a_client_that_asks_no_more_gets_what_was_answered_before() -> None:
    async with listening(whole) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        writer.write_eof()
        assert (await reader.read()).endswith(b"\r\n\r\n/a")
        writer.close()


@pytest.mark.parametrize("ends", ["%0d%0a", "%0a", "%0d", "%00", "%01", "%7f"])
async def test_a_header_that_holds_more_than_one_is_not_sent(caplog, ends: str) -> None:
    async with listening(whole) as port:
        split = b"GET /split?%b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % ends.encode()
        found = await asked(port, split)
        assert found.startswith(b"HTTP/1.1 500 ")
        assert b"cookie" not in found
    assert "holds more than a header" in caplog.text


async def test_an_answer_is_given_once() -> None:
    failed: list[Exception] = []

    async def twice(scope: Any, receive: Any, send: Any) -> None:
        await whole(scope, receive, send)
        try:
            await whole(scope, receive, send)
        except RuntimeError as error:
            failed.append(error)

    async with listening(twice) as port:
        last = b"GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        assert (await asked(port, last)).count(b"HTTP/1.1") == 1
    assert len(failed) == 1


async def test_a_request_that_is_over_leaves_nothing_to_the_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        async with listening(whole) as port:
            asks = [b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"] * 50
            await asked(port, b"".join(asks) + b"GET /a HTTP/1.0\r\n\r\n")
        left = [each for each in gc.get_objects() if type(each) is RequestResponseCycle]
        assert not left
    finally:
        gc.enable()


async def test_an_idle_connection_keeps_nothing_of_its_last_request() -> None:
    class Held:
        """Stands for everything that a request's scope refers to."""

    held: list[weakref.ref[Held]] = []

    async def holding(scope: Any, receive: Any, send: Any) -> None:
        scope["state"]["held"] = each = Held()
        held.append(weakref.ref(each))
        await whole(scope, receive, send)

    async with listening(holding) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for path in (b"/a", b"/b"):
            writer.write(b"GET %b HTTP/1.1\r\nHost: x\r\n\r\n" % path)
            await reader.readuntil(path)
            await asyncio.sleep(0)  # the request's task ends after its answer
            assert held[-1]() is None
        assert len(held) == 2
        writer.close()


async def test_a_connection_has_a_place_for_each_of_its_attributes() -> None:
    """An attribute in a dictionary of its own would cost each idle connection 1.5 kB."""
    made: list[Protocol] = []

    class Watched(Protocol):
        __slots__ = ()

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            made.append(self)

    async with listening(whole, Watched) as port:
        await asked(port, b"GET /a HTTP/1.0\r\n\r\n")

    assert [vars(each) for each in made] == [{}]


async def test_an_idle_connection_ends() -> None:
    """Also one whose request was complete only after its answer."""
    after = [(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n", b"")]
    after += [(b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n", b"ab")]
    async with listening(whole, protocol_of(Connections(LimitSettings(), Proxies()))) as port:
        for head, body in after:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(head)
            await reader.readuntil(b"/a")
            writer.write(body)
            assert await reader.read() == b""
            writer.close()


async def test_a_request_may_come_in_pieces_around_the_answer_before_it() -> None:
    """An answer leaves alone what has come of the next request, and the rest of its own."""
    heard, may_answer = asyncio.Event(), asyncio.Event()

    async def waiting(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/first":
            heard.set()
            await may_answer.wait()
        await whole(scope, receive, send)

    async with listening(waiting) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /first HTTP/1.1\r\nHost: x\r\n\r\nPOST /second HTTP/1.1\r\nHo")
        await heard.wait()
        may_answer.set()
        await reader.readuntil(b"/first")
        writer.write(b"st: x\r\nContent-Length: 5\r\n\r\nab")
        await reader.readuntil(b"/second")
        writer.write(b"cdeGET /third HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert (await reader.read()).endswith(b"/third")
        writer.close()


async def test_what_nobody_reads_is_not_all_written() -> None:
    written, full = 0, asyncio.Event()

    class Watched(Protocol):
        def pause_writing(self) -> None:
            super().pause_writing()
            full.set()

    async def endless(_scope: Any, _receive: Any, send: Any) -> None:
        nonlocal written
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(CHUNKS):
            await send({"type": "http.response.body", "body": CHUNK, "more_body": True})
            written += 1
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async with listening(endless, Watched) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        await full.wait()
        assert written < CHUNKS
        found = await reader.read()
        assert found.count(b"x") == CHUNKS * len(CHUNK)
        writer.close()


async def test_a_slow_reader_of_a_whole_answer_keeps_the_deadline_of_readers() -> None:
    """The answer is complete for the server long before its client has read it."""
    left: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    class Watched(Protocol):
        def on_response_complete(self) -> None:
            super().on_response_complete()
            assert self.deadline is not None
            left.set_result(self.deadline - self.loop.time())

    async def large(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": CHUNK * CHUNKS, "more_body": False})

    async with listening(large, Watched) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert await left > Protocol.watch.settings.write_seconds - 10
        async with asyncio.timeout(30):
            found = await reader.readuntil(b"\r\n\r\n")
            assert found.startswith(b"HTTP/1.1 200")
        writer.close()


async def test_a_server_answers_both_ways_alike(serving) -> None:
    async with serving() as api, listening(api.app) as port:
        _, _, _, people, table = await api.playing()
        await turn(people, table)
        base, path = f"http://127.0.0.1:{port}", f"/v1/tables/{table}"
        headers = {**people[0].headers, **JSON}
        async with httpx.AsyncClient(base_url=base) as http:
            for way in ("", ORDINARY):
                shown = await http.get(path + way, headers=people[0].headers)
                told = await http.post(f"{path}/actions{way}", content=b"{", headers=headers)
                since = {**people[0].headers, "If-None-Match": shown.headers["etag"]}
                same = await http.get(path + way, headers=since)
                found = [(each.status_code, _still(each), _named(each)) for each in (shown, same)]
                assert [each[0] for each in found] == [200, 304]
                assert (told.status_code, told.json()["code"]) == (400, "invalid_json")
                if way == "":
                    expected, refused = found, _named(told)
            assert found == expected
            assert _named(told) == refused


def _still(answer: httpx.Response) -> bytes:
    """Return the body without the server's time."""
    return re.sub(rb'"now":"[^"]*"', b"", answer.content)


def _named(answer: httpx.Response) -> dict[str, str]:
    passing = {"x-request-id", "date", "content-length"}
    return {name: value for name, value in answer.headers.items() if name not in passing}
