"""
Signatures of messages, after Standard Webhooks.

A signature covers the message's identifier, the second of the attempt, and the body. ``v1`` is
symmetric: HMAC-SHA256 with a secret that both sides know. ``v1a`` is asymmetric: Ed25519, and the
receiver knows only the public key.
"""

import base64
import hmac
from collections.abc import Iterable
from typing import Literal

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

Signing = Literal["v1", "v1a"]

_SYMMETRIC = "whsec_"
_PRIVATE, _PUBLIC = "whsk_", "whpk_"


def secret_text(signing: Signing, random: bytes) -> str:
    """Return the secret made of 32 random bytes, in the form that libraries read."""
    return (_SYMMETRIC if signing == "v1" else _PRIVATE) + base64.b64encode(random).decode()


def public_text(secret: str) -> str | None:
    """Return the public key of an asymmetric secret, or None for a symmetric one."""
    if not secret.startswith(_PRIVATE):
        return None
    key = _private(secret).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return _PUBLIC + base64.b64encode(key).decode()


def signed(message: str, second: int, body: bytes, secrets: Iterable[str]) -> dict[str, str]:
    """
    Return the headers that identify and sign a message.

    Args:
        message: The message's identifier. It is the same in every attempt.
        second: The instant of the attempt, in seconds since 1970.
        secrets: The secrets in force, the newest first. Each gives a signature.
    """
    text = f"{message}.{second}.".encode() + body
    return {
        "webhook-id": message,
        "webhook-timestamp": str(second),
        "webhook-signature": " ".join(_signature(each, text) for each in secrets),
    }


def _signature(secret: str, text: bytes) -> str:
    if secret.startswith(_PRIVATE):
        return "v1a," + base64.b64encode(_private(secret).sign(text)).decode()
    key = base64.b64decode(secret.removeprefix(_SYMMETRIC))
    return "v1," + base64.b64encode(hmac.digest(key, text, "sha256")).decode()


def _private(secret: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(base64.b64decode(secret.removeprefix(_PRIVATE)))
