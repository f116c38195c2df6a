"""
Signed codes with which a person turns off one kind of mail, without signing in (RFC 8058).

A code names the account, the channel and the kind. It does nothing else, and does not end, because
mails are read late.
"""

import base64
import binascii
import hmac
from typing import Final, NamedTuple, get_args
from uuid import UUID

from service.log.keys import derive
from service.notices.kinds import KINDS, Kind
from service.notices.outbox import Channel

_LABEL: Final = b"holotable/opt-out/1"
_MAC_BYTES: Final = 16
_CHANNELS: Final[tuple[Channel, ...]] = get_args(Channel)


class OptOut(NamedTuple):
    """The notices that a code turns off."""

    account: UUID
    channel: Channel
    kind: Kind


def code_of(wanted: OptOut, *secret_keys: str) -> str:
    """Return the code for an opt-out, signed with the first of the settings' keys."""
    name = _name(wanted)
    return base64.urlsafe_b64encode(_mac(secret_keys[0], name) + name).rstrip(b"=").decode()


def path_of(code: str) -> str:
    """Return the path of the page that asks whether to turn a kind off."""
    return f"/opt-outs/{code}"


def opened(code: str, *secret_keys: str) -> OptOut | None:
    """Return the notices that a code turns off, or None if it is not valid."""
    try:
        content = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
    except (binascii.Error, ValueError):
        return None
    mac, name = content[:_MAC_BYTES], content[_MAC_BYTES:]
    if not any(hmac.compare_digest(mac, _mac(each, name)) for each in secret_keys):
        return None
    channel, _, kind = name[16:].decode().partition("/")
    found = next((each for each in KINDS if each == kind), None)
    by = next((each for each in _CHANNELS if each == channel), None)
    return None if found is None or by is None else OptOut(UUID(bytes=name[:16]), by, found)


def _name(wanted: OptOut) -> bytes:
    return wanted.account.bytes + f"{wanted.channel}/{wanted.kind}".encode()


def _mac(secret_key: str, name: bytes) -> bytes:
    return hmac.digest(derive(secret_key.encode(), _LABEL), name, "sha256")[:_MAC_BYTES]
