"""
Hidden values: the commitment that everybody sees, and the boxes that only audiences open.

A view hides nothing by deleting fields. Its caller names the audiences, and it opens only their
boxes. Byte vectors: ``api-spec/vectors/entry.json``.
"""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from struct import Struct
from uuid import UUID

import msgspec
from cryptography.exceptions import InvalidTag

from service.base.errors import EventUnreadable
from service.log.canonical import hash_of_name
from service.log.keys import LeagueKeys

COMMIT = b"holotable/commit/1"
SEALED = b"holotable/sealed/1"
_FORMAT = b"\x01"
_BLOCK = 512
_IV = 12
_TAG = 16
_FIXED = Struct(f">16s {_IV}s I")
"""The part of a box between the audience's name and the encrypted text."""

_FIXED_SIZE, _unpack = _FIXED.size, _FIXED.unpack_from

Opening = tuple[str, msgspec.Raw]
"""The salt in hexadecimal, and the value's canonical JSON."""

_openings = msgspec.json.Decoder(dict[str, tuple[str, msgspec.Raw]])


def commitment(
    league: UUID, stream: str, version: int, pointer: str, salt: bytes, value: bytes
) -> str:
    """
    Return the commitment to a hidden value, in hexadecimal.

    Args:
      pointer: RFC 6901 pointer of the value's place in ``data``.
      value: The value's canonical JSON.
    """
    parts = (
        COMMIT,
        league.bytes,
        hash_of_name(stream),
        version.to_bytes(8, "big"),
        sha256(pointer.encode()).digest(),
        salt,
        value,
    )
    return sha256(b"".join(parts)).hexdigest()


def seal(keys: LeagueKeys, stream: str, version: int, boxes: Mapping[str, bytes]) -> bytes:
    """
    Return one box per audience, in ascending order, in the stored form of ``sealed``.

    Args:
      boxes: By audience, the canonical ``{pointer: [salt, value]}``.
    """
    cipher = keys.cipher(stream)
    context = _context(keys.league, stream) + version.to_bytes(8, "big")
    parts = [_FORMAT]
    for audience in sorted(boxes):
        name = audience.encode()
        text = boxes[audience]
        padded = text + b" " * (-len(text) % _BLOCK)
        iv = keys.random(_IV)
        closed = cipher.encrypt(iv, padded, context + name)
        parts += [
            bytes((len(name),)),
            name,
            keys.key_id.bytes,
            iv,
            len(closed).to_bytes(4, "big"),
            closed,
        ]
    return b"".join(parts)


def unseal(
    keys: LeagueKeys, stream: str, version: int, sealed: bytes, audiences: tuple[str, ...] | None
) -> dict[str, dict[str, Opening]]:
    """
    Open the boxes of *audiences* (all boxes, if ``None``) and return their contents.

    An audience without a box is left out: the event hides nothing for it.

    Raises:
      EventUnreadable: If a box is damaged, in an unknown format, or not this event's.
    """
    return contents_of(texts_in(keys, stream, version, sealed, audiences), stream, version)


def contents_of(
    texts: Mapping[str, bytes], stream: str, version: int
) -> dict[str, dict[str, Opening]]:
    """
    Return the contents of boxes by audience, from their texts.

    Raises:
      EventUnreadable: If a text holds no openings.
    """
    found: dict[str, dict[str, Opening]] = {}
    known, holds = b"", {}
    for audience, text in texts.items():
        if text != known:  # two audiences often see the same text
            known, holds = text, _read(text, stream, version)
        found[audience] = holds
    return found


def texts_in(
    keys: LeagueKeys, stream: str, version: int, sealed: bytes, audiences: tuple[str, ...] | None
) -> dict[str, bytes]:
    """
    Open the boxes as :func:`unseal` does, and return their texts without padding.

    Raises:
      EventUnreadable: If a box is damaged, in an unknown format, or not this event's.
    """
    cipher = keys.cipher(stream)
    context = _context(keys.league, stream) + version.to_bytes(8, "big")
    wanted = None if audiences is None else _names(audiences)
    key_here = keys.key_id.bytes
    found: dict[str, bytes] = {}
    if sealed[:1] != _FORMAT:
        raise EventUnreadable("the sealed values are in an unknown format")
    at, end, before = 1, len(sealed), b""
    while at < end:
        name_ends = at + 1 + sealed[at]
        begins = name_ends + _FIXED_SIZE
        if begins > end:
            raise EventUnreadable("the sealed values are cut short")
        key_id, iv, length = _unpack(sealed, name_ends)
        name, at = sealed[at + 1 : name_ends], begins + length
        if at > end or length < _TAG:
            raise EventUnreadable("the sealed values are cut short")
        if name <= before:
            raise EventUnreadable("boxes are in the wrong order, or repeated")
        before = name
        if wanted is not None and name not in wanted:
            continue
        if key_id != key_here:
            raise EventUnreadable("a box was sealed with an unknown key")
        try:
            text = cipher.decrypt(iv, sealed[begins:at], context + name)
            # Stripping the padding is faster than decoding it, and without an argument most of all.
            found[name.decode()] = text.rstrip()
        except InvalidTag as error:
            raise EventUnreadable("a box does not open", stream=stream, version=version) from error
        except UnicodeDecodeError as error:
            raise EventUnreadable(
                "a box has no audience", stream=stream, version=version
            ) from error
    return found


@lru_cache(maxsize=4096)
def _context(league: UUID, stream: str) -> bytes:
    """Return the authenticated context of a stream's boxes, without version and audience."""
    return SEALED + league.bytes + hash_of_name(stream)


@lru_cache(maxsize=4096)
def _names(audiences: tuple[str, ...]) -> frozenset[bytes]:
    return frozenset(map(str.encode, audiences))


def _read(text: bytes, stream: str, version: int) -> dict[str, Opening]:
    try:
        return _openings.decode(text)
    except msgspec.MsgspecError as error:
        raise EventUnreadable("a box holds no openings", stream=stream, version=version) from error
