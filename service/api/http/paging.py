"""Opaque tokens: places in the log and in lists.  Clients keep them and never read them."""

import base64
import binascii
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import msgspec

from service.api.http.shell import Asked
from service.base.errors import BadRequest

LIMIT_DEFAULT = 50
LIMIT_MAX = 200
WAIT_MAX_SECONDS = 25.0
POSITION_END = 2**62
"""Above every position; a forged one must not reach the database."""


Item_co = TypeVar("Item_co", covariant=True)


class Page(msgspec.Struct, Generic[Item_co], frozen=True, kw_only=True):
    """Part of a list; ``next_cursor`` leads on, or is null at the end."""

    items: Sequence[Item_co]
    next_cursor: str | None = None


def token(*parts: str | int) -> str:
    """Return *parts* as one opaque word."""
    return base64.urlsafe_b64encode(msgspec.json.encode(parts)).rstrip(b"=").decode()


def parts_of(text: str, *shapes: type) -> list[Any]:
    """
    Return what :func:`token` was given; the types are those of *shapes*.

    Raises:
        BadRequest: ``invalid_cursor`` if it is not such a word.
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


def position_token(league: str, epoch: int, position: int) -> str:
    """Return the token of a place in a league's log."""
    return token(league.partition("_")[2], epoch, position)


def position_parts(text: str, league: str) -> tuple[int, int]:
    """Return epoch and position of a token; ``invalid_cursor`` if it is another league's."""
    number, epoch, position = parts_of(text, str, int, int)
    if f"lge_{number}" != league:
        raise BadRequest("invalid_cursor", "the position belongs to another league")
    return int(epoch), int(position)


def limit_of(request: Asked) -> int:
    """Return how many items are wanted, forced between 1 and the maximum."""
    return round(max(1.0, min(float(LIMIT_MAX), _number(request, "limit", LIMIT_DEFAULT))))


def wait_of(request: Asked) -> float:
    """Return for how many seconds the caller is willing to wait for news."""
    return max(0.0, min(WAIT_MAX_SECONDS, _number(request, "wait", 0)))


def _number(request: Asked, name: str, default: float) -> float:
    given = request.query_params.get(name)
    if given is None:
        return default
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        raise BadRequest(
            "validation_failed",
            "a query parameter is invalid",
            errors=[
                {"pointer": "", "detail": f"{name} is a whole number", "code": "invalid_value"}
            ],
        )
    return float(given)
