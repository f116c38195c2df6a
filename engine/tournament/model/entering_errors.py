"""Why somebody does not get in, or not now."""

from datetime import datetime

from engine.errors import CommandRejected


class NotADraft(CommandRejected):
    """The terms have been announced and do not change any more."""

    code = "not_a_draft"
    rule = "entry.draft"

    def __init__(self, *, phase: str) -> None:
        super().__init__(f"the terms stand: the tournament is {phase}", phase=phase)


class NoSeatFree(CommandRejected):
    """There are places left, and no seat: a new table would lag behind the others."""

    code = "no_seat_free"
    rule = "seating.table_added"

    def __init__(self, *, tables: int, table_seats: int) -> None:
        super().__init__(
            f"all seats of the {tables} tables are taken, and no table is added where each has"
            " levels, or counts hands, of its own; come again when somebody is out",
            tables=tables,
            table_seats=table_seats,
        )


class ApplicantUnknown(CommandRejected):
    """Nobody asks for approval under this entry."""

    code = "applicant_unknown"
    rule = "entry.approval"

    def __init__(self) -> None:
        super().__init__("nobody asks for approval under this entry")


class EntryRefused(CommandRejected):
    """A director has refused this player's entry."""

    code = "entry_refused"
    rule = "entry.approval"

    def __init__(self) -> None:
        super().__init__("a director has refused this entry")


class NoOffer(CommandRejected):
    """No place is kept for this player."""

    code = "no_offer"
    rule = "waitlist.offer"

    def __init__(self) -> None:
        super().__init__("no place is kept for this entry")


class OfferExpired(CommandRejected):
    """The offer was open until a moment that is past."""

    code = "offer_expired"
    rule = "waitlist.expired"

    def __init__(self, *, until: datetime) -> None:
        super().__init__("the offer is over", until=until.isoformat())


class CheckInNotOpen(CommandRejected):
    """Nobody checks in yet, or in this tournament."""

    code = "check_in_not_open"
    rule = "check_in"

    def __init__(self, *, opens_at: datetime | None) -> None:
        super().__init__(
            "check-in is not open", opens_at=None if opens_at is None else opens_at.isoformat()
        )


class OfficeHeld(CommandRejected):
    """Play has begun, and the player holds an office that could have ruled on it."""

    code = "office_held"
    rule = "entry.staff"

    def __init__(self) -> None:
        super().__init__(
            "staff enter before play begins: whoever holds an office, or has held one since then, "
            "could rule on this tournament or open its cards"
        )


class ReEntryNotAllowed(CommandRejected):
    """The player has been out too often, or may not come back here."""

    code = "re_entry_not_allowed"
    rule = "entry.re_entry"

    def __init__(self, *, re_entries_max: int) -> None:
        super().__init__(
            f"a player may enter again {re_entries_max} times", re_entries_max=re_entries_max
        )
