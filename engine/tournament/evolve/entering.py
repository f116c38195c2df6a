"""The state after events of entry."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Never, TypeVar

from msgspec.structs import replace

from engine.decider import Cases
from engine.errors import cannot_follow
from engine.kit.structs import copied
from engine.tournament.evolve.phases import during
from engine.tournament.evolve.seats import without
from engine.tournament.model.events import TournamentAnnounced
from engine.tournament.model.events import entering as entering_events
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
from engine.tournament.model.state.entering import Entering
from engine.tournament.model.terms import Rounds
from engine.tournament.model.terms.announced import Terms, closes_at
from engine.tournament.model.terms.changeable import TermsChange, changeable
from engine.tournament.model.values.entering import Applicant, Notice
from engine.values import EntrantId

Known = TypeVar("Known", bound=Terms)


def _drafted(state: Unannounced, event: entering_events.TournamentDrafted) -> State:
    return Drafted(terms=event)


def _revised(state: Drafted, event: entering_events.TermsRevised) -> State:
    return replace(state, terms=event)


def _terms_changed(state: State, event: entering_events.TermsChanged) -> State:
    if not isinstance(state, Announced | Registering | Running):
        raise cannot_follow(state, event)
    entering = replace(state.entering, late_until=event.late_registration_until)
    if event.check_in_again:
        entering = replace(entering, check_in_opened=False, checked_in=frozenset())
    terms = copied(TournamentAnnounced, event)
    change = TermsChange(
        by=event.by,
        reason=event.reason,
        before=changeable(state.terms),
        after=changeable(terms),
    )
    entering = replace(entering, changes=(*entering.changes, change))
    return replace(state, terms=terms, entering=entering)


def _discarded(state: Drafted, event: entering_events.DraftDiscarded) -> State:
    return replace(state, discarded=True)


def _released(state: Registering, event: entering_events.NoShowReleased) -> State:
    kept = tuple(each for each in state.entrants if each.entrant != event.entrant)
    return replace(state, entrants=kept)


def _postponed(state: State, event: entering_events.StartPostponed) -> State:
    if not isinstance(state, Registering):
        return _known(_start_postponed)(state, event)
    return replace(
        state,
        terms=_put_off(state.terms, event),
        closed=False,
        entering=_start_postponed(state.entering, event),
    )


def _put_off(terms: Known, event: entering_events.StartPostponed) -> Known:
    """
    Return *terms* with the new start and the times that move with it.

    Old events do not hold these times, and leave them unchanged.
    """
    floor, plan = terms.floor, terms.format
    if event.last_hands_at is not None:
        floor = replace(floor, last_hands_at=event.last_hands_at)
    if isinstance(plan, Rounds) and event.rounds_start_at:
        plan = replace(plan, starts_at=event.rounds_start_at)
    return replace(terms, starts_at=event.until, floor=floor, format=plan)


def _late_seat_drawn(state: Running, event: entering_events.LateSeatDrawn) -> State:
    return replace(state, draws=event.draw.number)


def _table_added(state: Running, event: entering_events.TableAdded) -> State:
    seated = (Seated(entrant=event.entrant, seat=event.seat),)
    added = Seating(table=event.table, number=event.number, seats=seated)
    return replace(
        state,
        tables=(*state.tables, added),
        breaking_order=(event.number, *state.breaking_order),
    )


def _places_lowered(state: Running, event: entering_events.PlacesLowered) -> State:
    gone = set(event.entrants)
    lowered = tuple(
        replace(each, place=each.place + event.by) if each.entrant in gone else each
        for each in state.placings
    )
    return replace(state, placings=lowered)


def _purged(state: State, event: entering_events.NoShowPurged) -> State:
    if not isinstance(state, Running):
        return _known(_no_more_absent)(state, event)
    purged = replace(
        state,
        tables=without(state.tables, {event.entrant}),
        entering=_no_more_absent(state.entering, event),
    )
    return _struck(purged, event) if event.struck else purged


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
    """Return the state of entry once *entrant* has a place, or has left the waitlist."""
    return replace(
        entering,
        applicants=tuple(each for each in entering.applicants if each.entrant != entrant),
        waiting=tuple(each for each in entering.waiting if each.entrant != entrant),
    )


def _requested(entering: Entering, event: entering_events.EntryRequested) -> Entering:
    asking = Applicant(entrant=event.entrant, player=event.player, bot=event.bot)
    return replace(entering, applicants=(*entering.applicants, asking))


def _placed(
    entering: Entering,
    event: entering_events.EntryRequestWithdrawn
    | entering_events.EntryApproved
    | entering_events.WaitlistLeft
    | entering_events.WaitlistTaken,
) -> Entering:
    return placed(entering, event.entrant)


def _refused(entering: Entering, event: entering_events.EntryRefused) -> Entering:
    applicants = tuple(
        replace(each, refused=event.reason) if each.entrant == event.entrant else each
        for each in entering.applicants
    )
    return replace(entering, applicants=applicants)


def _waitlisted(entering: Entering, event: entering_events.EntrantWaitlisted) -> Entering:
    waiting = Applicant(
        entrant=event.entrant, player=event.player, bot=event.bot, number=event.number
    )
    return replace(entering, waiting=(*entering.waiting, waiting), lined_up=event.number)


def _offered(registering: Registering, event: entering_events.PlaceOffered) -> State:
    length = timedelta(seconds=registering.terms.entry.offer_seconds)
    since = event.until - length if event.until < closes_at(registering.terms) else None
    entering = _with_offer(registering.entering, event.entrant, since, event.until)
    return replace(registering, entering=entering)


def _offer_extended(entering: Entering, event: entering_events.OfferExtended) -> Entering:
    return _with_offer(entering, event.entrant, event.at, event.until)


def _offer_withdrawn(entering: Entering, event: entering_events.OfferWithdrawn) -> Entering:
    return _with_offer(entering, event.entrant, None, None)


def _with_offer(
    entering: Entering, entrant: EntrantId, since: datetime | None, until: datetime | None
) -> Entering:
    waiting = tuple(
        replace(each, offered_since=since, offered_until=until) if each.entrant == entrant else each
        for each in entering.waiting
    )
    return replace(entering, waiting=waiting)


def _posted(entering: Entering, event: entering_events.AnnouncementPosted) -> Entering:
    notice = Notice(text=event.text, at=event.at)
    return replace(entering, notices=(*entering.notices, notice))


def _check_in_opened(entering: Entering, event: entering_events.CheckInOpened) -> Entering:
    return replace(entering, check_in_opened=True)


def _checked_in(entering: Entering, event: entering_events.EntrantCheckedIn) -> Entering:
    return replace(
        entering,
        checked_in=entering.checked_in | {event.entrant},
        absent=entering.absent - {event.entrant},
    )


def _check_in_undone(entering: Entering, event: entering_events.CheckInUndone) -> Entering:
    return replace(entering, checked_in=entering.checked_in - {event.entrant})


def _seated_absent(entering: Entering, event: entering_events.NoShowSeated) -> Entering:
    return replace(entering, absent=entering.absent | {event.entrant})


def _no_more_absent(entering: Entering, event: entering_events.NoShowPurged) -> Entering:
    return replace(entering, absent=entering.absent - {event.entrant})


def _start_postponed(entering: Entering, event: entering_events.StartPostponed) -> Entering:
    return replace(
        entering, check_in_opened=False, checked_in=frozenset(), postponements=event.number
    )


def _late_opened(state: Running, event: entering_events.LateRegistrationOpened) -> State:
    seconds, since = state.terms.entry.late_registration_seconds, None
    if event.until is not None and seconds is not None:
        since = event.until - timedelta(seconds=seconds)
    entering = replace(state.entering, late=True, late_since=since, late_until=event.until)
    return replace(state, entering=entering)


def _late_extended(entering: Entering, event: entering_events.LateRegistrationExtended) -> Entering:
    return replace(entering, late_since=event.at, late_until=event.until)


def _late_closed(entering: Entering, event: entering_events.LateRegistrationClosed) -> Entering:
    return replace(entering, late=False, late_since=None, late_until=None)


Happened = TypeVar("Happened")


def _known(
    change: Callable[[Entering, Happened], Entering],
) -> Callable[[State, Happened], State]:
    """Return *change* for any state with entrants. The event cannot follow another state."""

    def evolved(state: State, event: Happened) -> State:
        if not isinstance(state, Running | Registering | Announced | Finished | Cancelled):
            raise cannot_follow(state, event)
        return replace(state, entering=change(state.entering, event))

    return evolved


EVOLVED = (
    Cases[State, Never, State]()
    .on(entering_events.TournamentDrafted, during(Unannounced, _drafted))
    .on(entering_events.TermsRevised, during(Drafted, _revised))
    .on(entering_events.DraftDiscarded, during(Drafted, _discarded))
    .on(entering_events.TermsChanged, _terms_changed)
    .on(entering_events.EntryRequested, _known(_requested))
    .on(entering_events.EntryRequestWithdrawn, _known(_placed))
    .on(entering_events.EntryApproved, _known(_placed))
    .on(entering_events.EntryRefused, _known(_refused))
    .on(entering_events.EntrantWaitlisted, _known(_waitlisted))
    .on(entering_events.PlaceOffered, during(Registering, _offered))
    .on(entering_events.OfferExtended, _known(_offer_extended))
    .on(entering_events.OfferWithdrawn, _known(_offer_withdrawn))
    .on(entering_events.WaitlistLeft, _known(_placed))
    .on(entering_events.WaitlistTaken, _known(_placed))
    .on(entering_events.CheckInOpened, _known(_check_in_opened))
    .on(entering_events.EntrantCheckedIn, _known(_checked_in))
    .on(entering_events.CheckInUndone, _known(_check_in_undone))
    .on(entering_events.NoShowReleased, during(Registering, _released))
    .on(entering_events.NoShowSeated, _known(_seated_absent))
    .on(entering_events.NoShowPurged, _purged)
    .on(entering_events.StartPostponed, _postponed)
    .on(entering_events.LateRegistrationOpened, during(Running, _late_opened))
    .on(entering_events.LateRegistrationExtended, _known(_late_extended))
    .on(entering_events.LateRegistrationClosed, _known(_late_closed))
    .on(entering_events.LateSeatDrawn, during(Running, _late_seat_drawn))
    .on(entering_events.TableAdded, during(Running, _table_added))
    .on(entering_events.PlacesLowered, during(Running, _places_lowered))
    .on(entering_events.AnnouncementPosted, _known(_posted))
)
