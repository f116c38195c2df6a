"""
Sessions: a token of the API whose secret lives in a cookie.

The API itself never reads cookies. Over TLS the cookie is ``__Host-holotable``. Plain HTTP has a
cookie of its own. It is used only on this machine or with the setting ``plain_http``.
"""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal

from litestar.types import Scope

from service.api.http.shell import Asked, client_address, shell_of
from service.api.http.wire.proxies import UNKNOWN
from service.console.devices import device_of

LABEL = "console"
"""The name of a session's token in the owner's list of tokens. The device follows, if known."""

DAYS = 60
SECURE_COOKIE = "__Host-holotable"
PLAIN_COOKIE = "holotable-plain"
_VALUE = re.compile(r"(tok_[0-9a-f]{32})\.([A-Za-z0-9_]{20,100})")
_LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})

Transport = Literal["tls", "loopback", "plain", "refused"]
"""
The reader's connection: encrypted, on this machine, plain by a setting, or refused.

It is refused if it is plain without that setting. Nobody is signed in over it then.
"""


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in browser."""

    id: str
    """The token, ``tok_…``. Ending the session revokes it."""

    secret: str
    """The secret of the token."""


def label_of(request: Asked) -> str:
    """Return the name of a new session's token: the label, and the browser with its device."""
    device = device_of(request.headers.get("user-agent", ""))
    return f"{LABEL}: {device}" if device else LABEL


def device_named(token: str) -> str | None:
    """Return the device in the name of a *token*, nothing if unknown, or None for a program's."""
    label, _, device = token.partition(": ")
    return device if label == LABEL else None


def transport_of(request: Asked) -> Transport:
    """Return the kind of connection of *request*."""
    shell = shell_of(request)
    if shell.proxies.encrypted(request.scope):
        return "tls"
    if _local(request):
        return "loopback"
    return "plain" if shell.settings.plain_http else "refused"


def session_of(request: Asked, transport: Transport) -> Session | None:
    """Return the session that the request's cookie names. The API checks if it is still good."""
    if transport == "refused":
        return None
    found = _VALUE.fullmatch(cookie(request, _name(transport)) or "")
    return None if found is None else Session(found[1], found[2])


def kept(session: Session, transport: Transport, seconds: int) -> str:
    """Return the header ``Set-Cookie`` that begins a session."""
    return set_cookie(_name(transport), f"{session.id}.{session.secret}", transport, seconds)


def ended(transport: Transport) -> str:
    """Return the header ``Set-Cookie`` that makes the browser forget its session."""
    return set_cookie(_name(transport), "", transport, 0)


def set_cookie(name: str, value: str, transport: Transport, seconds: int) -> str:
    """Return a ``Set-Cookie`` for this host alone. Scripts cannot read the cookie."""
    secure = "; Secure" if transport == "tls" else ""
    return f"{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"


def cookie(request: Asked, name: str) -> str | None:
    """Return the value of a cookie, or None."""
    return cookies(request).get(name)


def cookies(request: Asked) -> dict[str, str]:
    """Return the values of all cookies by name."""
    given = request.headers.get("cookie")
    if given is None or len(given) > _COOKIES_MAX:
        return {}
    # Other cookies of this host may be malformed, and must not hide ours. The first of a name wins.
    pairs = (each.partition("=") for each in reversed(given.split(";")))
    return {name.strip(): value.strip() for name, _, value in pairs}


_COOKIES_MAX = 8192


def host_of(scope: Scope) -> str:
    """Return the request's ``Host``, in small letters."""
    found = (value for name, value in scope["headers"] if name == b"host")
    return next(found, b"").decode("latin-1").lower()


def _name(transport: Transport) -> str:
    return SECURE_COOKIE if transport == "tls" else PLAIN_COOKIE


def _local(request: Asked) -> bool:
    """Return whether the browser runs on this machine, with no proxy in between."""
    address, host = client_address(request), host_of(request.scope)
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    near = address != UNKNOWN and ip_address(address).is_loopback
    return near and name in _LOCAL
