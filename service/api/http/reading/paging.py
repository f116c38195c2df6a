"""Opaque tokens for places in the log and in lists. Clients store them and never read them."""

import base64
import binascii
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

import msgspec

from service.base.errors import BadRequest
from service.log.addresses import position_token, token

__all__ = ["position_token", "token"]

POSITION_END = 2**62
"""A limit above every position. Forged positions beyond it must not reach the database."""


Item_co = TypeVar("Item_co", covariant=True)


class Page(msgspec.Struct, Generic[Item_co], frozen=True, kw_only=True):
    """Part of a list. ``next_cursor`` leads to the next page and is null on the last."""

    items: Sequence[Item_co]
    next_cursor: str | None = None


# The shapes are known when it is called, one for each part.
def parts_of(text: str, *shapes: type) -> list[Any]:
    """
    Return the parts of a token made by :func:`token`.

    Args:
        shapes: The expected types of the parts, in order.

    Raises:
        BadRequest: ``invalid_cursor`` if *text* is not a token with these types.
    """
    try:
        raw = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        parts = msgspec.json.decode(raw, type=list)
    except (UnicodeEncodeError, binascii.Error, ValueError, msgspec.DecodeError) as error:
        raise BadRequest("invalid_cursor", "the cursor is not from this server") from error
    if [type(part) for part in parts] != list(shapes):
        raise BadRequest("invalid_cursor", "the cursor belongs to another list")
    if any(isinstance(part, int) and not -1 <= part < POSITION_END for part in parts):
        raise BadRequest("invalid_cursor", "the cursor is not from this server")
    if any(isinstance(part, str) and "\0" in part for part in parts):
        raise BadRequest("invalid_cursor", "the cursor is not from this server")
    return list(parts)


def position_parts(text: str, league: str) -> tuple[int, int]:
    """
    Return epoch and position of a token.

    Raises:
        BadRequest: ``invalid_cursor`` if the token belongs to another league.
    """
    number, epoch, position = parts_of(text, str, int, int)
    if f"lge_{number}" != league:
        raise BadRequest("invalid_cursor", "the position belongs to another league")
    return int(epoch), int(position)


def instant_in(key: str) -> datetime:
    """
    Return the instant in a cursor's key, which :meth:`datetime.isoformat` wrote.

    Raises:
        BadRequest: ``invalid_cursor`` if it is no instant with an offset.
    """
    try:
        found = datetime.fromisoformat(key)
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        pass  # refused below
    raise BadRequest("invalid_cursor", "the cursor is not from this server")
