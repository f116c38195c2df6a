"""The state of entry into a tournament."""

from datetime import datetime

import msgspec

from engine.tournament.model.terms.changeable import TermsChange
from engine.tournament.model.values.entering import Applicant, Notice
from engine.values import EntrantId


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
