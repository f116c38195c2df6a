"""
Late registration and re-entry, while play is on.

A newcomer gets a starting stack, and a seat drawn from the free seats of the tables with the fewest
players. If no seat is free, a table is added.

Source: TDA rule 8, rulebook ``entry.late``.
"""

from datetime import datetime, timedelta

from engine.rulesets import HandsOrLast, NoEscalation
from engine.tournament.entering.checking_in import from_line
from engine.tournament.entering.places import (
    applicant_of,
    capacity,
    check_bot,
    check_outside,
    known,
    lined_up,
    registered,
    requested,
)
from engine.tournament.entering.staff import counts_as_entered
from engine.tournament.evolve.tournament import after
from engine.tournament.fairness.digests import of_draws
from engine.tournament.levels import structure_of
from engine.tournament.model.acting import acting
from engine.tournament.model.commands import Register
from engine.tournament.model.commands.entering import Approve, CloseLateRegistration
from engine.tournament.model.errors import (
    AlreadyEntered,
    RegistrationOver,
    TablesMissing,
)
from engine.tournament.model.errors.entering import ApplicantUnknown, NoSeatFree, ReEntryNotAllowed
from engine.tournament.model.events import ChipsPromised, Event, TournamentAnnounced
from engine.tournament.model.events.entering import (
    EntryApproved,
    LateRegistrationClosed,
    LateRegistrationOpened,
    LateSeatDrawn,
    PlacesLowered,
    TableAdded,
    WaitlistLeft,
)
from engine.tournament.model.state import Registering, Running, State, entry_of, phase_of
from engine.tournament.model.values.entering import Applicant, SeatDraw, SeatPlace
from engine.tournament.results.ranking import last_one, out_in_round
from engine.tournament.seating.draw import drawn_seat
from engine.values import EntrantId, PlayerId, Seat, TableId


def opened(terms: TournamentAnnounced, now: datetime) -> tuple[LateRegistrationOpened, ...]:
    """Return the event that opens late registration, if the terms allow it."""
    entry = terms.entry
    if not entry.late:
        return ()
    seconds = entry.late_registration_seconds
    until = None if seconds is None else now + timedelta(seconds=seconds)
    return (
        LateRegistrationOpened(level=entry.late_registration_level, until=until, rule="entry.late"),
    )


def _level_over(state: Running) -> bool:
    """
    Return whether the last level for late registration is over, with the break that follows it.
    """
    level, rest = state.terms.entry.late_registration_level, state.floor.rest
    if level is None or state.clock is None or (rest is not None and rest.after_level == level):
        return False
    return state.clock.level > level


def _ending(state: Running) -> bool:
    """Return whether the last hands are being played."""
    return state.closing or state.floor.last_hands is not None


def is_over(state: Running, now: datetime) -> bool:
    """Return whether late registration is over, even if no event has closed it yet."""
    entering = state.entering
    if not entering.late or _level_over(state):
        return True
    if _ending(state):
        return True
    return entering.late_until is not None and now > entering.late_until


def enter(state: Running, command: Register) -> tuple[Event, ...]:
    """
    Return the events of an entry during late registration, or of a re-entry.

    Raises:
        RegistrationOver: If late registration is over, or never began.
        AlreadyEntered: If the player is still in, or waits for a place.
        ReEntryNotAllowed: If the player has used all re-entries, or was disqualified.
        TournamentFull: If no place is free and there is no waitlist.
        NoSeatFree: If no seat is free and no table can be added.
    """
    mine = tuple(each.entrant for each in state.entrants if each.player == command.player)
    if command.entrant in mine or known(state.entering, command):
        return ()
    if is_over(state, command.now):
        raise RegistrationOver(phase=phase_of(state))
    if entry_of(state, command.entrant) is not None or _in_play(state).intersection(mine):
        raise AlreadyEntered
    check_outside(state.entering, command.player)
    most = state.terms.entry.re_entries_max
    if len(mine) > most or set(mine).intersection(state.floor.disqualified):
        raise ReEntryNotAllowed(re_entries_max=most)
    check_bot(state.terms, bot=command.bot)
    newcomer, by = applicant_of(command), acting(command.by, command.player)
    if state.terms.entry.approval and not mine and by is None:
        return (requested(newcomer),)
    return _admitted(state, newcomer, command.table_ids, by)


def approve(state: Running, command: Approve) -> tuple[Event, ...]:
    """
    Return the entry, or the waitlist position, of an approved applicant.

    Raises:
        ApplicantUnknown: If the entrant does not wait for approval.
        RegistrationOver: If late registration is over, or never began.
    """
    if entry_of(state, command.entrant) or state.entering.waiter(command.entrant):
        return ()
    who = state.entering.applicant(command.entrant)
    if who is None:
        raise ApplicantUnknown
    if is_over(state, command.now):
        raise RegistrationOver(phase=phase_of(state))
    approved = EntryApproved(entrant=who.entrant, rule="entry.approval")
    return (approved, *_admitted(state, who, command.table_ids))


def _in_play(state: Running) -> set[EntrantId]:
    """Return every entrant with a seat, or with a right to one."""
    return {
        *state.remaining(),
        *(each.entrant for each in state.windows),
        *(each.entrant for each in out_in_round(state)),
        *(each.entrant for each in state.promised),
    }


def awaited(state: State, player: PlayerId) -> bool:
    """
    Return whether play is on and *player* is in it, waits to enter late, or has applied.

    Play also counts as on while the seats wait for the beacon, because nobody can withdraw any
    more.
    """
    if isinstance(state, Registering) and state.fairness.waiting:
        return counts_as_entered(state, player)
    if not isinstance(state, Running):
        return False
    outside: tuple[Applicant, ...] = ()
    if state.entering.late:
        asking = (each for each in state.entering.applicants if each.refused is None)
        outside = (*state.entering.waiting, *asking)
    if any(each.player == player for each in outside):
        return True
    inside = _in_play(state).difference(state.floor.disqualified)
    return any(each.player == player and each.entrant in inside for each in state.entrants)


