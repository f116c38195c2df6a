"""
The bytes that are hashed: canonical JSON, and the entry that chains an event to its stream.

Canonical JSON is RFC 8785, restricted to the values that the log may hold. Keys consist of
``[a-z0-9_*]``, every reader holds the integers exactly, and instants are in UTC. Floats and control
characters are refused. Byte vectors: ``api-spec/vectors/entry.json``.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from struct import Struct
from uuid import UUID

import msgspec

ORIGIN = b"holotable/1"
NO_HASH = bytes(32)
"""The hash of nothing: the head of an empty stream, or of a ``sealed`` that is null."""

_LEAF = Struct(">12s 16s 32s 32s Q 16s q 32s H 32s 32s 32s").pack
_PREFIX = b"\x00" + ORIGIN
"""RFC 6962 puts a zero byte before the content of each leaf."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_SECONDS = 86_400
_SECOND = 1_000_000
_EXACT = 2**53 - 1

_TEXT = rb'"[^"\\\x00-\x1f]*+(?:\\["\\][^"\\\x00-\x1f]*+)*+"'
_DOCUMENT = re.compile(
    rb"(?:"
    rb'"[a-z0-9_*]+":|' + _TEXT + rb"(?!:)|-?[1-9][0-9]{0,15}(?![0-9.eE])|0(?![0-9.eE])"
    rb"|[\[\]{},]|true|false|null)*+"
)
_LONG_NUMBER = re.compile(rb'(?<![0-9"a-zA-Z])[1-9][0-9]{15}(?![0-9])')
_TEXTS = re.compile(_TEXT)
_BARE = rb'"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:[+-]\d\d:\d\d)?"'
_BARE_INSTANT = re.compile(_BARE)
_MARKS = rb"[\[\]{},:]*+"
# The form of almost every document. A document that does not match it is checked rule by rule. The
# commonest alternative comes first, with the marks that follow it, because a failed alternative
# costs the most time.
_ORDINARY = re.compile(
    rb"(?:"
    rb'"[a-z0-9_*]++"' + _MARKS + rb"|-?[1-9][0-9]{0,14}(?![0-9.eE])" + _MARKS + rb"|"
    rb"[\[\]{},:]++|(?!" + _BARE + rb")" + _TEXT + rb"(?!:)" + _MARKS + rb"|0(?![0-9.eE])"
    rb"|true|false|null)*+"
)


class NotCanonical(ValueError):
    """A value has no canonical form, which is a defect of the code that made it."""


def encode(value: object, enc_hook: Callable[[object], object] | None = None) -> bytes:
    """
    Return the canonical JSON of *value*.

    Raises:
      NotCanonical: If it holds a float, an integer beyond 2^53 - 1, or an instant that is
        not in UTC. Also if the log refuses a key or a character of it.
    """
    try:
        text = msgspec.json.encode(value, enc_hook=enc_hook, order="sorted")
    except (UnicodeEncodeError, TypeError, msgspec.MsgspecError, OverflowError) as error:
        raise NotCanonical(str(error)) from error
    check(text)
    return text


def check(text: bytes) -> None:
    """
    Refuse values that msgspec writes but that have no canonical form.

    Args:
      text: Well-formed, sorted JSON, straight from msgspec.

    Raises:
      NotCanonical: As :func:`encode`.
    """
    if _ORDINARY.fullmatch(text) is not None:
        return
    if _DOCUMENT.fullmatch(text) is None:
        raise NotCanonical("a float, a control character, or a key or number that is refused")
    if _BARE_INSTANT.search(text) is not None:
        raise NotCanonical("an instant without Z")
    if _LONG_NUMBER.search(text) is not None:
        for number in _LONG_NUMBER.findall(_TEXTS.sub(b'""', text)):
            if int(number) > _EXACT:
                raise NotCanonical("an integer beyond 2^53 - 1")


@lru_cache(maxsize=16_384)
def hash_of_name(name: str) -> bytes:
    """Return the SHA-256 of a stream's or a type's name."""
    return sha256(name.encode()).digest()


def microseconds(at: datetime) -> int:
    """Return the exact number of microseconds since 1970 UTC."""
    since = at - _EPOCH
    return (since.days * _DAY_SECONDS + since.seconds) * _SECOND + since.microseconds


def leaf(
    league: UUID,
    previous: bytes,
    stream: str,
    version: int,
    event_id: UUID,
    microseconds: int,
    type_: str,
    schema_version: int,
    data: bytes,
    metadata_hash: bytes,
    sealed: bytes | None,
) -> bytes:
    """
    Return a zero byte and the 253 bytes of an event's entry.

    Their SHA-256 is the event's hash. It links the stream's chain, and it is a leaf of the league's
    tree (RFC 6962).

    Args:
      previous: Hash of the stream's event before this one. For the first it is :data:`NO_HASH`.
      microseconds: The event's instant, since 1970 UTC.
      metadata_hash: SHA-256 of the metadata's bytes, which a whole append shares.
    """
    return _LEAF(
        _PREFIX,
        league.bytes,
        previous,
        hash_of_name(stream),
        version,
        event_id.bytes,
        microseconds,
        hash_of_name(type_),
        schema_version,
        sha256(data).digest(),
        metadata_hash,
        NO_HASH if sealed is None else sha256(sealed).digest(),
    )
