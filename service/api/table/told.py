"""
A player's knowledge of leagues and tournaments, which is the content of a cursor.

A cursor of a player's stream is no place in a log. It holds the facts that its reader knows. The
server compares them with the present facts and sends the differences. It keeps nothing itself.
"""

import base64
import binascii
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, TypeVar
from uuid import UUID

import msgspec
from msgspec import Meta

from engine.dispute.state import Phase as DisputePhase
from engine.tournament.model.state import Phase
from engine.values import identifier, number_of
from service.api.table.my_items import EntryStatus
from service.base.errors import BadRequest

_Value = TypeVar("_Value")

_FORM = 1
"""The form of the cursor. Readers with another one begin again."""

_FEW = Meta(max_length=300)
"""Each tournament in a forged cursor would be loaded. Real ones do not fit into a header."""

_Number = Annotated[int, Meta(ge=0, lt=2**31)]


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """A player's knowledge of one tournament."""

    state: Phase | None = None
    check_in: bool = False
    entrant: UUID | None = None
    entry: EntryStatus | None = None
    offer: datetime | None = None
    rebuy: bool | None = None
    """None without an open window. True if a rebuy is allowed in it."""

    table: UUID | None = None
    seat: _Number = 0
    version: _Number = 0
    """The version of ``table`` up to which the ends of its hands are known."""

    decision: Annotated[str, Meta(max_length=80)] | None = None
    """The open decision at ``table`` that waits for the player."""

    deadline: datetime | None = None


NOTHING = Facts()
"""A player's knowledge of a tournament before the first item."""


class _League(msgspec.Struct, frozen=True, array_like=True):
    league: UUID
    epoch: int
    tournaments: Annotated[tuple[tuple[UUID, Facts], ...], _FEW]
    disputes: Annotated[tuple[tuple[UUID, DisputePhase], ...], _FEW]


class _Cursor(msgspec.Struct, frozen=True, array_like=True):
    form: int
    leagues: tuple[_League, ...]


class InLeague(msgspec.Struct):
    """A player's knowledge of one league."""

    epoch: int
    tournaments: dict[str, Facts] = {}
    """Facts by tournament, without tournaments that are over."""

    disputes: dict[str, DisputePhase] = {}
    """The disputes without a ruling in force."""


_encoder = msgspec.msgpack.Encoder(uuid_format="bytes")
_decoder = msgspec.msgpack.Decoder(_Cursor)


def cursor_of(told: dict[str, InLeague]) -> str:
    """Return the cursor of a reader who knows *told*, by league."""
    leagues = tuple(
        _League(
            number_of(league),
            known.epoch,
            tuple((number_of(name), facts) for name, facts in known.tournaments.items()),
            tuple((number_of(name), phase) for name, phase in known.disputes.items()),
        )
        for league, known in told.items()
    )
    packed = _encoder.encode(_Cursor(_FORM, leagues))
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def told_of(cursor: str | None) -> dict[str, InLeague]:
    """
    Return the knowledge of the reader with this cursor, by league.

    Raises:
        BadRequest: ``invalid_cursor`` if the text is no cursor of a player's stream.
    """
    if cursor is None:
        return {}
    try:
        packed = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        found = _decoder.decode(packed)
    except (UnicodeEncodeError, binascii.Error, ValueError, msgspec.MsgspecError) as error:
        raise BadRequest("invalid_cursor", "the cursor is not from this stream") from error
    if found.form != _FORM:
        raise BadRequest("invalid_cursor", "the cursor is of an earlier server; begin again")
    return {
        identifier("lge", each.league): InLeague(
            each.epoch,
            dict(_named("trn", each.tournaments)),
            dict(_named("dsp", each.disputes)),
        )
        for each in found.leagues
    }


def _named(prefix: str, found: Iterable[tuple[UUID, _Value]]) -> Iterable[tuple[str, _Value]]:
    return ((identifier(prefix, number), each) for number, each in found)
