"""A request names one host (RFC 9112, section 3.2)."""

import asyncio
from typing import Any

import msgspec
import pytest

from service.api.http.serving import WHOLE
from tests.service.api.http.test_serving import asked, listening

pytestmark = pytest.mark.anyio


async def named(scope: Any, _receive: Any, _send: Any) -> None:
    """Answer with the path, the query and the hosts that the application sees."""
    hosts = [value.decode() for name, value in scope["headers"] if name == b"host"]
    body = msgspec.json.encode([scope["path"], scope["query_string"].decode(), *hosts])
    headers = [(b"content-length", b"%d" % len(body))]
    await scope["extensions"][WHOLE].answer(200, headers, body)


async def answer(target: bytes, *hosts: bytes, version: bytes = b"1.1") -> bytes:
    lines = [b"GET %b HTTP/%b" % (target, version), *(b"Host: " + each for each in hosts)]
    async with listening(named) as port:
        return await asked(port, b"\r\n".join([*lines, b"Connection: close", b"", b""]))


@pytest.mark.parametrize(
    "hosts",
    [
        (), (b"a", b"b"), (b"a", b"a"), (b"",), (b"a b",), (b"a/b",), (b"u@a",), (b"a:b",),
        (b"a,b/",), ("ä".encode(),), (b"[::1",), (b"%zz",), (b"http://a",), (b":80",),
    ],
)  # fmt: skip
async def test_a_request_without_one_valid_host_is_malformed(hosts: tuple[bytes, ...]) -> None:
    for target in (b"/a", b"http://c/a"):
        found = await answer(target, *hosts)
        assert found.startswith(b"HTTP/1.1 400 "), found
        assert b"send one Host header" in found
        assert b"\r\nconnection: close\r\n" in found


@pytest.mark.parametrize(
    "host", ["a", "a.example:8443", "127.0.0.1:8000", "[::1]:80", "a-b_c", "a:", "%61"]
)
async def test_a_valid_host_reaches_the_application(host: str) -> None:
    _, _, body = (await answer(b"/a?b", host.encode())).partition(b"\r\n\r\n")
    assert msgspec.json.decode(body) == ["/a", "b", host]


async def test_an_older_client_may_name_no_host_but_not_two() -> None:
    assert (await answer(b"/a", version=b"1.0")).endswith(b'["/a",""]')
    for hosts in ((b"a", b"b"), (b"",)):
        found = await answer(b"/a", *hosts, version=b"1.0")
        assert found.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    ("target", "seen"),
    [
        (b"http://c/a?b", b'["/a","b","c"]'),
        (b"HTTPS://c:8/a", b'["/a","","c:8"]'),
        (b"http://c", b'["/","","c"]'),
        (b"http://c?b", b'["/","b","c"]'),
        (b"http://[::1]:8/a", b'["/a","","[::1]:8"]'),
        (b"//c/a", b'["//c/a","","x"]'),
    ],
)
async def test_the_host_of_an_absolute_target_counts(target: bytes, seen: bytes) -> None:
    assert (await answer(target, b"x")).endswith(b"\r\n\r\n" + seen)


@pytest.mark.parametrize(
    "target", [b"http:///a", b"http://u@c/a", b"http://c:d/a", b"ftp://c/a", b"c:80"]
)
async def test_a_target_that_names_no_resource_here_is_malformed(target: bytes) -> None:
    found = await answer(target, b"x")
    assert found.startswith(b"HTTP/1.1 400 "), found


@pytest.mark.parametrize("next_one", [b"GET /b HTTP/1.1\r\n\r\n", b"\x00\r\n\r\n"])
async def test_a_malformed_request_is_not_the_answer_to_the_one_before_it(next_one: bytes) -> None:
    """Else its client would believe that an action was refused, while it is carried out."""
    done = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(0.05)
        done.set()
        await named(scope, receive, send)

    async with listening(slow) as port:
        async with asyncio.timeout(10):
            found = await asked(port, b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n" + next_one)
            await done.wait()
    assert found == b""
