"""
Requests to addresses that other people choose.

Such a request could make this server speak to its own network, which those people cannot reach.
So the name is resolved once, every address it leads to is vetted, and the connection goes to a
vetted address. Nothing resolves the name a second time. Redirects are not followed.
"""

import asyncio
import socket
from collections.abc import Iterable, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple
from urllib.parse import urlsplit

import httpcore
from httpcore import SOCKET_OPTION

from service.base.errors import Overloaded
from service.base.pools import LOOKING_UP

Network = IPv4Network | IPv6Network

SECONDS = 10.0
"""The time for a whole request, from the look-up of the name to the end of the answer."""

URL_MAX = 2048
"""The most characters of an address."""

ANSWER_MAX = 64 * 1024
"""The most bytes that are read of an answer. The connection closes if there are more."""

_REFUSED: tuple[Network, ...] = tuple(
    map(
        ip_network,
        (
            "64:ff9b::/96",  # NAT64: any IPv4 address inside
            "64:ff9b:1::/48",
            "2002::/16",  # 6to4: any IPv4 address inside
            "2001::/32",  # Teredo: any IPv4 address inside
            "fec0::/10",  # site-local, before RFC 3879
            "::/96",  # IPv4-compatible
            "192.88.99.0/24",  # relays of 6to4
        ),
    )
)
"""Networks that Python 3.11 calls global although they may lead to private ones."""


class AddressRefused(Exception):
    """The address may not be asked. The text gives the reason, for the person who chose it."""


class UrlRefused(Exception):
    """The form of the address is not allowed. The text gives the reason."""


class Unreached(ConnectionError):
    """No connection was made, so nothing was sent."""


class OutsideAnswer(NamedTuple):
    """An answer from outside. Its body is discarded."""

    status: int


class Outside:
    """
    Sends requests to addresses that other people choose.

    Args:
        allowed: Networks that may be asked although they are private. Only these may be asked
            without TLS.
    """

    def __init__(self, allowed: Sequence[Network] = ()) -> None:
        self._allowed = tuple(allowed)

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], client: str | None = None
    ) -> OutsideAnswer:
        """
        Send *body* and return the answer's status.

        Args:
            client: The account that chose *url*. An account has few look-ups of names at a time.

        Raises:
            Refused: If *url* leads to an address that may not be asked.
            TimeoutError: If the answer is not complete after :data:`SECONDS`.
            Unreached: If no connection was made.
            OSError: If there is no answer in HTTP.
        """
        target = httpcore.URL(url)
        vetted = _Vetted(self._allowed, client, plain=target.scheme == b"http")
        given = [*headers.items(), ("Connection", "close")]
        try:
            async with asyncio.timeout(SECONDS):
                # A pool of its own: no connection outlives the vetting of its address.
                async with (
                    httpcore.AsyncConnectionPool(network_backend=vetted) as pool,
                    pool.stream("POST", target, headers=given, content=body) as answer,
                ):
                    await _drained(answer)
                    return OutsideAnswer(answer.status)
        except (httpcore.TimeoutException, TimeoutError) as error:
            raise TimeoutError("no answer in time") from error
        except httpcore.ConnectError as error:
            raise Unreached(f"{type(error).__name__}: {error}") from error
        except (httpcore.NetworkError, httpcore.ProtocolError, UnicodeError) as error:
            raise ConnectionError(f"{type(error).__name__}: {error}") from error


def demand_url(url: str, allowed: Sequence[Network]) -> None:
    """
    Check the form of an address that somebody chose. Its name is vetted before each request.

    Raises:
        UrlRefused: If the address has another scheme, holds a password, or cannot be public.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise UrlRefused("it is no address") from error
    if len(url) > URL_MAX or not url.isascii() or any(each <= " " for each in url):
        raise UrlRefused(f"it is at most {URL_MAX} printable ASCII characters without spaces")
    if parts.scheme != "https" and not (parts.scheme == "http" and allowed):
        raise UrlRefused("it begins with https://")
    if not host or "@" in parts.netloc:
        raise UrlRefused("it names a host, and neither a user nor a password")
    if "#" in url:
        raise UrlRefused("it has no fragment")
    literal = _literal(host.strip("[]").removesuffix("."))
    if literal is None:
        return  # a name
    try:
        demand_allowed(literal, allowed, plain=parts.scheme == "http")
    except AddressRefused as refused:
        raise UrlRefused(str(refused)) from refused


def _literal(host: str) -> str | None:
    """Return the address that *host* is in any spelling, or None if it is a name to look up."""
    if host == "localhost" or host.endswith(".localhost"):
        return "127.0.0.1"
    try:
        return str(ip_address(host))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(host))  # as a resolver reads 127.1
    except OSError:
        return None


def demand_allowed(address: str, allowed: Iterable[Network], *, plain: bool) -> None:
    """
    Check an address that a name leads to.

    Args:
        plain: True if the request is sent without TLS. Then only *allowed* networks may be asked.

    Raises:
        Refused: If the address is private, or has a special use.
    """
    found = _unwrapped(ip_address(address.partition("%")[0]))
    if any(found in network for network in allowed):
        return
    if plain:
        raise AddressRefused("only https may leave the networks that the operator allows")
    special = any(found in network for network in _REFUSED)
    if special or not found.is_global or found.is_multicast or found.is_reserved:
        raise AddressRefused("the name leads to an address that is not public")


def _unwrapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that ``::ffff:0:0/96`` stands for, or the address itself."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


async def _drained(answer: httpcore.Response) -> None:
    """Read the answer's body, up to :data:`ANSWER_MAX`, and discard it."""
    read = 0
    async for part in answer.aiter_stream():
        read += len(part)
        if read >= ANSWER_MAX:
            return


class _Vetted(httpcore.AsyncNetworkBackend):
    """Connects only to addresses that may be asked."""

    def __init__(self, allowed: tuple[Network, ...], client: str | None, *, plain: bool) -> None:
        self._allowed = allowed
        self._client = client
        self._plain = plain
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Resolve *host*, vet every address, and connect to the first that answers."""
        addresses = await _resolved(host, port, self._client)
        for address in addresses:
            demand_allowed(address, self._allowed, plain=self._plain)
        refused: Exception = httpcore.ConnectError("the name leads to no address")
        for address in addresses:
            try:
                return await self._inner.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except httpcore.ConnectError as error:
                refused = error
        raise refused

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Refuse: nobody outside has a socket on this machine."""
        raise AddressRefused("only TCP")

    async def sleep(self, seconds: float) -> None:
        """Wait before another attempt to connect."""
        await asyncio.sleep(seconds)


async def _resolved(host: str, port: int, client: str | None) -> list[str]:
    """Return every address that *host* leads to, in the resolver's order, each once."""
    try:
        # Otherwise a slow name server that somebody chose could hold all threads of the event loop.
        found = await LOOKING_UP.run(
            client, socket.getaddrinfo, host, port, type=socket.SOCK_STREAM
        )
    except Overloaded as error:
        raise httpcore.ConnectError("too many names are being looked up") from error
    except socket.gaierror as error:
        raise httpcore.ConnectError("the name does not resolve") from error
    return list(dict.fromkeys(str(address[0]) for *_, address in found))
