"""The commands of entry, from a draft of the terms to the last entrant."""

from datetime import datetime

import msgspec

from engine.kit.beacon import Chain
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.terms.changeable import ChangeableTerms
from engine.tournament.model.values import Outage, Standing
from engine.values import EntrantId, PlayerId, TableId, TextRef


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Draft(_Command, frozen=True, kw_only=True, tag="draft"):
    """Save or replace a draft of the terms. Only the staff see it."""

    terms: Terms
    beacon: Chain | None = None
    now: datetime


class AnnounceDraft(_Command, frozen=True, kw_only=True, tag="announce_draft"):
    """Publish the terms of a draft unchanged."""

    now: datetime


class DiscardDraft(_Command, frozen=True, kw_only=True, tag="discard_draft"):
    """Discard a draft. It can never be announced."""

    now: datetime


class ChangeTerms(_Command, frozen=True, kw_only=True, tag="change_terms"):
    """Change announced terms."""

    terms: ChangeableTerms
    by: PlayerId
    reason: TextRef
    table_ids: tuple[TableId, ...] = ()
    """Identifiers for a table that may have to be added. They are needed once play has begun."""
    now: datetime


class Approve(_Command, frozen=True, kw_only=True, tag="approve"):
    entrant: EntrantId
    table_ids: tuple[TableId, ...] = ()
    """Identifiers for a table that may have to be added. They are needed once play has begun."""
    now: datetime


class Refuse(_Command, frozen=True, kw_only=True, tag="refuse"):
    entrant: EntrantId
    reason: TextRef
    now: datetime


class AnswerOffer(_Command, frozen=True, kw_only=True, tag="answer_offer"):
    entrant: EntrantId
    accepted: bool
    now: datetime


class ExpireOffer(_Command, frozen=True, kw_only=True, tag="expire_offer"):
    """End an offer at its time. Before that, or after an answer, nothing happens."""

    entrant: EntrantId
    now: datetime


class ExtendEntryTimes(_Command, frozen=True, kw_only=True, tag="extend_entry_times"):
    """
    Add outages to late registration that ends by time, and to open offers.

    Nothing happens if no outage falls into these times.
    """

    outages: tuple[Outage, ...]
    """Oldest first."""
    now: datetime


class OpenCheckIn(_Command, frozen=True, kw_only=True, tag="open_check_in"):
    """Open check-in. Nothing happens before its time."""

    now: datetime


class CheckIn(_Command, frozen=True, kw_only=True, tag="check_in"):
    """Check in an entrant, or a player on the waitlist."""

    entrant: EntrantId
    table_ids: tuple[TableId, ...] = ()
    """Identifiers for a table that may have to be added. They are needed once play has begun."""
    by: PlayerId | None = None
    """The member of staff who acts for the player, if any."""
    now: datetime


class UndoCheckIn(_Command, frozen=True, kw_only=True, tag="undo_check_in"):
    """Undo a check-in before play."""

    entrant: EntrantId
    by: PlayerId
    now: datetime


class CloseRegistration(_Command, frozen=True, kw_only=True, tag="close_registration"):
    """Close registration before the start."""

    scheduled: bool = False
    """True if the clock sends this. Then nothing happens before the announced time."""
    now: datetime


class CloseLateRegistration(_Command, frozen=True, kw_only=True, tag="close_late_registration"):
    scheduled: bool = False
    """True if the clock sends this. Then nothing happens before the announced time."""
    now: datetime


class RecordPurge(_Command, frozen=True, kw_only=True, tag="record_purge"):
    """Record that seated no-shows leave their table, with all their chips."""

    table: TableId
    stacks: tuple[Standing, ...]
    now: datetime


class PostNotice(_Command, frozen=True, kw_only=True, tag="post_notice"):
    text: TextRef
    now: datetime


Command = (
    Draft
    | AnnounceDraft
    | DiscardDraft
    | ChangeTerms
    | Approve
    | Refuse
    | AnswerOffer
    | ExpireOffer
    | ExtendEntryTimes
    | OpenCheckIn
    | CheckIn
    | UndoCheckIn
    | CloseRegistration
    | CloseLateRegistration
    | RecordPurge
    | PostNotice
)
