"""Signatures are those of Standard Webhooks, checked by its published library."""

import base64
from datetime import UTC, datetime

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from service.webhooks.signing import public_text, secret_text, signed

BODY = b'{"type":"hand.settled","data":{"name":"Caf\xc3\xa9"}}'
ONE, TWO = (secret_text("v1", bytes([n]) * 32) for n in (1, 2))
PAIR = secret_text("v1a", bytes([3]) * 32)


def now() -> int:
    """Return this second. The library refuses messages that are older than five minutes."""
    return int(datetime.now(UTC).timestamp())


def test_the_library_accepts_a_symmetric_signature() -> None:
    assert Webhook(ONE).verify(BODY, signed("dlv_1", now(), BODY, [ONE]))["type"] == "hand.settled"


def test_with_two_secrets_each_of_them_verifies() -> None:
    headers = signed("dlv_1", now(), BODY, [ONE, TWO])
    for secret in (ONE, TWO):
        Webhook(secret).verify(BODY, headers)
    assert len(headers["webhook-signature"].split(" ")) == 2


@pytest.mark.parametrize("changed", ["body", "id", "secret", "age"])
def test_the_library_refuses_a_message_that_was_changed(changed: str) -> None:
    second = now() - 600 if changed == "age" else now()
    headers = signed("dlv_1", second, BODY, [ONE])
    if changed == "id":
        headers["webhook-id"] = "dlv_2"
    body = BODY + b" " if changed == "body" else BODY
    with pytest.raises(WebhookVerificationError):
        Webhook(TWO if changed == "secret" else ONE).verify(body, headers)


def test_the_public_key_verifies_an_asymmetric_signature() -> None:
    second = now()
    headers = signed("dlv_1", second, BODY, [PAIR])
    version, _, signature = headers["webhook-signature"].partition(",")
    public = public_text(PAIR)
    assert version == "v1a"
    assert public is not None
    assert public.startswith("whpk_")
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public.removeprefix("whpk_")))
    text = f"dlv_1.{second}.".encode() + BODY
    key.verify(base64.b64decode(signature), text)
    with pytest.raises(InvalidSignature):
        key.verify(base64.b64decode(signature), text + b" ")


def test_the_library_passes_over_asymmetric_signatures_beside_its_own() -> None:
    Webhook(ONE).verify(BODY, signed("dlv_1", now(), BODY, [PAIR, ONE]))


def test_a_shared_secret_has_no_public_key() -> None:
    assert public_text(ONE) is None
