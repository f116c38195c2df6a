"""A full process refuses before its application is asked, and then reads nothing for a while."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_network
from typing import Any

import pytest

from service.api.http.problems.answers import RETRY_AFTER_SECONDS
from service.api.http.serving import protocol_of
from service.api.http.wire.connections import Connections
from service.api.http.wire.crowding import Crowd
from service.api.http.wire.proxies import Proxies
from service.base.limits import LimitSettings
from tests.service.api.http.test_serving import listening, whole

pytestmark = pytest.mark.anyio

NUMBER = "0f5ad1cc-5a86-4c5b-8a5e-1c8a0b7b6a01"
LIMITS = re.compile(r"ratelimit|date")
BEHIND_PROXY = Proxies((ip_network("127.0.0.0/8"),))


def request(method: str, path: str, *more: str, body: str = "") -> bytes:
    length = [f"Content-Length: {len(body)}"] if body else []
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: x", *length, *more, "", body]).encode()


async def answer(reader: asyncio.StreamReader) -> tuple[dict[str, str], bytes]:
    """Return the status (under ``""``), the headers and the body of the next answer."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    status, *lines = head.strip().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return headers | {"": status}, await reader.readexactly(int(headers["content-length"]))


@asynccontextmanager
async def full(proxies: Proxies = BEHIND_PROXY) -> AsyncIterator[tuple[int, Crowd, list[str]]]:
    """Serve with one request under way, which is the most. Yield the paths that are served, too."""
    crowd, served = Crowd(1), list[str]()

    async def noting(scope: Any, receive: Any, send: Any) -> None:
        served.append(scope["path"])
        await whole(scope, receive, send)

    crowd.enter("POST", "/v1/other")
    protocol = protocol_of(Connections(LimitSettings(), proxies), crowd)
    async with listening(noting, protocol) as port:
        yield port, crowd, served


async def test_it_says_what_the_application_would_say(serving: Any) -> None:
    answers = []
    async with serving(process_requests=1) as api:
        crowd = api.app.limits.crowd
        crowd.enter("POST", "/v1/other")
        for own in (None, crowd):  # the application's answer, and the protocol's
            protocol = protocol_of(Connections(LimitSettings(), BEHIND_PROXY), own)
            async with listening(api.app, protocol) as port:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(request("GET", "/v1/me", f"X-Request-Id: {NUMBER}"))
                headers, body = await answer(reader)
                answers.append(({k: v for k, v in headers.items() if not LIMITS.match(k)}, body))
                writer.close()
    by_application, by_protocol = answers
    assert by_protocol == by_application
    assert by_protocol[0][""] == "HTTP/1.1 503 Service Unavailable"
    assert NUMBER.encode() in by_protocol[1]


async def test_a_refused_client_is_read_from_again_when_it_may_ask_again() -> None:
    loop = asyncio.get_running_loop()
    async with full(Proxies()) as (port, crowd, served):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request("POST", "/v1/a", body="{}"))
        told, _ = await answer(reader)
        begun = loop.time()
        assert told["retry-after"] == str(RETRY_AFTER_SECONDS)
        writer.write(request("POST", "/v1/b", body="{}"))
        crowd.number = 0
        assert (await answer(reader))[1] == b"/v1/b"
        assert loop.time() - begun >= RETRY_AFTER_SECONDS * 0.9
        writer.close()
    assert served == ["/v1/b"]


async def test_the_connection_of_a_proxy_is_read_on_because_it_carries_others() -> None:
    async with full(BEHIND_PROXY) as (port, crowd, served):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request("POST", "/v1/a", body="{}"))
        await answer(reader)
        crowd.number = 0
        writer.write(request("POST", "/v1/b", body="{}"))
        async with asyncio.timeout(RETRY_AFTER_SECONDS / 2):
            assert (await answer(reader))[1] == b"/v1/b"
        writer.close()
    assert served == ["/v1/b"]


async def test_a_body_that_comes_after_its_refusal_is_no_request() -> None:
    async with full() as (port, crowd, served):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        body = request("GET", "/v1/hidden")
        whole_one = request("POST", "/v1/a", f"Content-Length: {len(body)}") + body
        writer.write(whole_one[: -len(body) + 5])
        await answer(reader)
        crowd.number = 0
        writer.write(whole_one[-len(body) + 5 :] + request("GET", "/v1/b"))
        assert (await answer(reader))[1] == b"/v1/b"
        writer.close()
    assert served == ["/v1/b"]


async def test_what_the_protocol_cannot_answer_goes_to_the_application() -> None:
    """A page wants a page, a script of another site its headers, and ``HEAD`` no body."""
    theirs = [
        request("GET", "/lge_1"),
        request("GET", "/livez"),
        request("GET", "/v1/a", "Origin: https://example.org"),
        request("OPTIONS", "/v1/a"),
    ]
    async with full() as (port, _, served):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for each in theirs:
            writer.write(each)
            await answer(reader)
        writer.close()
    assert served == ["/lge_1", "/livez", "/v1/a", "/v1/a"]


async def test_requests_that_wait_in_one_connection_do_not_call_each_other_ever_deeper() -> None:
    number, may_answer, heard = sys.getrecursionlimit() + 50, asyncio.Event(), asyncio.Event()
    crowd = Crowd(1)

    async def waiting(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/v1/first":
            heard.set()
            await may_answer.wait()
        await whole(scope, receive, send)

    protocol = protocol_of(Connections(LimitSettings(), BEHIND_PROXY), crowd)
    async with listening(waiting, protocol) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request("GET", "/v1/first") + request("GET", "/v1/next") * number)
        await heard.wait()
        crowd.enter("POST", "/v1/other")
        may_answer.set()
        for _ in range(number + 1):
            await answer(reader)
        writer.close()
