"""The start of play, pauses, and cancellation."""

from msgspec.structs import replace

from engine.kit.beacon import demand_pulse, pulse_after
from engine.tournament import levels
from engine.tournament.entering import checking_in, late
from engine.tournament.evolve.tournament import after
from engine.tournament.fairness.digests import of_draws
from engine.tournament.model.commands import Cancel, Pause, Resume, StartPlay
from engine.tournament.model.errors import (
    TablesMissing,
    TooFewEntrants,
    TournamentNotAnnounced,
    TournamentNotRunning,
    TournamentOver,
)
from engine.tournament.model.events import (
    Event,
    PlayStarted,
    SeatsDrawn,
    TournamentCancelled,
    TournamentPaused,
    TournamentResumed,
)
from engine.tournament.model.events.entering import WaitlistLeft
from engine.tournament.model.events.fairness import BeaconAwaited, BeaconRecorded
from engine.tournament.model.state import (
    Announced,
    Cancelled,
    Closed,
    Drafted,
    Finished,
    Registering,
    Running,
    State,
    Unannounced,
    phase_of,
    registering_of,
    running_of,
)
from engine.tournament.model.terms import Rounds
from engine.tournament.money.refunding import refunded
from engine.tournament.rounds.decisions import first_round
from engine.tournament.seating.draw import draw_seats, tables_for, tables_needed


def start_play(state: State, command: StartPlay) -> tuple[Event, ...]:
    """
    Return the start of play, or what the clock does with too few entrants.

    Only the clock postpones or cancels. A person may start at any instant, also just after the
    clock has postponed the start.

    Raises:
        TooFewEntrants: If a person starts and too few entrants would play.
    """
    if isinstance(state, Running):
        return ()
    if isinstance(state, Announced) and command.scheduled and command.now < state.terms.starts_at:
        return ()  # changed terms have moved the start, and registration with it
    before = registering_of(state)
    terms = before.terms
    if command.scheduled and command.now < terms.starts_at:
        return ()
    if before.fairness.awaited is not None:
        return _drawn_by_beacon(before, before.fairness.awaited, command)
    settled = checking_in.settled(before, command.now)
    registering = registering_of(after(before, settled))
    entrants = tuple(each.entrant for each in registering.entrants)
    if len(entrants) < terms.entrants_min:
        if not command.scheduled:
            raise TooFewEntrants(
                entrants=len(entrants),
                entrants_min=terms.entrants_min,
                starts_at=terms.starts_at,
            )
        put_off = checking_in.put_off(before, len(entrants), command.now)
        if put_off:
            return put_off
        rule = "registration.too_few_entrants"
        return (
            *refunded(before, ()),
            TournamentCancelled(reason="too_few_entrants", rule=rule),
        )
    chain = before.fairness.chain
    if chain is not None:
        number = pulse_after(chain, command.now)
        return *settled, BeaconAwaited(round=number, at=command.now, rule="beacon.seats")
    return (*settled, *_seated(registering, command))


def _drawn_by_beacon(state: Registering, number: int, command: StartPlay) -> tuple[Event, ...]:
    """
    Return the seat draw by the pulse named for it, or nothing until the pulse has arrived.

    Source: rulebook ``beacon.seats`` and ``beacon.silence``.
    """
    if command.pulse is None:
        return ()
    pulse = demand_pulse(command.pulse, number)
    recorded = BeaconRecorded(pulse=pulse, rule="beacon.value")
    drawing = replace(state, fairness=replace(state.fairness, pulse=pulse))
    return (recorded, *_seated(drawing, command))


def _seated(registering: Registering, command: StartPlay) -> tuple[Event, ...]:
    """Return the seat draw and the start of play."""
    terms = registering.terms
    entrants = tuple(each.entrant for each in registering.entrants)
    in_rounds = isinstance(terms.format, Rounds)
    required = tables_for(terms, len(entrants))
    if in_rounds:
        # Only the final has larger tables.
        required = tables_needed(len(entrants), table_seats=terms.table_seats)
    if len(set(command.table_ids)) < required:
        raise TablesMissing(given=len(set(command.table_ids)), required=required)
    tables = command.table_ids[:required]
    draw, assignments = draw_seats(
        entrants,
        tables=tables,
        stack=terms.starting_stack,
        masters=registering.masters,
        number=1,
        digest=of_draws(registering),
    )
    drawn = SeatsDrawn(
        rule="seating.draw",
        draw=draw,
        assignments=assignments,
        breaking_order=tuple(range(required, 0, -1)),
    )
    return (
        drawn,
        PlayStarted(tables=tables, entrants=len(entrants)),
        *((first_round(drawn),) if in_rounds else ()),
        *levels.started(terms.ruleset, command.now),
        *_line_after(registering, command),
    )


def _line_after(state: Registering, command: StartPlay) -> tuple[Event, ...]:
    """Return the opening of late registration, or else the end of the waitlist."""
    opened = late.opened(state.terms, command.now)
    if opened:
        return opened
    return tuple(
        WaitlistLeft(entrant=each.entrant, cause="closed", by=None, rule="registration.closed")
        for each in state.entering.waiting
    )


def pause(state: State, command: Pause) -> tuple[Event, ...]:
    running = running_of(state)
    if running.paused:
        return ()
    paused = TournamentPaused(reason=command.reason, words=command.words)
    return (paused, *levels.stopped(running.clock, command.now))


def resume(state: State, command: Resume) -> tuple[Event, ...]:
    running = running_of(state)
    if not running.paused:
        return ()
    return (TournamentResumed(), *levels.resumed(running, command.now))


def cancel(state: State, command: Cancel) -> tuple[Event, ...]:
    match state:
        case Cancelled():
            return ()
        case Unannounced() | Drafted():
            raise TournamentNotAnnounced
        case Finished():
            raise TournamentOver(phase=phase_of(state))
        case Closed():
            raise TournamentNotRunning(phase=phase_of(state))
        case _:
            return (
                *refunded(state, command.stacks),
                TournamentCancelled(
                    reason=command.reason, words=command.words, rule="cancellation.by_director"
                ),
            )
