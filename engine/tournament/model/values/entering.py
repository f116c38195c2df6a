"""The parts of a tournament's state before entry."""

from datetime import datetime

import msgspec

from engine.tournament.model.terms.changeable import TermsChange
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


class Entering(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a tournament's state that concerns entry."""

    applicants: tuple[Applicant, ...] = ()
    """Applicants who wait for approval or were refused, in the order of applying."""

    waiting: tuple[Applicant, ...] = ()
    """The waitlist in order, with those who have an offer."""

    lined_up: int = 0
    """The last waitlist position that was given."""

    check_in_opened: bool = False
    checked_in: frozenset[EntrantId] = frozenset()
    """Entrants who have checked in, and players on the waitlist who have."""

    absent: frozenset[EntrantId] = frozenset()
    """No-shows who were seated and have not arrived."""

    postponements: int = 0
    """The number of postponements."""

    late: bool = False
    """True if late registration is open."""

    late_until: datetime | None = None
    """The instant at which late registration ends, or None if a level ends it."""

    late_since: datetime | None = None
    """The instant from which outages lengthen late registration. None if a level ends it."""

    notices: tuple[Notice, ...] = ()
    changes: tuple[TermsChange, ...] = ()
    """The changes of the announced terms, the oldest first."""

    def applicant(self, entrant: EntrantId) -> Applicant | None:
        """Return the applicant or refused applicant *entrant*, or None if there is none."""
        return next((each for each in self.applicants if each.entrant == entrant), None)

    def waiter(self, entrant: EntrantId) -> Applicant | None:
        """Return the waitlist entry of *entrant*, or None if there is none."""
        return next((each for each in self.waiting if each.entrant == entrant), None)

    def offers(self) -> tuple[Applicant, ...]:
        """Return the waitlist entries with an offer, in order."""
        return tuple(each for each in self.waiting if each.offered_until is not None)
