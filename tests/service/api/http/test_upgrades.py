"""A request that asks for another protocol is answered over HTTP, body and all (RFC 9110, 7.8)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.parts import ROOT, process
from tests.deploy.test_files import program
from tests.service.api.http.test_serving import asked, listening
from tests.support.servers import free_port
from tests.support.waiting import SECONDS_MAX, until_awaited

pytestmark = pytest.mark.anyio

ASKS = {
    "nothing": b"",
    "http/2": b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n",
    "websocket": b"Connection: keep-alive, upgrade\r\nUpgrade: websocket\r\n",
    "unknown": b"Upgrade: foo\r\nConnection: Upgrade\r\n",
}
"""What a request asks for. With nothing, the parser never speaks of another protocol."""

HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: x\r\nX-Ignore: "
"""A body that a parser may take for a request."""

LAST = b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answer with the path and the body. Answer the path ``/early`` before its body is read."""
    body, more = b"", scope["path"] != "/early"
    while more:
        event = await receive()
        body, more = body + event["body"], event["more_body"]
    body = b"[%b %b]" % (scope["path"].encode(), body)
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def request(asks: bytes, method: bytes, form: str, path: bytes = b"/first") -> bytes:
    """Return a request whose body is :data:`HIDDEN`, with its length given in *form*."""
    head = b"%b %b HTTP/1.1\r\nHost: x\r\n%b" % (method, path, asks)
    if form == "length":
        return head + b"Content-Length: %d\r\n\r\n%b" % (len(HIDDEN), HIDDEN)
    if form == "chunks":
        chunks = b"%x\r\n%b\r\n%x\r\n%b\r\n" % (9, HIDDEN[:9], len(HIDDEN) - 9, HIDDEN[9:])
        return head + b"Transfer-Encoding: chunked\r\n\r\n%b0\r\n\r\n" % chunks
    return head + b"\r\n"


def bodies(answers: bytes) -> list[bytes]:
    """Return the bodies of *answers*, all of which are 200."""
    head, *found = (each.partition(b"\r\n\r\n") for each in answers.split(b"HTTP/1.1 200 OK\r\n"))
    assert head == (b"", b"", b""), answers
    return [body for _, _, body in found]


@pytest.mark.parametrize("asks", ASKS)
@pytest.mark.parametrize("method", [b"GET", b"POST", b"DELETE"])
@pytest.mark.parametrize("form", ["none", "length", "chunks"])
async def test_no_part_of_a_body_is_a_request(asks: str, method: bytes, form: str) -> None:
    first = request(ASKS[asks], method, form)
    body = b"" if form == "none" else HIDDEN
    async with listening(echo) as port:
        found = await asked(port, first + first + LAST)
    assert bodies(found) == [b"[/first %b]" % body] * 2 + [b"[/last ]"]


@pytest.mark.parametrize("asks", ASKS)
@pytest.mark.parametrize("form", ["length", "chunks"])
async def test_it_may_come_in_any_two_pieces(asks: str, form: str) -> None:
    text = request(ASKS[asks], b"POST", form) + LAST

    async def in_pieces(port: int, at: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(text[:at])
        await asyncio.sleep(0.1)  # else the pieces may be read together
        writer.write(text[at:])
        found = await asyncio.wait_for(reader.read(), SECONDS_MAX)
        writer.close()
        return found

    async with listening(echo) as port:
        answers = await asyncio.gather(*(in_pieces(port, at) for at in range(1, len(text))))
    for answer in answers:
        assert bodies(answer) == [b"[/first %b]" % HIDDEN, b"[/last ]"]


async def test_an_answer_before_the_body_leaves_the_body_a_body() -> None:
    first = request(ASKS["unknown"], b"POST", "length", b"/early")
    async with listening(echo) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(first[: -len(HIDDEN)])
        assert await reader.readuntil(b"[/early ]")
        writer.write(HIDDEN[:9])
        await asyncio.sleep(0.05)
        writer.write(HIDDEN[9:] + LAST)
        assert bodies(await asyncio.wait_for(reader.read(), SECONDS_MAX)) == [b"[/last ]"]
        writer.close()


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: gzip\r\n",
        b"Content-Length: 3, 3\r\n",
        b"Content-Length: 3\r\nContent-Length: 4\r\n",
    ],
)
@pytest.mark.parametrize("asks", ASKS)
async def test_a_body_of_unknown_length_is_malformed(asks: str, framing: bytes) -> None:
    head = b"POST /first HTTP/1.1\r\nHost: x\r\n%b%b\r\n" % (ASKS[asks], framing)
    async with listening(echo) as port:
        found = await asked(port, head + b"abc" + LAST)
    assert found.startswith(b"HTTP/1.1 400 "), found
    assert b"/last" not in found


async def test_nobody_behind_a_proxy_gets_the_answer_to_a_part_of_a_body(tmp_path: Path) -> None:
    """Caddy sends the requests of many clients over one connection, with their ``Upgrade``."""
    front = free_port()
    command = [program("caddy"), "run", "--adapter", "caddyfile", "--config"]
    own = {"HOLOTABLE_SITE": f"http://:{front}", "HOME": str(tmp_path)}
    settings = tmp_path / "Caddyfile"
    loopback = "{\n\tadmin off\n\tdefault_bind 127.0.0.1\n}\n"
    settings.write_text(loopback + (ROOT / "deploy" / "Caddyfile").read_text())
    first = request(ASKS["unknown"], b"GET", "length")
    asks = b"GET /me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    async def ready() -> bool:
        try:
            return b"[/me ]" in await asked(front, asks)
        except OSError:
            return False

    async with listening(echo) as port:
        own["HOLOTABLE_API"] = f"127.0.0.1:{port}"
        with process([*command, str(settings)], tmp_path / "caddy.log", own):
            await until_awaited(ready)
            for _ in range(4):
                reader, writer = await asyncio.open_connection("127.0.0.1", front)
                writer.write(first[: -len(HIDDEN)])
                await asyncio.sleep(0.1)
                writer.write(HIDDEN)
                assert (await reader.readuntil(b"]")).endswith(b"[/first %b]" % HIDDEN)
                writer.close()
                for _ in range(3):
                    assert (await asked(front, asks)).endswith(b"[/me ]")
