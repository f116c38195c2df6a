"""The events of entry, until the last entrant has a seat."""

from datetime import datetime
from typing import Literal

import msgspec

from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.values.entering import SeatDraw
from engine.values import Chips, EntrantId, PlayerId, Seat, TableId, TextRef


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class TournamentDrafted(Terms, frozen=True, kw_only=True, tag="tournament_drafted"):
    """A draft of the terms was saved. Only the staff see it, and nothing follows from it."""


class TermsRevised(Terms, frozen=True, kw_only=True, tag="terms_revised"):
    """A draft's terms were replaced. The event holds the complete new terms."""


class DraftDiscarded(_Event, frozen=True, kw_only=True, tag="draft_discarded"):
    """A draft was discarded. No event follows."""

    rule: str


class TermsChanged(Terms, frozen=True, kw_only=True, tag="terms_changed"):
    """
    Staff changed announced terms. The event holds the complete new terms.

    The ruleset, the season and the league are always those of the announcement.
    """

    by: PlayerId
    """The member of staff."""
    reason: TextRef
    check_in_again: bool
    """True if check-in had opened and now opens later. Everyone checks in again."""
    late_registration_until: datetime | None
    """The end of late registration, or null if it is not open or ends with a level."""
    rule: str


class EntryRequested(_Event, frozen=True, kw_only=True, tag="entry_requested"):
    entrant: EntrantId
    player: PlayerId
    bot: bool
    rule: str


class EntryRequestWithdrawn(_Event, frozen=True, kw_only=True, tag="entry_request_withdrawn"):
    entrant: EntrantId
    by: PlayerId | None
    """The member of staff who did it for the player. Null if the player or the house did."""


class EntryApproved(_Event, frozen=True, kw_only=True, tag="entry_approved"):
    """
    A director approved an applicant. The entry, or the waitlist position, follows in the same
    append.
    """

    entrant: EntrantId
    rule: str


class EntryRefused(_Event, frozen=True, kw_only=True, tag="entry_refused"):
    entrant: EntrantId
    reason: TextRef
    rule: str


class EntrantWaitlisted(_Event, frozen=True, kw_only=True, tag="entrant_waitlisted"):
    entrant: EntrantId
    player: PlayerId
    bot: bool
    number: int
    """The waitlist position, from 1. Numbers of entrants who left are not used again."""
    by: PlayerId | None
    """The member of staff who did it for the player. Null if the player or the house did."""
    rule: str


class PlaceOffered(_Event, frozen=True, kw_only=True, tag="place_offered"):
    """A free place was offered to the first on the waitlist."""

    entrant: EntrantId
    until: datetime
    candidates: tuple[EntrantId, ...]
    """Everyone who could have got the offer, in the order of the waitlist. The first one got it."""
    rule: str


class OfferExtended(_Event, frozen=True, kw_only=True, tag="offer_extended"):
    """An offer got the time again in which nobody could act. It never outlasts registration."""

    entrant: EntrantId
    at: datetime
    """The instant up to which outages are included in the new end."""
    until: datetime
    rule: str


class OfferWithdrawn(_Event, frozen=True, kw_only=True, tag="offer_withdrawn"):
    """Registration closed, so the offer ended. The entrant stays on the waitlist."""

    entrant: EntrantId
    rule: str


class WaitlistLeft(_Event, frozen=True, kw_only=True, tag="waitlist_left"):
    entrant: EntrantId
    cause: Literal["withdrawn", "declined", "expired", "closed"]
    by: PlayerId | None
    """The member of staff who did it for the player. Null if the player or the house did."""
    rule: str


class WaitlistTaken(_Event, frozen=True, kw_only=True, tag="waitlist_taken"):
    """
    Registration closed with a place free, so the first on the waitlist got it without an offer.
    """

    entrant: EntrantId
    candidates: tuple[EntrantId, ...]
    """Everyone who could have got the place, in the order of the waitlist. The first one got it."""
    rule: str


class CheckInOpened(_Event, frozen=True, kw_only=True, tag="check_in_opened"):
    rule: str


class EntrantCheckedIn(_Event, frozen=True, kw_only=True, tag="entrant_checked_in"):
    """An entrant checked in. After the start, a no-show who was seated has arrived."""

    entrant: EntrantId
    by: PlayerId | None
    """The member of staff who did it for the player. Null if the player or the house did."""
    rule: str


