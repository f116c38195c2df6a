"""What a tournament knows of those who want to enter it."""

from datetime import datetime

import msgspec

from engine.values import EntrantId, PlayerId, TableId, TextRef


class Applicant(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody without a place yet: asking for approval, refused, or waiting."""

    entrant: EntrantId
    player: PlayerId
    bot: bool
    number: int = 0
    """In the line of those who wait, from 1; 0 for who asks for approval."""

    offered_until: datetime | None = None
    """Until when a place is kept for this one."""

    refused: TextRef | None = None
    """Why a director said no."""


class SeatPlace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A seat at a table."""

    table: TableId
    seat: int


class SeatDraw(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    Which random draw decided on a seat: the seed is use ``draws``, table 0, hand ``number``.

    Every free seat that might have been drawn stands in ``candidates``, by table and
    seat; shuffled under the label ``seats`` the first is the one drawn.
    """

    number: int
    candidates: tuple[SeatPlace, ...]


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """What the staff told the players."""

    text: TextRef
    at: datetime


class Entering(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a tournament's state that says who may still get in."""

    applicants: tuple[Applicant, ...] = ()
    """Who asks for approval, or was refused, in the order of asking."""

    waiting: tuple[Applicant, ...] = ()
    """In line, the first first; those with an offer too."""

    lined_up: int = 0
    """How many ever waited: the last number in line that was given."""

    check_in_opened: bool = False
    checked_in: frozenset[EntrantId] = frozenset()
    """Who has said to be there, with a place or waiting for one."""

    absent: frozenset[EntrantId] = frozenset()
    """Who was seated without having checked in, and has not come since."""

    postponements: int = 0
    """How often the start was put off."""

    late: bool = False
    """Whether players may still come, play having begun."""

    late_until: datetime | None = None
    """Where it ends at an instant and not with a level."""

    notices: tuple[Notice, ...] = ()

    def applicant(self, entrant: EntrantId) -> Applicant | None:
        """Return who asks, or was refused, as *entrant*."""
        return next((each for each in self.applicants if each.entrant == entrant), None)

    def waiter(self, entrant: EntrantId) -> Applicant | None:
        """Return who waits as *entrant*."""
        return next((each for each in self.waiting if each.entrant == entrant), None)

    def offers(self) -> tuple[Applicant, ...]:
        """Return those a place is kept for, in line."""
        return tuple(each for each in self.waiting if each.offered_until is not None)
