"""Why somebody does not get in, or not now."""

from datetime import datetime

from engine.errors import CommandRejected


class NotADraft(CommandRejected):
    """The terms have been announced and do not change any more."""

    code = "not_a_draft"
    rule = "entry.draft"
    detail = "the terms stand: the tournament is {phase}"

    phase: str


class NoSeatFree(CommandRejected):
    """There are places left, and no seat: a new table would lag behind the others."""

    code = "no_seat_free"
    rule = "seating.table_added"
    detail = (
        "all seats of the {tables} tables are taken, and no table is added where each has "
        "levels, or counts hands, of its own; come again when somebody is out"
    )

    tables: int
    table_seats: int


class ApplicantUnknown(CommandRejected):
    """Nobody asks for approval under this entry."""

    code = "applicant_unknown"
    rule = "entry.approval"
    detail = "nobody asks for approval under this entry"


class EntryRefused(CommandRejected):
    """A director has refused this player's entry."""

    code = "entry_refused"
    rule = "entry.approval"
    detail = "a director has refused this entry"


class NoOffer(CommandRejected):
    """No place is kept for this player."""

    code = "no_offer"
    rule = "waitlist.offer"
    detail = "no place is kept for this entry"


class OfferExpired(CommandRejected):
    """The offer was open until a moment that is past."""

    code = "offer_expired"
    rule = "waitlist.expired"
    detail = "the offer is over"

    until: datetime


class CheckInNotOpen(CommandRejected):
    """Nobody checks in yet, or in this tournament."""

    code = "check_in_not_open"
    rule = "check_in"
    detail = "check-in is not open"

    opens_at: datetime | None


class OfficeHeld(CommandRejected):
    """Play has begun, and the player holds an office that could have ruled on it."""

    code = "office_held"
    rule = "entry.staff"
    detail = (
        "staff enter before play begins: whoever holds an office, or has held one since then, "
        "could rule on this tournament or open its cards"
    )


class ReEntryNotAllowed(CommandRejected):
    """The player has been out too often, or may not come back here."""

    code = "re_entry_not_allowed"
    rule = "entry.re_entry"
    detail = "a player may enter again {re_entries_max} times"

    re_entries_max: int
