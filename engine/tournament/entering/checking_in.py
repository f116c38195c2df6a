"""
Check-in before play begins, and the consequences for no-shows.

Source: rulebook ``check_in`` and ``no_show``.
"""

from datetime import datetime, timedelta

from msgspec.structs import replace

from engine.tournament.entering.places import capacity, offers_ended, registered
from engine.tournament.evolve.tournament import after
from engine.tournament.model.acting import acting
from engine.tournament.model.commands import Register
from engine.tournament.model.commands.entering import CheckIn, OpenCheckIn, UndoCheckIn
from engine.tournament.model.errors import EntrantUnknown
from engine.tournament.model.errors.entering import CheckInNotOpen
from engine.tournament.model.events import (
    EntrantRegistered,
    Event,
    RegistrationClosed,
    TournamentAnnounced,
)
from engine.tournament.model.events.entering import (
    CheckInOpened,
    CheckInUndone,
    EntrantCheckedIn,
    NoShowReleased,
    NoShowSeated,
    StartPostponed,
    WaitlistTaken,
)
from engine.tournament.model.state import Registering, Running, State, entry_of, registering_of
from engine.tournament.model.terms import Rounds
from engine.tournament.model.terms.announced import closes_at
from engine.tournament.model.values import Entry
from engine.tournament.model.values.entering import Applicant
from engine.values import EntrantId


def check_in_opens_at(terms: TournamentAnnounced) -> datetime | None:
    """Return the instant at which check-in opens, or None without check-in."""
    before = terms.entry.check_in_opens_before_seconds
    return None if before is None else terms.starts_at - timedelta(seconds=before)


def open_check_in(state: State, command: OpenCheckIn) -> tuple[CheckInOpened, ...]:
    """Return the event that opens check-in, once it is time."""
    if not isinstance(state, Registering) or state.entering.check_in_opened:
        return ()
    opens_at = check_in_opens_at(state.terms)
    if opens_at is None or command.now < opens_at:
        return ()
    return (CheckInOpened(rule="check_in"),)


def check_in(state: State, command: CheckIn) -> tuple[Event, ...]:
    """
    Return the events that check in an entrant, or a player on the waitlist.

    Raises:
        CheckInNotOpen: If there is no check-in, or it is not open yet.
        EntrantUnknown: If this entry has no place and is not on the waitlist.
    """
    if isinstance(state, Running):
        return _arrived(state, command)
    registering = registering_of(state)
    opens_at = check_in_opens_at(registering.terms)
    if opens_at is None or command.now < opens_at:
        raise CheckInNotOpen(opens_at=opens_at)
    entering = registering.entering
    if _expected(registering, command.entrant) is None:
        raise EntrantUnknown
    if command.entrant in entering.checked_in:
        return ()
    opening = open_check_in(state, OpenCheckIn(now=command.now))
    return (*opening, _checked_in(registering, command))


def walking_in(state: State, entry: Register) -> tuple[Register | CheckIn, ...]:
    """Return the commands of a player who has come: the entry, and the check-in if it is open."""
    if not isinstance(state, Registering | Running):
        return (entry,)
    opens_at = check_in_opens_at(state.terms)
    if opens_at is None or entry.now < opens_at:
        return (entry,)
    here = CheckIn(entrant=entry.entrant, table_ids=entry.table_ids, by=entry.by, now=entry.now)
    return entry, here


def undo(state: State, command: UndoCheckIn) -> tuple[CheckInUndone, ...]:
    """
    Return the end of a check-in. Return nothing if the entrant has not checked in.

    Raises:
        EntrantUnknown: If this entry has no place and is not on the waitlist.
        RegistrationOver: If play has begun.
    """
    registering = registering_of(state)
    if _expected(registering, command.entrant) is None:
        raise EntrantUnknown
    if command.entrant not in registering.entering.checked_in:
        return ()
    return (CheckInUndone(entrant=command.entrant, by=command.by, rule="check_in.undone"),)


def _expected(state: Registering | Running, entrant: EntrantId) -> Entry | Applicant | None:
    """Return the entry or the waitlist position of *entrant*, or None without either."""
    return entry_of(state, entrant) or state.entering.waiter(entrant)


