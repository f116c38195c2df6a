"""The decisions of commands about entry."""

from typing import Never

from engine.decider import Cases
from engine.tournament.entering import changing, checking_in, drafts, extending, late, places
from engine.tournament.model.commands.entering import (
    AnnounceDraft,
    AnswerOffer,
    Approve,
    ChangeTerms,
    CheckIn,
    CloseLateRegistration,
    CloseRegistration,
    DiscardDraft,
    Draft,
    ExpireOffer,
    ExtendEntryTimes,
    OpenCheckIn,
    PostNotice,
    RecordPurge,
    Refuse,
    UndoCheckIn,
)
from engine.tournament.model.errors import TournamentNotAnnounced
from engine.tournament.model.events import Event
from engine.tournament.model.events.entering import AnnouncementPosted
from engine.tournament.model.state import Drafted, Running, State, Unannounced, registering_of
from engine.tournament.results import ranking


def _approve(state: State, command: Approve) -> tuple[Event, ...]:
    if isinstance(state, Running):
        return late.approve(state, command)
    return places.approve(registering_of(state), command)


def _refuse(state: State, command: Refuse) -> tuple[Event, ...]:
    known = state if isinstance(state, Running) else registering_of(state)
    return places.refuse(known, command)


def _posted(state: State, command: PostNotice) -> tuple[AnnouncementPosted, ...]:
    """
    Return the announcement of the staff to the players.

    Raises:
        TournamentNotAnnounced: If the tournament is not announced yet.
    """
    if isinstance(state, Unannounced | Drafted):
        raise TournamentNotAnnounced
    return (AnnouncementPosted(text=command.text, at=command.now),)


DECIDED = (
    Cases[State, Never, tuple[Event, ...]]()
    .on(Draft, drafts.draft)
    .on(AnnounceDraft, drafts.announce)
    .on(DiscardDraft, lambda state, _: drafts.discard(state))
    .on(ChangeTerms, changing.change)
    .on(Approve, _approve)
    .on(Refuse, _refuse)
    .on(AnswerOffer, places.answer)
    .on(ExpireOffer, places.expire)
    .on(ExtendEntryTimes, extending.extend)
    .on(OpenCheckIn, checking_in.open_check_in)
    .on(CheckIn, checking_in.check_in)
    .on(UndoCheckIn, checking_in.undo)
    .on(CloseRegistration, places.close)
    .on(CloseLateRegistration, late.close)
    .on(RecordPurge, ranking.purge)
    .on(PostNotice, _posted)
)
