"""How play starts, pauses, goes on and is called off."""

from engine.tournament import levels
from engine.tournament.commands import Cancel, Pause, Resume, StartPlay
from engine.tournament.errors import (
    TablesMissing,
    TournamentNotAnnounced,
    TournamentNotRunning,
    TournamentOver,
)
from engine.tournament.events import (
    Event,
    PlayStarted,
    RegistrationClosed,
    SeatsDrawn,
    TournamentCancelled,
    TournamentPaused,
    TournamentResumed,
)
from engine.tournament.money.refunding import refunded
from engine.tournament.registration import registering_of
from engine.tournament.rounds.decisions import first_round
from engine.tournament.seating import draw_seats, tables_for, tables_needed
from engine.tournament.state import (
    Cancelled,
    Closed,
    Finished,
    Running,
    State,
    Unannounced,
    phase_of,
    running_of,
)
from engine.tournament.terms import Rounds


def start_play(state: State, command: StartPlay) -> tuple[Event, ...]:
    if isinstance(state, Running):
        return ()
    registering = registering_of(state)
    terms = registering.terms
    entrants = tuple(each.entrant for each in registering.entrants)
    if len(entrants) < terms.entrants_min:
        rule = "registration.too_few_entrants"
        return (
            *refunded(registering, ()),
            TournamentCancelled(reason="too_few_entrants", rule=rule),
        )
    in_rounds = isinstance(terms.format, Rounds)
    required = tables_for(terms, len(entrants))
    if in_rounds:
        # A larger table is the final's.
        required = tables_needed(len(entrants), table_seats=terms.table_seats)
    if len(set(command.table_ids)) < required:
        raise TablesMissing(given=len(set(command.table_ids)), required=required)
    tables = command.table_ids[:required]
    draw, assignments = draw_seats(
        entrants, tables=tables, stack=terms.starting_stack, masters=registering.masters, number=1
    )
    drawn = SeatsDrawn(
        rule="seating.draw",
        draw=draw,
        assignments=assignments,
        breaking_order=tuple(range(required, 0, -1)),
    )
    return (
        RegistrationClosed(entrants=len(entrants)),
        drawn,
        PlayStarted(tables=tables, entrants=len(entrants)),
        *((first_round(drawn),) if in_rounds else ()),
        *levels.started(terms.ruleset, command.now),
    )


def pause(state: State, command: Pause) -> tuple[Event, ...]:
    running = running_of(state)
    if running.paused:
        return ()
    return (TournamentPaused(reason=command.reason), *levels.stopped(running.clock, command.now))


def resume(state: State, command: Resume) -> tuple[Event, ...]:
    running = running_of(state)
    if not running.paused:
        return ()
    return (TournamentResumed(), *levels.resumed(running, command.now))


def cancel(state: State, command: Cancel) -> tuple[Event, ...]:
    match state:
        case Cancelled():
            return ()
        case Unannounced():
            raise TournamentNotAnnounced
        case Finished():
            raise TournamentOver(phase=phase_of(state))
        case Closed():
            raise TournamentNotRunning(phase=phase_of(state))
        case _:
            return (
                *refunded(state, command.stacks),
                TournamentCancelled(reason=command.reason, rule="cancellation.by_director"),
            )
