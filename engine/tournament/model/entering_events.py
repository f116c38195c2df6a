"""What can have happened to those who want to get in, until the last of them sits."""

from datetime import datetime
from typing import Literal

import msgspec

from engine.tournament.model.entering_values import SeatDraw
from engine.tournament.model.terms_announced import Terms
from engine.values import Chips, EntrantId, PlayerId, Seat, TableId, TextRef


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class TournamentDrafted(Terms, frozen=True, kw_only=True, tag="tournament_drafted"):
    """Terms that the staff alone sees; nothing follows from them."""


class TermsRevised(Terms, frozen=True, kw_only=True, tag="terms_revised"):
    """A draft's terms, whole, in place of those before."""


class DraftDiscarded(_Event, frozen=True, kw_only=True, tag="draft_discarded"):
    """A draft was given up; nothing follows it."""

    rule: str


class EntryRequested(_Event, frozen=True, kw_only=True, tag="entry_requested"):
    entrant: EntrantId
    player: PlayerId
    bot: bool
    rule: str


class EntryRequestWithdrawn(_Event, frozen=True, kw_only=True, tag="entry_request_withdrawn"):
    entrant: EntrantId


class EntryApproved(_Event, frozen=True, kw_only=True, tag="entry_approved"):
    """A place, or one in line, follows in the same append."""

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
    """In line, from 1; numbers of those who left are not used again."""
    rule: str


class PlaceOffered(_Event, frozen=True, kw_only=True, tag="place_offered"):
    """A place is kept for who is first in line."""

    entrant: EntrantId
    until: datetime
    candidates: tuple[EntrantId, ...]
    """Who might have been asked, in line; the first was."""
    rule: str


class OfferWithdrawn(_Event, frozen=True, kw_only=True, tag="offer_withdrawn"):
    """Registration has closed: nobody is asked any more, and the place in line stays."""

    entrant: EntrantId
    rule: str


class WaitlistLeft(_Event, frozen=True, kw_only=True, tag="waitlist_left"):
    entrant: EntrantId
    cause: Literal["withdrawn", "declined", "expired", "closed"]
    rule: str


class WaitlistTaken(_Event, frozen=True, kw_only=True, tag="waitlist_taken"):
    """Registration has closed and a place is free: who is first in line gets it, unasked."""

    entrant: EntrantId
    candidates: tuple[EntrantId, ...]
    """Who might have got it, in line; the first did."""
    rule: str


class CheckInOpened(_Event, frozen=True, kw_only=True, tag="check_in_opened"):
    rule: str


class EntrantCheckedIn(_Event, frozen=True, kw_only=True, tag="entrant_checked_in"):
    """Somebody said to be there; after the start, who was seated absent has come."""

    entrant: EntrantId
    rule: str


class NoShowReleased(_Event, frozen=True, kw_only=True, tag="no_show_released"):
    """The place of somebody who has not checked in is free."""

    entrant: EntrantId
    rule: str


class NoShowSeated(_Event, frozen=True, kw_only=True, tag="no_show_seated"):
    """Somebody who has not checked in is dealt in and folded, until they come."""

    entrant: EntrantId
    rule: str


class NoShowPurged(_Event, frozen=True, kw_only=True, tag="no_show_purged"):
    """Who never came leaves the table, and *stack* leaves play."""

    entrant: EntrantId
    table: TableId
    stack: Chips
    struck: bool
    """Whether the entry counts no more: no place, and its buy-in is out of the pool."""

    raised: tuple[EntrantId, ...]
    """Who was out before, and is one place higher now that one less has entered."""

    rule: str


class StartPostponed(_Event, frozen=True, kw_only=True, tag="start_postponed"):
    """Too few had come: registration is open again, and everybody checks in anew."""

    until: datetime
    registration_closes_at: datetime | None
    """None for at the start."""
    check_in_opens_at: datetime | None
    entrants: int
    number: int
    """How often the start has been put off, this time included."""
    last_hands_at: datetime | None
    """Put off with the start; none where the terms name no hour for it."""
    rounds_start_at: tuple[datetime, ...]
    """The hours of later rounds, put off with the start."""
    rule: str


class LateRegistrationOpened(_Event, frozen=True, kw_only=True, tag="late_registration_opened"):
    """Players may come until the end of *level*, or until an instant."""

    level: int | None
    until: datetime | None
    rule: str


class LateRegistrationClosed(_Event, frozen=True, kw_only=True, tag="late_registration_closed"):
    """Nobody comes any more; the order in which tables break is final."""

    breaking_order: tuple[int, ...]
    rule: str


class LateSeatDrawn(_Event, frozen=True, kw_only=True, tag="late_seat_drawn"):
    entrant: EntrantId
    table: TableId
    seat: Seat
    draw: SeatDraw
    rule: str


class TableAdded(_Event, frozen=True, kw_only=True, tag="table_added"):
    """Every seat was taken: a table is opened for who came; it breaks before the others."""

    table: TableId
    number: int
    entrant: EntrantId
    seat: Seat
    chips: Chips
    rule: str


class PlacesLowered(_Event, frozen=True, kw_only=True, tag="places_lowered"):
    """One more has come: whoever is out already is one place further down."""

    by: int
    entrants: tuple[EntrantId, ...]
    rule: str


class AnnouncementPosted(_Event, frozen=True, kw_only=True, tag="announcement_posted"):
    """The staff tells the players something."""

    text: TextRef
    at: datetime


Event = (
    TournamentDrafted
    | TermsRevised
    | DraftDiscarded
    | EntryRequested
    | EntryRequestWithdrawn
    | EntryApproved
    | EntryRefused
    | EntrantWaitlisted
    | PlaceOffered
    | OfferWithdrawn
    | WaitlistLeft
    | WaitlistTaken
    | CheckInOpened
    | EntrantCheckedIn
    | NoShowReleased
    | NoShowSeated
    | NoShowPurged
    | StartPostponed
    | LateRegistrationOpened
    | LateRegistrationClosed
    | LateSeatDrawn
    | TableAdded
    | PlacesLowered
    | AnnouncementPosted
)
