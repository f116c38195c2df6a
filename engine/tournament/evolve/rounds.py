"""How a tournament's rounds become what they are, event by event."""

from msgspec.structs import replace

from engine.errors import InvariantViolated
from engine.tournament.evolve.seats import seatings_of
from engine.tournament.model.events import EntrantBusted, EntrantEliminated
from engine.tournament.model.events import Event as TournamentEvent
from engine.tournament.model.rounds_events import (
    CutMade,
    Event,
    FinalSeated,
    RoundClosing,
    RoundEnded,
    RoundSeated,
)
from engine.tournament.model.rounds_state import RoundsState
from engine.tournament.model.rounds_values import RoundBust
from engine.tournament.model.state import Finished, Running, Seated, Seating, State


def evolve(state: Running, event: Event) -> Running:
    """
    Return the state after *event*.

    Raises:
        InvariantViolated: If *event* cannot have happened in *state*.
    """
    rounds = state.rounds
    if isinstance(event, RoundSeated):
        return _seated(state, event)
    if rounds is None:
        raise InvariantViolated(f"{type(event).__name__} where there are no rounds")
    match event:
        case RoundClosing():
            return replace(state, rounds=replace(rounds, closing=True))
        case RoundEnded():
            if event.round != rounds.number or rounds.stage != "playing":
                raise InvariantViolated(f"round {event.round} ended in round {rounds.number}")
            between = replace(
                rounds, stage="between", ended=(*rounds.ended, event), busted=(), closing=False
            )
            return replace(state, tables=(), rounds=between)
        case CutMade():
            draws = state.draws if event.draw is None else event.draw.number
            return replace(state, draws=draws, rounds=replace(rounds, cut=event))
        case FinalSeated():
            tables = seatings_of(event.assignments)
            return replace(
                state,
                tables=tables,
                breaking_order=event.breaking_order,
                draws=event.draw.number,
                rounds=replace(rounds, stage="final", tables=tables[-1].number),
            )


def _seated(state: Running, event: RoundSeated) -> Running:
    tables = tuple(
        Seating(
            table=table.table,
            number=table.number,
            seats=tuple(Seated(entrant=each.entrant, seat=each.seat) for each in table.seats),
        )
        for table in event.tables
    )
    before = state.rounds
    if event.round != (1 if before is None else before.number + 1):
        raise InvariantViolated(f"round {event.round} is out of order")
    if before is None:
        rounds = RoundsState(
            stage="playing",
            playing=tuple(each.entrant for each in state.entrants),
            seated=(event,),
            tables=tables[-1].number,
        )
    else:
        rounds = replace(
            before,
            stage="playing",
            seated=(*before.seated, event),
            tables=tables[-1].number,
        )
    return replace(state, tables=tables, draws=event.draw.number, rounds=rounds)


def followed(rounds: RoundsState | None, state: State, event: TournamentEvent) -> State:
    """Return *state* with what an *event* that is not of rounds means for *rounds*."""
    if rounds is None:
        return state
    if isinstance(state, Finished):
        return replace(state, rounds=rounds)
    if not isinstance(state, Running):
        return state
    if isinstance(event, EntrantEliminated):
        playing = tuple(each for each in rounds.playing if each != event.entrant)
        return replace(state, rounds=replace(rounds, playing=playing))
    if isinstance(event, EntrantBusted) and rounds.stage == "playing":
        bust = RoundBust(
            entrant=event.entrant,
            table=event.table,
            hand=event.hand,
            stack_at_start=event.stack_at_start,
        )
        return replace(state, rounds=replace(rounds, busted=(*rounds.busted, bust)))
    return state
