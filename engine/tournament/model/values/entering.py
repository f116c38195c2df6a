"""The values of entry into a tournament."""

from datetime import datetime

import msgspec

from engine.values import EntrantId, PlayerId, TableId, TextRef


class Applicant(msgspec.Struct, frozen=True, kw_only=True):
    """A player without a place: an applicant, a refused applicant, or one on the waitlist."""

    entrant: EntrantId
    player: PlayerId
    bot: bool
    number: int = 0
    """The waitlist position, from 1, or 0 for an applicant who needs approval."""

    offered_until: datetime | None = None
    """The end of an offer, or None without an offer."""

    offered_since: datetime | None = None
    """
    The instant from which outages lengthen the offer. None if it ends as registration closes,
    because no outage moves that.
    """

    refused: TextRef | None = None
    """The director's reason for a refusal."""


class SeatPlace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A seat at a table."""

    table: TableId
    seat: int


class SeatDraw(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    The random draw of a seat. Its seed has the use ``draws``, table 0, hand ``number``.

    ``candidates`` holds every free seat in the draw, by table and seat. They are shuffled under
    the label ``seats``, and the first is drawn.
    """

    number: int
    candidates: tuple[SeatPlace, ...]


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """An announcement to the players."""

    text: TextRef
    at: datetime