class CheckInUndone(_Event, frozen=True, kw_only=True, tag="check_in_undone"):
    """Staff undid a check-in before play. The entrant may check in again."""

    entrant: EntrantId
    by: PlayerId
    rule: str


class NoShowReleased(_Event, frozen=True, kw_only=True, tag="no_show_released"):
    """A no-show lost the place, and it is free."""

    entrant: EntrantId
    rule: str


class NoShowSeated(_Event, frozen=True, kw_only=True, tag="no_show_seated"):
    """A no-show was seated. Each hand is dealt and folded until the player arrives."""

    entrant: EntrantId
    rule: str


class NoShowPurged(_Event, frozen=True, kw_only=True, tag="no_show_purged"):
    """A no-show who never arrived left the table, and *stack* left play."""

    entrant: EntrantId
    table: TableId
    stack: Chips
    struck: bool
    """True if the entry no longer counts: it gets no place, and its buy-in leaves the pool."""

    raised: tuple[EntrantId, ...]
    """Entrants who were out before. Each moves up one place, because there is one entrant fewer."""

    rule: str


class StartPostponed(_Event, frozen=True, kw_only=True, tag="start_postponed"):
    """
    The start was postponed because of too few entrants. Registration is open again, and
    everyone checks in again.
    """

    until: datetime
    registration_closes_at: datetime | None
    """Null if registration closes at the start."""
    check_in_opens_at: datetime | None
    entrants: int
    number: int
    """The number of postponements, this one included."""
    last_hands_at: datetime | None
    """The new instant, moved with the start, or null if the terms name none."""
    rounds_start_at: tuple[datetime, ...]
    """The new instants of later rounds, moved with the start."""
    rule: str


class LateRegistrationOpened(_Event, frozen=True, kw_only=True, tag="late_registration_opened"):
    """Late registration opened, until the end of *level* or until an instant."""

    level: int | None
    until: datetime | None
    rule: str


class LateRegistrationExtended(_Event, frozen=True, kw_only=True, tag="late_registration_extended"):
    """Late registration got the time again in which nobody could act."""

    at: datetime
    """The instant up to which outages are included in the new end."""
    until: datetime
    rule: str


class LateRegistrationClosed(_Event, frozen=True, kw_only=True, tag="late_registration_closed"):
    """Late registration closed. The order in which tables break is now final."""

    breaking_order: tuple[int, ...]
    rule: str


class LateSeatDrawn(_Event, frozen=True, kw_only=True, tag="late_seat_drawn"):
    entrant: EntrantId
    table: TableId
    seat: Seat
    draw: SeatDraw
    rule: str


class TableAdded(_Event, frozen=True, kw_only=True, tag="table_added"):
    """
    A table was added for a late entrant because every seat was taken. It breaks before the
    others.
    """

    table: TableId
    number: int
    entrant: EntrantId
    seat: Seat
    chips: Chips
    rule: str


class PlacesLowered(_Event, frozen=True, kw_only=True, tag="places_lowered"):
    """A late entrant came, so every eliminated entrant moves down one place."""

    by: int
    entrants: tuple[EntrantId, ...]
    rule: str


class AnnouncementPosted(_Event, frozen=True, kw_only=True, tag="announcement_posted"):
    """The staff posted an announcement for the players."""

    text: TextRef
    at: datetime


Event = (
    TournamentDrafted
    | TermsRevised
    | DraftDiscarded
    | TermsChanged
    | EntryRequested
    | EntryRequestWithdrawn
    | EntryApproved
    | EntryRefused
    | EntrantWaitlisted
    | PlaceOffered
    | OfferExtended
    | OfferWithdrawn
    | WaitlistLeft
    | WaitlistTaken
    | CheckInOpened
    | EntrantCheckedIn
    | CheckInUndone
    | NoShowReleased
    | NoShowSeated
    | NoShowPurged
    | StartPostponed
    | LateRegistrationOpened
    | LateRegistrationExtended
    | LateRegistrationClosed
    | LateSeatDrawn
    | TableAdded
    | PlacesLowered
    | AnnouncementPosted
)