def _checked_in(
    state: Registering | Running, command: CheckIn, rule: str = "check_in"
) -> EntrantCheckedIn:
    who = _expected(state, command.entrant)
    by = None if who is None else acting(command.by, who.player)
    return EntrantCheckedIn(entrant=command.entrant, by=by, rule=rule)


def _arrived(state: Running, command: CheckIn) -> tuple[EntrantCheckedIn, ...]:
    """Return the check-in of a seated no-show, or of a player on the waitlist, after the start."""
    entering = state.entering
    if command.entrant in entering.absent:
        return (_checked_in(state, command, "no_show.arrived"),)
    if entering.waiter(command.entrant) is not None:
        here = command.entrant in entering.checked_in
        return () if here else (_checked_in(state, command),)
    if entry_of(state, command.entrant) is None:
        raise EntrantUnknown
    return ()


def settled(state: Registering, now: datetime) -> tuple[Event, ...]:
    """
    Return the events that close registration at the start.

    Open offers end, no-shows are released or seated, and players on the waitlist get free places.
    """
    events: tuple[Event, ...] = offers_ended(state, now)
    absent = _absent(state)
    if state.terms.entry.no_show == "release":
        events += tuple(NoShowReleased(entrant=each, rule="no_show.release") for each in absent)
    then = after(state, events)
    while isinstance(then, Registering) and (taken := _taken(then)):
        events, then = (*events, *taken), after(then, taken)
    if state.terms.entry.no_show == "seat_absent":
        events += tuple(NoShowSeated(entrant=each, rule="no_show.seat_absent") for each in absent)
    if isinstance(then, Registering) and not then.closed:
        events += (RegistrationClosed(entrants=len(then.entrants)),)
    return events


def _absent(state: Registering) -> tuple[EntrantId, ...]:
    if check_in_opens_at(state.terms) is None:
        return ()
    return tuple(
        each.entrant for each in state.entrants if each.entrant not in state.entering.checked_in
    )


def _taken(state: Registering) -> tuple[WaitlistTaken | EntrantRegistered, ...]:
    """Return the entry of the first player on the waitlist, if a place is free."""
    if len(state.entrants) >= capacity(state.terms):
        return ()
    return from_line(state)


def from_line(state: Registering | Running) -> tuple[WaitlistTaken | EntrantRegistered, ...]:
    """
    Return the entry of the first player on the waitlist, or nothing without one.

    If there is check-in, only players who have checked in count.
    """
    there = state.entering.checked_in
    asks = check_in_opens_at(state.terms) is not None
    waiting = tuple(each for each in state.entering.waiting if not asks or each.entrant in there)
    if not waiting:
        return ()
    taken = WaitlistTaken(
        entrant=waiting[0].entrant,
        candidates=tuple(each.entrant for each in waiting),
        rule="waitlist.taken",
    )
    return taken, registered(state, waiting[0])


def put_off(state: Registering, entrants: int, now: datetime) -> tuple[StartPostponed, ...]:
    """
    Return the postponed start, because only *entrants* have entered.

    Return nothing if the terms allow no postponement, or no further one.
    """
    terms, times = state.terms.entry, state.entering.postponements
    if terms.too_few != "postpone" or times >= terms.postponements_max:
        return ()
    until = max(state.terms.starts_at, now) + timedelta(seconds=terms.postpone_seconds)
    anew = replace(state.terms, starts_at=until)
    early = terms.registration_closes_before_seconds > 0
    later = until - state.terms.starts_at
    ends, plan = state.terms.floor.last_hands_at, state.terms.format
    return (
        StartPostponed(
            until=until,
            registration_closes_at=closes_at(anew) if early else None,
            check_in_opens_at=check_in_opens_at(anew),
            entrants=entrants,
            number=times + 1,
            last_hands_at=None if ends is None else ends + later,
            rounds_start_at=(
                tuple(each + later for each in plan.starts_at) if isinstance(plan, Rounds) else ()
            ),
            rule="registration.postponed",
        ),
    )
