"""What can be asked of those who enter, and by them."""

from datetime import datetime

import msgspec

from engine.kit.beacon import Chain
from engine.tournament.model.terms_announced import Terms
from engine.tournament.model.values import Standing
from engine.values import EntrantId, TableId, TextRef


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Draft(_Command, frozen=True, kw_only=True, tag="draft"):
    """Write down terms that only the staff sees, or write them anew."""

    terms: Terms
    beacon: Chain | None = None
    now: datetime


class AnnounceDraft(_Command, frozen=True, kw_only=True, tag="announce_draft"):
    """Publish the terms of a draft as they stand."""

    now: datetime


class DiscardDraft(_Command, frozen=True, kw_only=True, tag="discard_draft"):
    """Give a draft up: it is never announced."""

    now: datetime


class Approve(_Command, frozen=True, kw_only=True, tag="approve"):
    entrant: EntrantId
    table_ids: tuple[TableId, ...] = ()
    """For a table that has to be added; needed once play has begun."""
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
    """The time of an offer is over; nothing happens before, or if it was answered."""

    entrant: EntrantId
    now: datetime


class OpenCheckIn(_Command, frozen=True, kw_only=True, tag="open_check_in"):
    """Nothing happens before its time."""

    now: datetime


class CheckIn(_Command, frozen=True, kw_only=True, tag="check_in"):
    """Say that an entrant, or somebody who waits, is there."""

    entrant: EntrantId
    table_ids: tuple[TableId, ...] = ()
    """For a table that has to be added; needed once play has begun."""
    now: datetime


class CloseRegistration(_Command, frozen=True, kw_only=True, tag="close_registration"):
    """Take no more entrants before the start."""

    scheduled: bool = False
    """Whether a clock asks: nothing happens before the announced time."""
    now: datetime


class CloseLateRegistration(_Command, frozen=True, kw_only=True, tag="close_late_registration"):
    scheduled: bool = False
    """Whether a clock asks: nothing happens before the announced time."""
    now: datetime


class RecordPurge(_Command, frozen=True, kw_only=True, tag="record_purge"):
    """Those who never came leave their table with all they have."""

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
    | Approve
    | Refuse
    | AnswerOffer
    | ExpireOffer
    | OpenCheckIn
    | CheckIn
    | CloseRegistration
    | CloseLateRegistration
    | RecordPurge
    | PostNotice
)
