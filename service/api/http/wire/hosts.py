"""The host that a request names, and the form of its target (RFC 9112, sections 3.2 and 3.3)."""

import re
from typing import Final

_HOST: Final = re.compile(
    rb"(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)(?::[0-9]*)?"
)
"""A name or an address, and perhaps a port. HTTP allows no empty name (RFC 9110, 4.2.1)."""

_ABSOLUTE: Final = re.compile(rb"https?://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)

_WITHOUT_HOST: Final = frozenset({"0.9", "1.0"})
"""The versions of HTTP whose requests may lack a ``Host``."""


class HostInvalid(Exception):
    """A request names no host, several hosts, or something that is no host of HTTP."""


def origin_form(url: bytes, headers: list[tuple[bytes, bytes]], version: str) -> bytes:
    """
    Return the target of a request as a path and a query.

    If the target is absolute, its host replaces the header's in *headers*: it is the one that
    counts.

    Args:
        headers: The headers of the request. Their names are in small letters.
        version: The version of HTTP, such as ``1.1``.

    Raises:
        HostInvalid: If the host is missing, given more than once, or invalid, or if the target is
            neither a path nor an address of HTTP.
    """
    hosts = [value for name, value in headers if name == b"host"]
    if len(hosts) != 1:
        if hosts or version not in _WITHOUT_HOST:
            raise HostInvalid
    elif _HOST.fullmatch(hosts[0]) is None:
        raise HostInvalid
    if url.startswith(b"/") or url == b"*":
        return url
    absolute = _ABSOLUTE.fullmatch(url)
    if absolute is None or _HOST.fullmatch(absolute[1]) is None:
        raise HostInvalid
    host, rest = absolute.groups()
    headers[:] = [each for each in headers if each[0] != b"host"]
    headers.append((b"host", host))
    return rest if rest.startswith(b"/") else b"/" + rest
