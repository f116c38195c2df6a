"""How those who want to get in change a tournament, event by event."""

from typing import TypeVar

from msgspec.structs import replace

from engine.errors import InvariantViolated
from engine.tournament.evolve.seats import without
from engine.tournament.model import entering_events
from engine.tournament.model.entering_values import Applicant, Entering, Notice
from engine.tournament.model.state import (
    Announced,
    Cancelled,
    Drafted,
    Finished,
    Registering,
    Running,
    Seated,
    Seating,
    State,
    Unannounced,
)
from engine.tournament.model.terms import Rounds
from engine.tournament.model.terms_announced import Terms
from engine.values import EntrantId

Known = TypeVar("Known", bound=Terms)


def evolve(state: State, event: entering_events.Event) -> State:
    """
    Return the state after *event*, whose version is still the one before.

    Raises:
        InvariantViolated: If *event* cannot have happened in *state*.
    """
    match state, event:
        case Unannounced(), entering_events.TournamentDrafted():
            return Drafted(terms=event)
        case Drafted(), entering_events.TermsRevised():
            return replace(state, terms=event)
        case Drafted(), entering_events.DraftDiscarded():
            return replace(state, discarded=True)
        case Registering(), entering_events.StartPostponed():
            return replace(
                state,
                terms=_put_off(state.terms, event),
                closed=False,
                entering=_changed(state.entering, event),
            )
        case Registering(), entering_events.NoShowReleased():
            kept = tuple(each for each in state.entrants if each.entrant != event.entrant)
            return replace(state, entrants=kept)
        case Running(), _:
            return _while_playing(state, event)
        case ((Announced() | Registering() | Finished() | Cancelled()), _):
            return replace(state, entering=_changed(state.entering, event))
        case _:
            raise InvariantViolated(f"{type(event).__name__} cannot follow {type(state).__name__}")


def _put_off(terms: Known, event: entering_events.StartPostponed) -> Known:
    """Return *terms* with the hours that go with the start; once they did not go with it."""
    floor, plan = terms.floor, terms.format
    if event.last_hands_at is not None:
        floor = replace(floor, last_hands_at=event.last_hands_at)
    if isinstance(plan, Rounds) and event.rounds_start_at:
        plan = replace(plan, starts_at=event.rounds_start_at)
    return replace(terms, starts_at=event.until, floor=floor, format=plan)


def _while_playing(state: Running, event: entering_events.Event) -> Running:
    match event:
        case entering_events.LateSeatDrawn():
            return replace(state, draws=event.draw.number)
        case entering_events.TableAdded():
            seated = (Seated(entrant=event.entrant, seat=event.seat),)
            added = Seating(table=event.table, number=event.number, seats=seated)
            return replace(
                state,
                tables=(*state.tables, added),
                breaking_order=(event.number, *state.breaking_order),
            )
        case entering_events.PlacesLowered():
            gone = set(event.entrants)
            lowered = tuple(
                replace(each, place=each.place + event.by) if each.entrant in gone else each
                for each in state.placings
            )
            return replace(state, placings=lowered)
        case entering_events.NoShowPurged():
            purged = replace(
                state,
                tables=without(state.tables, {event.entrant}),
                entering=_changed(state.entering, event),
            )
            return _struck(purged, event) if event.struck else purged
        case _:
            return replace(state, entering=_changed(state.entering, event))


def _struck(state: Running, event: entering_events.NoShowPurged) -> Running:
    """Return *state* as if the entry had been withdrawn before play."""
    rounds = state.rounds
    if rounds is not None:
        playing = tuple(each for each in rounds.playing if each != event.entrant)
        rounds = replace(rounds, playing=playing)
    return replace(
        state,
        entrants=tuple(each for each in state.entrants if each.entrant != event.entrant),
        placings=tuple(
            replace(each, place=each.place - 1) if each.entrant in event.raised else each
            for each in state.placings
        ),
        rounds=rounds,
    )


def placed(entering: Entering, entrant: EntrantId) -> Entering:
    """Return what is known of those outside once *entrant* has got in, or has left the line."""
    return replace(
        entering,
        applicants=tuple(each for each in entering.applicants if each.entrant != entrant),
        waiting=tuple(each for each in entering.waiting if each.entrant != entrant),
    )


def _changed(entering: Entering, event: entering_events.Event) -> Entering:
    match event:
        case entering_events.EntryRequested():
            asking = Applicant(entrant=event.entrant, player=event.player, bot=event.bot)
            return replace(entering, applicants=(*entering.applicants, asking))
        case entering_events.EntryRequestWithdrawn() | entering_events.EntryApproved():
            return placed(entering, event.entrant)
        case entering_events.WaitlistLeft() | entering_events.WaitlistTaken():
            return placed(entering, event.entrant)
        case entering_events.EntryRefused():
            said = tuple(
                replace(each, refused=event.reason) if each.entrant == event.entrant else each
                for each in entering.applicants
            )
            return replace(entering, applicants=said)
        case entering_events.EntrantWaitlisted():
            waiting = Applicant(
                entrant=event.entrant, player=event.player, bot=event.bot, number=event.number
            )
            return replace(entering, waiting=(*entering.waiting, waiting), lined_up=event.number)
        case entering_events.PlaceOffered() | entering_events.OfferWithdrawn():
            until = event.until if isinstance(event, entering_events.PlaceOffered) else None
            return replace(
                entering,
                waiting=tuple(
                    replace(each, offered_until=until) if each.entrant == event.entrant else each
                    for each in entering.waiting
                ),
            )
        case entering_events.AnnouncementPosted():
            notice = Notice(text=event.text, at=event.at)
            return replace(entering, notices=(*entering.notices, notice))
        case _:
            return _here_or_late(entering, event)


def _here_or_late(entering: Entering, event: entering_events.Event) -> Entering:
    match event:
        case entering_events.CheckInOpened():
            return replace(entering, check_in_opened=True)
        case entering_events.EntrantCheckedIn(entrant=entrant):
            return replace(
                entering,
                checked_in=entering.checked_in | {entrant},
                absent=entering.absent - {entrant},
            )
        case entering_events.NoShowSeated(entrant=entrant):
            return replace(entering, absent=entering.absent | {entrant})
        case entering_events.NoShowPurged(entrant=entrant):
            return replace(entering, absent=entering.absent - {entrant})
        case entering_events.StartPostponed():
            return replace(
                entering,
                check_in_opened=False,
                checked_in=frozenset(),
                postponements=event.number,
            )
        case entering_events.LateRegistrationOpened():
            return replace(entering, late=True, late_until=event.until)
        case entering_events.LateRegistrationClosed():
            return replace(entering, late=False, late_until=None)
        case _:
            raise InvariantViolated(f"{type(event).__name__} cannot happen now")