def _admitted(
    state: Running, who: Applicant, table_ids: tuple[TableId, ...], by: PlayerId | None = None
) -> tuple[Event, ...]:
    # Only players who have checked in come before a newcomer (rulebook ``waitlist.taken``).
    if from_line(state) or len(_in_play(state)) >= capacity(state.terms):
        return (lined_up(state.terms, state.entering, who, by),)
    entry = registered(state, who, by)
    return (entry, *_seated(state, who.entrant, table_ids))


def _seated(
    state: Running, entrant: EntrantId, table_ids: tuple[TableId, ...]
) -> tuple[Event, ...]:
    """Return the events that seat a newcomer. Everyone already eliminated drops by one place."""
    lowered = tuple(each.entrant for each in state.placings)
    events: tuple[Event, ...] = ()
    if lowered:
        events = (PlacesLowered(by=1, entrants=lowered, rule="placing.late_entry"),)
    free = _free_seats(state)
    if not free:
        return (*events, _added(state, entrant, table_ids))
    number = state.draws + 1
    place = drawn_seat(free, masters=state.masters, number=number, digest=of_draws(state))
    return (
        *events,
        LateSeatDrawn(
            entrant=entrant,
            table=place.table,
            seat=Seat(place.seat),
            draw=SeatDraw(number=number, candidates=free),
            rule="seating.late_entry",
        ),
        ChipsPromised(
            entrant=entrant,
            table=place.table,
            seat=Seat(place.seat),
            chips=state.terms.starting_stack,
            newcomer=True,
            rule="entry.late",
        ),
    )


def _free_seats(state: Running) -> tuple[SeatPlace, ...]:
    """Return the free seats of the tables with the fewest players, by table and seat."""
    taken = {(each.table, each.seat) for each in state.windows}
    taken |= {(each.table, each.seat) for each in state.promised}
    taken |= {(table.table, each.seat) for table in state.tables for each in table.seats}
    seats = range(1, state.terms.table_seats + 1)
    free = {
        table.table: tuple(
            SeatPlace(table=table.table, seat=seat)
            for seat in seats
            if (table.table, seat) not in taken
        )
        for table in state.tables
    }
    most = max(map(len, free.values()), default=0)
    return tuple(place for places in free.values() if len(places) == most for place in places)


def _added(state: Running, entrant: EntrantId, table_ids: tuple[TableId, ...]) -> TableAdded:
    """
    Return a new table for an entrant who finds no free seat.

    Raises:
        NoSeatFree: If each table has its own levels, or counts its own hands.
        TablesMissing: If no identifier for the table was given.
    """
    if not _tables_alike(state):
        raise NoSeatFree(tables=len(state.tables), table_seats=state.terms.table_seats)
    known_tables = {each.table for each in state.tables}
    fresh = [each for each in table_ids if each not in known_tables]
    if not fresh:
        raise TablesMissing(given=0, required=1)
    return TableAdded(
        table=fresh[0],
        number=max(state.breaking_order) + 1,
        entrant=entrant,
        seat=Seat(1),
        chips=state.terms.starting_stack,
        rule="seating.table_added",
    )


def _tables_alike(state: Running) -> bool:
    """Return whether a new table would have the same levels and hands to play as the others."""
    ruleset = state.terms.ruleset
    levels = bool(structure_of(ruleset)) or isinstance(ruleset.escalation, NoEscalation)
    counted = state.terms.hands_max is not None or isinstance(ruleset.end, HandsOrLast)
    return levels and not counted


def close(state: State, command: CloseLateRegistration) -> tuple[Event, ...]:
    """
    Return the events that close late registration.

    If the clock sends the command, nothing happens before the time.
    """
    if not isinstance(state, Running) or not state.entering.late:
        return ()
    if command.scheduled and not is_over(state, command.now):
        return ()
    return _closed(state)


def _closed(state: Running) -> tuple[Event, ...]:
    numbers = {each.number for each in state.tables}
    gone = tuple(
        WaitlistLeft(entrant=each.entrant, cause="closed", by=None, rule="entry.late_closed")
        for each in state.entering.waiting
    )
    closed = LateRegistrationClosed(
        breaking_order=tuple(each for each in state.breaking_order if each in numbers),
        rule="entry.late_closed",
    )
    # An entrant who may rebuy, or has just entered, is not out but has no seat yet.
    seated = _in_play(state) == set(state.remaining())
    ended = last_one(state) if seated and len(state.remaining()) < 2 else ()
    return (closed, *gone, *ended)


def concluded(
    state: Running, events: tuple[Event, ...], table_ids: tuple[TableId, ...] = ()
) -> tuple[Event, ...]:
    """
    Return *events*, followed by their consequences for late registration.

    Its last level may be over, last hands may have been called, or a place may be free for the
    first on the waitlist.
    """
    then = after(state, events)
    while isinstance(then, Running) and then.entering.late:
        more = _closed(then) if _level_over(then) or _ending(then) else _taken(then, table_ids)
        if not more:
            break
        events, then = (*events, *more), after(then, more)
    return events


def _taken(state: Running, table_ids: tuple[TableId, ...]) -> tuple[Event, ...]:
    if len(_in_play(state)) >= capacity(state.terms):
        return ()
    if not _free_seats(state) and not (table_ids and _tables_alike(state)):
        return ()
    entry = from_line(state)
    if not entry:
        return ()
    return (*entry, *_seated(state, entry[0].entrant, table_ids))
