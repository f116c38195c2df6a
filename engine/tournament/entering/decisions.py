"""Which events a command about entering leads to."""

from typing import assert_never

from engine.tournament.entering import checking_in, drafts, late, places
from engine.tournament.model.entering_commands import (
    AnnounceDraft,
    AnswerOffer,
    Approve,
    CheckIn,
    CloseLateRegistration,
    CloseRegistration,
    Command,
    DiscardDraft,
    Draft,
    ExpireOffer,
    OpenCheckIn,
    PostNotice,
    RecordPurge,
    Refuse,
)
from engine.tournament.model.entering_events import AnnouncementPosted
from engine.tournament.model.errors import TournamentNotAnnounced
from engine.tournament.model.events import Event
from engine.tournament.model.state import Drafted, Running, State, Unannounced, registering_of
from engine.tournament.results import ranking


def decide(state: State, command: Command) -> tuple[Event, ...]:
    """
    Return the events that *command* causes in *state*; none if it is already so.

    Raises:
        CommandRejected: If the rules forbid the command.
    """
    match command:
        case Draft():
            return drafts.draft(state, command)
        case AnnounceDraft():
            return drafts.announce(state, command)
        case DiscardDraft():
            return drafts.discard(state)
        case Approve():
            if isinstance(state, Running):
                return late.approve(state, command)
            return places.approve(registering_of(state), command)
        case Refuse():
            known = state if isinstance(state, Running) else registering_of(state)
            return places.refuse(known, command)
        case AnswerOffer():
            return places.answer(state, command)
        case ExpireOffer():
            return places.expire(state, command)
        case OpenCheckIn():
            return checking_in.open_check_in(state, command)
        case CheckIn():
            return checking_in.check_in(state, command)
        case CloseRegistration():
            return places.close(state, command)
        case CloseLateRegistration():
            return late.close(state, command)
        case RecordPurge():
            return ranking.purge(state, command)
        case PostNotice():
            return _posted(state, command)
        case _:
            assert_never(command)


def _posted(state: State, command: PostNotice) -> tuple[AnnouncementPosted, ...]:
    """Return what the staff tells the players; Raises TournamentNotAnnounced before there are."""
    if isinstance(state, Unannounced | Drafted):
        raise TournamentNotAnnounced
    return (AnnouncementPosted(text=command.text, at=command.now),)
