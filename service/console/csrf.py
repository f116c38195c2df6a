"""
Protection against requests that another site makes a browser send.

A form must come from this host and carry a token that only pages of this session know. Cookies
are also ``SameSite=Lax``. An attack would have to defeat three independent checks.
"""

import hashlib
import hmac

from service.api.http.shell import Asked
from service.console.sessions import Session, host_of

FIELD = "csrf"
_MASK_BYTES = 16


def same_site(request: Asked) -> bool:
    """Return whether the browser says that a page of this host sent the form."""
    fetched = request.headers.get("sec-fetch-site")
    if fetched is not None and fetched != "same-origin":
        return False
    origin = request.headers.get("origin")
    if origin is None:
        return fetched == "same-origin"
    return origin.lower().partition("://")[2] == host_of(request.scope)


def token_for(session: Session | None, key: str, mask: bytes) -> str:
    """
    Return the token of a form, masked so that it looks different on each page.

    The length of a compressed page is visible. Without the mask, somebody who can make a browser
    ask for pages and count bytes could guess the token digit by digit.

    Args:
        key: The service's secret key.
        mask: 16 random bytes.
    """
    signed = _signed(session, key)
    covered = bytes(a ^ b for a, b in zip(signed, mask, strict=True))
    return (mask + covered).hex()


def fits(token: str, session: Session | None, key: str) -> bool:
    """Return whether *token* was made for this session."""
    try:
        given = bytes.fromhex(token)
    except ValueError:
        return False
    if len(given) != 2 * _MASK_BYTES:
        return False
    mask, covered = given[:_MASK_BYTES], given[_MASK_BYTES:]
    bare = bytes(a ^ b for a, b in zip(covered, mask, strict=True))
    return hmac.compare_digest(bare, _signed(session, key))


def _signed(session: Session | None, key: str) -> bytes:
    owner = "" if session is None else f"{session.id}.{session.secret}"
    text = f"console form {owner}".encode()
    return hmac.digest(key.encode(), text, hashlib.sha256)[:_MASK_BYTES]
