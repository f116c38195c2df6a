"""
The address a request comes from; handlers ask ``service.api.http.shell.client_address``.

``X-Forwarded-For`` and ``Forwarded`` are believed only from proxies that a setting names:
anybody else may write into them what they like.  No other module reads these headers; a
test enforces it.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address

from litestar.types import Scope

UNKNOWN = "unknown"
"""Stands for the address of a connection that has none, as on a Unix socket."""

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
    The proxies whose word about an address is believed.

    Args:
        trusted: Their addresses and networks.
    """

    def __init__(self, trusted: Iterable[_Network] = ()) -> None:
        self._trusted = tuple(trusted)

    def client_address(self, scope: Scope) -> str:
        """
        Return the address of the client that sent the request in *scope*.

        It is the last address, read from the right, that is no trusted proxy's.  If a
        proxy says something that is no address, or two headers contradict each other,
        it is the address of the last trusted proxy.
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
        """Return whether *address* is one of these proxies'."""
        if not self._trusted or address == UNKNOWN:
            return False
        return any(ip_address(address) in network for network in self._trusted)


def _given(scope: Scope, name: bytes) -> str:
    """Return all headers of this name as the one list they stand for."""
    return ",".join(value.decode("latin-1") for each, value in scope["headers"] if each == name)


def _forwarded(text: str) -> list[str]:
    """Return the ``for`` of each element of RFC 7239's list; a broken list holds no address."""
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
    """Return the address of a hop without its port."""
    found = _WITH_PORT.fullmatch(hop)
    return hop if found is None else found[1] or found[2]


@lru_cache(maxsize=4096)
def normal(text: str) -> str:
    """Return an address in its one form; :data:`UNKNOWN` for anything else."""
    try:
        address = ip_address(text)
    except ValueError:
        return UNKNOWN
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        address = IPv6Address(int(address))  # without its zone
    return str(address)
