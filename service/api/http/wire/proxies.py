"""
The client address of a request. Handlers call ``service.api.http.shell.client_address``.

``X-Forwarded-For``, ``X-Forwarded-Proto`` and ``Forwarded`` are read only from proxies that a
setting names, because anybody else can forge them. A test checks that no other module reads these
headers.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address

from litestar.types import Scope

UNKNOWN = "unknown"
"""The address of a connection that has none, such as a Unix socket."""

_Network = IPv4Network | IPv6Network

_WORD = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_VALUE = rf'(?:{_WORD}|"(?:[^"\\]|\\.)*")'
_PAIR = f"{_WORD}={_VALUE}"
_PAIRS = re.compile(f"({_WORD})=({_VALUE})")
_ELEMENT = re.compile(rf"[ \t]*(?:{_PAIR}(?:;{_PAIR})*)?[ \t]*(?:,|$)")
_WITH_PORT = re.compile(r"\[([^\]]*)\](?::\w+)?|([0-9.]+):\w+")
"""An IPv6 address in brackets, or an IPv4 address with a port."""


class Proxies:
    """
    The proxies that may say which address a request comes from.

    Args:
        trusted: The addresses and networks of these proxies.
    """

    def __init__(self, trusted: Iterable[_Network] = ()) -> None:
        self._trusted = tuple(trusted)

    def client_address(self, scope: Scope) -> str:
        """
        Return the address of the client that sent the request in *scope*.

        Addresses are read from right to left, and the first one that is not a trusted proxy counts.
        If a proxy sends something that is not an address, the last trusted proxy counts. The same
        is true if the two headers contradict each other.
        """
        client = scope.get("client")
        peer = UNKNOWN if client is None else normal(client[0])
        if not self.trusts(peer):
            return peer
        forwarded, listed = _given(scope, b"forwarded"), _given(scope, b"x-forwarded-for")
        found = {
            self._outermost(peer, hops)
            for hops in (
                _forwarded(forwarded) if forwarded else None,
                listed.split(",") if listed else None,
            )
            if hops is not None
        }
        return found.pop() if len(found) == 1 else peer

    def encrypted(self, scope: Scope) -> bool:
        """
        Return whether the client's connection uses TLS.

        A trusted proxy says so in ``X-Forwarded-Proto`` or ``Forwarded``, for its own client.
        """
        client = scope.get("client")
        peer = UNKNOWN if client is None else normal(client[0])
        if not self.trusts(peer):
            return bool(scope["scheme"] == "https")
        listed = _given(scope, b"x-forwarded-proto").rpartition(",")[2].strip()
        named = [
            value.strip('"')
            for name, value in _PAIRS.findall(_given(scope, b"forwarded").rpartition(",")[2])
            if name.lower() == "proto"
        ]
        said = {each.lower() for each in (listed, *named) if each}
        return said == {"https"} or (not said and scope["scheme"] == "https")

    def _outermost(self, peer: str, hops: list[str]) -> str:
        address = peer
        for hop in reversed(hops):
            found = normal(_bare(hop.strip()))
            if found == UNKNOWN:
                return address
            address = found
            if not self.trusts(address):
                return address
        return address

    def trusts(self, address: str) -> bool:
        """Return whether *address* belongs to a trusted proxy."""
        if not self._trusted or address == UNKNOWN:
            return False
        return any(ip_address(address) in network for network in self._trusted)


def _given(scope: Scope, name: bytes) -> str:
    """Return the values of all headers with this name, joined by commas."""
    return ",".join(value.decode("latin-1") for each, value in scope["headers"] if each == name)


def _forwarded(text: str) -> list[str]:
    """
    Return the ``for`` value of each element of a ``Forwarded`` list (RFC 7239).

    A malformed list gives :data:`UNKNOWN` only.
    """
    found: list[str] = []
    at = 0
    while at < len(text):
        element = _ELEMENT.match(text, at)
        if element is None or element.end() == at:
            return [UNKNOWN]
        pairs = _PAIRS.findall(element[0])
        named = [value.strip('"') for name, value in pairs if name.lower() == "for"]
        if pairs:
            found.append(named[0] if len(named) == 1 else UNKNOWN)
        at = element.end()
    return found


def _bare(hop: str) -> str:
    """Return the address of a hop without its port or brackets."""
    found = _WITH_PORT.fullmatch(hop)
    return hop if found is None else found[1] or found[2]


@lru_cache(maxsize=4096)
def normal(text: str) -> str:
    """Return an address in its normal form, or :data:`UNKNOWN` if *text* is not an address."""
    try:
        address = ip_address(text)
    except ValueError:
        return UNKNOWN
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        address = IPv6Address(int(address))  # drop the zone
    return str(address)
