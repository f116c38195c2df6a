"""The refusals of entry."""

from datetime import datetime

from engine.errors import CommandRejected, Wording


class NotADraft(CommandRejected):
    """The terms were announced and cannot change."""

    code = "not_a_draft"
    rule = "entry.draft"
    detail = "the terms cannot change: the tournament is {phase}"

    phase: str


class NoSeatFree(CommandRejected):
    """No seat is free, and this tournament cannot add a table."""

    code = "no_seat_free"
    rule = "seating.table_added"
    detail = (
        "all seats of the {tables} tables are taken, and no table can be added because each "
        "table counts its own levels or hands; come again when somebody is out"
    )

    tables: int
    table_seats: int


class ApplicantUnknown(CommandRejected):
    """No applicant waits for approval under this entry."""

    code = "applicant_unknown"
    rule = "entry.approval"
    detail = "no applicant waits for approval under this entry"


class EntryRefused(CommandRejected):
    """A director refused this entry."""

    code = "entry_refused"
    rule = "entry.approval"
    detail = "a director refused this entry"


class NoOffer(CommandRejected):
    """There is no offer of a place for this entry."""

    code = "no_offer"
    rule = "waitlist.offer"
    detail = "there is no offer of a place for this entry"


class OfferExpired(CommandRejected):
    """The offer has expired."""

    code = "offer_expired"
    rule = "waitlist.expired"
    detail = "the offer has expired"

    until: datetime


class CheckInNotOpen(CommandRejected):
    """Check-in is not open, or the tournament has none."""

    code = "check_in_not_open"
    rule = "check_in"
    detail = "check-in is not open"

    opens_at: datetime | None


class OfficeHeld(CommandRejected):
    """Play has begun, and the player holds or held an office that could rule on it."""

    code = "office_held"
    rule = "entry.staff"
    detail = (
        "staff have to enter before play begins: someone who holds an office, or held one since"
        " then, could rule on this tournament or open its cards"
    )


class ReEntryNotAllowed(CommandRejected):
    """The player has no re-entry left, or may not enter again here."""

    code = "re_entry_not_allowed"
    rule = "entry.re_entry"
    detail = "a player may enter again {re_entries_max} times"

    re_entries_max: int


class TermsFixed(CommandRejected):
    """A member of the announced terms can no longer change."""

    code = "terms_fixed"
    rule = "terms.changed"
    detail = "{field} can no longer change: {problem}"

    field: str
    problem: Wording


class StartFixed(CommandRejected):
    """Play has begun, so the start can no longer change."""

    code = "start_fixed"
    rule = "terms.start"
    detail = "the start can no longer change: play has begun"


class FeesFixed(CommandRejected):
    """Somebody has entered, so the price of an entry can no longer change."""

    code = "fees_fixed"
    rule = "terms.fees"
    detail = (
        "{field} can no longer change: somebody has entered or waits at these fees; cancel this "
        "tournament and announce another one"
    )

    field: str


class LateEntryFixed(CommandRejected):
    """Play has begun, and late registration cannot change in this way."""

    code = "late_entry_fixed"
    rule = "terms.late"
    detail = "{field} cannot change: {problem}"

    field: str
    problem: Wording


class PrizesFixed(CommandRejected):
    """The prizes cannot change in this way any more. The house may add money."""

    code = "prizes_fixed"
    rule = "terms.prizes"
    detail = "{field} cannot change in this way: {problem}"

    field: str
    problem: Wording
