"""
Push messages to browsers: encrypted for the browser (RFC 8291), signed by this installation (8292).

The service of the browser's maker carries a message and cannot read it. Its address comes from the
browser, so it is asked through the client that reaches only vetted addresses.
"""

import base64
import os
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

import http_ece
import msgspec
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02

from service.base.outside import AddressRefused, Outside, Unreached
from service.notices.browsers import Target

SIGNED_FOR: Final = timedelta(hours=12)
_GONE: Final = (404, 410)
_LATER: Final = (408, 429)
_SUCCESS: Final = range(200, 300)
_BROKEN: Final = 500
_RECORD: Final = 4096


class PushFailed(Exception):
    """The message was refused, and a retry will not help."""


class PushGone(PushFailed):
    """The browser's subscription has ended."""


class PushLater(Exception):
    """The message was not taken now. A retry may help."""


class PushUnknown(Exception):
    """It is unknown whether the message was taken."""


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """The content that a browser decrypts."""

    kind: str
    title: str
    body: str
    path: str
    """The path of the page to open."""

    tag: str
    """The occasion. A browser shows one message for each."""


def new_private_key() -> str:
    """Return a new private key, in the form of the settings' ``push_key``."""
    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return _text(number.to_bytes(32, "big"))


def public_key(private: str) -> str:
    """Return the public key of the settings' ``push_key``, as browsers take it."""
    numbers = _vapid(private).public_key.public_numbers()
    raw = b"\x04" + numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")
    return _text(raw)


def demand_keys(target: Target) -> None:
    """
    Check the keys of a browser.

    Raises:
        ValueError: If one of them is no key.
    """
    if len(_bytes(target.auth)) != 16:
        raise ValueError("auth has 16 bytes")
    ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _bytes(target.p256dh))


async def push(
    outside: Outside,
    target: Target,
    message: Message,
    *,
    key: str,
    contact: str,
    now: datetime,
    ends_at: datetime,
    urgent: bool,
    client: str,
) -> None:
    """
    Send a message to a browser.

    Args:
        key: The settings' ``push_key``.
        contact: The operator, for the service of the browser's maker.
        client: The account, which has few look-ups of names at a time.

    Raises:
        PushGone: If the subscription has ended.
        PushFailed: If the message is refused for good.
        PushLater: If it is refused for now, or there is no connection.
        PushUnknown: If the answer does not come.
    """
    parts = urlsplit(target.endpoint)
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "sub": contact,
        "exp": int((now + SIGNED_FOR).timestamp()),
    }
    headers = {
        **_vapid(key).sign(claims),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(max(0, int((ends_at - now).total_seconds()))),
        "Urgency": "high" if urgent else "normal",
        "Topic": message.tag.replace("-", "")[:32],
    }
    body = _encrypted(target, msgspec.json.encode(message))
    try:
        status = (await outside.post(target.endpoint, body, headers, client)).status
    except AddressRefused as error:
        raise PushFailed(f"not allowed: {error}") from error
    except Unreached as error:
        raise PushLater("no connection") from error
    except OSError as error:
        raise PushUnknown("no answer in time, or none in HTTP") from error
    _demand(status)


def _demand(status: int) -> None:
    if status in _SUCCESS:
        return
    said = f"the push service answered {status}"
    if status in _GONE:
        raise PushGone(said)
    if status in _LATER or status >= _BROKEN:
        raise PushLater(said)
    raise PushFailed(said)


def _encrypted(target: Target, content: bytes) -> bytes:
    """Return the content, encrypted for the browser alone with a new key pair."""
    sealed: bytes = http_ece.encrypt(
        content,
        salt=os.urandom(16),
        private_key=ec.generate_private_key(ec.SECP256R1()),
        dh=_bytes(target.p256dh),
        auth_secret=_bytes(target.auth),
        rs=_RECORD,
        version="aes128gcm",
    )
    return sealed


def _vapid(private: str) -> Vapid02:
    return Vapid02.from_raw(private.encode())


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
