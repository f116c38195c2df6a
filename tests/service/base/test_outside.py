"""A request to an address that somebody chose reaches no private network."""

import asyncio
import socket
import threading
from collections.abc import Callable
from ipaddress import ip_network
from typing import Any

import pytest

from service.base import outside
from service.base.outside import AddressRefused, Outside, UrlRefused, demand_allowed, demand_url
from tests.support.receivers import receiving

pytestmark = pytest.mark.anyio

PRIVATE = (
    "127.0.0.1", "127.8.9.10", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1",
    "169.254.169.254", "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1",
    "203.0.113.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "192.88.99.1",
    "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:a01:203", "64:ff9b::7f00:1",
    "64:ff9b::a01:203", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::1",
    "fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%lo", "fec0::1", "ff02::1",
)  # fmt: skip
"""Addresses that are not public, in every way in which an address can be private."""

PUBLIC = ("93.184.216.34", "1.1.1.1", "2606:4700:4700::1111", "::ffff:1.1.1.1")

LOOPBACK_FORMS = (
    "127.0.0.1", "localhost", "0x7f000001", "2130706433", "0177.0.0.1", "127.1",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
)  # fmt: skip
"""Names of this machine that a resolver or an operating system understands."""


def resolver(*answers: tuple[str, ...]) -> tuple[Callable[..., Any], list[str]]:
    """Return a resolver that gives these addresses, look-up by look-up, and the names it saw."""
    asked: list[str] = []
    waiting = list(answers)

    def getaddrinfo(host: str, port: int, **_: object) -> list[Any]:
        asked.append(host)
        found = waiting.pop(0)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in found]

    return getaddrinfo, asked


@pytest.mark.parametrize("address", PRIVATE)
def test_no_private_address_is_allowed(address: str) -> None:
    with pytest.raises(AddressRefused):
        demand_allowed(address, (), plain=False)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_allowed_with_tls_only(address: str) -> None:
    demand_allowed(address, (), plain=False)
    with pytest.raises(AddressRefused):
        demand_allowed(address, (ip_network("10.0.0.0/8"),), plain=True)


def test_an_allowed_network_may_be_asked_without_tls_in_every_form_of_its_addresses() -> None:
    allowed = (ip_network("10.0.0.0/8"),)
    for address in ("10.1.2.3", "::ffff:10.1.2.3"):
        demand_allowed(address, allowed, plain=True)
    with pytest.raises(AddressRefused):
        demand_allowed("11.1.2.3", allowed, plain=True)
    with pytest.raises(AddressRefused):
        demand_allowed("192.168.1.1", allowed, plain=False)


@pytest.mark.parametrize("host", [*LOOPBACK_FORMS, "LOCALHOST", "x.localhost", "127.1."])
def test_no_spelling_of_this_machine_is_accepted_as_an_address(host: str) -> None:
    """It would be refused at each delivery, and nobody would know why nothing comes."""
    with pytest.raises(UrlRefused):
        demand_url(f"https://{host}:8443/", ())
    demand_url(f"https://{host}:8443/", (ip_network("127.0.0.0/8"),))


@pytest.mark.parametrize("host", ["1.1.1.1", "127.0.0.1.example.com", "localhost.example.com"])
def test_a_public_address_and_a_name_are_accepted(host: str) -> None:
    demand_url(f"https://{host}/", ())


@pytest.mark.parametrize("host", LOOPBACK_FORMS)
async def test_no_name_of_this_machine_reaches_it(host: str) -> None:
    async with receiving() as receiver:
        for scheme in ("http", "https"):
            with pytest.raises((AddressRefused, OSError)):
                await Outside().post(f"{scheme}://{host}:{receiver.port}/", b"{}", {})
        assert receiver.got == []


async def test_a_name_with_one_private_address_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, _ = resolver(("1.1.1.1", "127.0.0.1"))
    monkeypatch.setattr(socket, "getaddrinfo", found)
    with pytest.raises(AddressRefused):
        await Outside().post("https://both.example/", b"{}", {})


async def test_a_name_is_resolved_once_so_that_it_cannot_change_after_the_check(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with receiving() as receiver:
        found, asked = resolver(("127.0.0.2",), ("127.0.0.1",))
        monkeypatch.setattr(socket, "getaddrinfo", found)
        with pytest.raises(OSError, match="ConnectError"):
            # Nobody listens at the first answer. At the second one stands the receiver.
            await Outside((ip_network("127.0.0.2/32"),)).post(
                f"http://turning.example:{receiver.port}/", b"{}", {}
            )
        assert asked == ["turning.example"]
        assert receiver.got == []


async def test_names_that_do_not_resolve_in_time_keep_only_their_own_client_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answering = threading.Event()

    def getaddrinfo(host: str, port: int, **_: object) -> list[Any]:
        assert host == "quick.example" or answering.wait(30)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    async with receiving() as receiver:
        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
        away = Outside((ip_network("127.0.0.0/8"),))
        slow = f"http://slow.example:{receiver.port}/"
        waiting = [asyncio.create_task(away.post(slow, b"{}", {}, "greedy")) for _ in range(40)]
        quick = f"http://quick.example:{receiver.port}/"
        assert (await away.post(quick, b"{}", {}, "other")).status == 204
        answering.set()
        ended = await asyncio.gather(*waiting, return_exceptions=True)
        assert {isinstance(each, ConnectionError) for each in ended} == {True, False}


async def test_a_request_keeps_the_name_that_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with receiving() as receiver:
        found, _ = resolver(("127.0.0.1",))
        monkeypatch.setattr(socket, "getaddrinfo", found)
        url = f"http://site.example:{receiver.port}/a?b=c"
        answered = await Outside((ip_network("127.0.0.0/8"),)).post(url, b"{}", {"X-Own": "1"})
        assert answered.status == 204
        [got] = receiver.got
        assert (got.path, got.body) == ("/a?b=c", b"{}")
        assert got.headers["host"] == f"site.example:{receiver.port}"
        assert got.headers["x-own"] == "1"


async def test_a_redirect_is_an_answer_and_is_not_followed() -> None:
    async with receiving() as first, receiving() as second:
        first.answers = [302, 307]
        first.headers = f"Location: {second.url}\r\n"
        away = Outside((ip_network("127.0.0.0/8"),))
        assert [(await away.post(first.url, b"{}", {})).status for _ in range(2)] == [302, 307]
        assert second.got == []


async def test_a_receiver_without_an_answer_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "SECONDS", 0.2)
    async with receiving() as receiver:
        receiver.answers = [0]
        with pytest.raises(TimeoutError):
            await Outside((ip_network("127.0.0.0/8"),)).post(receiver.url, b"{}", {})


async def test_an_endless_answer_is_read_only_in_part() -> None:
    sent = 0

    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        try:
            while True:
                writer.write(b"x" * 4096)
                await writer.drain()
                sent += 4096
        except OSError:
            writer.close()

    server = await asyncio.start_server(flood, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        answered = await Outside((ip_network("127.0.0.0/8"),)).post(url, b"{}", {})
    assert answered.status == 200
    assert sent > outside.ANSWER_MAX  # it would have gone on


async def test_what_does_not_speak_http_has_not_answered() -> None:
    async def babble(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ESMTP\r\n")
        writer.close()

    server = await asyncio.start_server(babble, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        with pytest.raises(ConnectionError):
            await Outside((ip_network("127.0.0.0/8"),)).post(url, b"{}", {})
