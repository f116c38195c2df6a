"""The state of a tournament's rounds after each event."""

from typing import Never

from msgspec.structs import replace

from engine.decider import Cases
from engine.errors import InvariantViolated
from engine.tournament.evolve.seats import seatings_of
from engine.tournament.model.events import EntrantBusted
from engine.tournament.model.events.rounds import (
    CutMade,
    Event,
    FinalSeated,
    RoundClosing,
    RoundEnded,
    RoundSeated,
)
from engine.tournament.model.state import Running, Seated, Seating, State
from engine.tournament.model.state.rounds import RoundsState
from engine.tournament.model.values.rounds import RoundBust
from engine.values import EntrantId


def _rounds_of(state: Running, event: Event) -> RoundsState:
    if state.rounds is None:
        raise InvariantViolated(f"{type(event).__name__} where there are no rounds")
    return state.rounds


def _closing(state: Running, event: RoundClosing) -> Running:
    return replace(state, rounds=replace(_rounds_of(state, event), closing=True))


def _ended(state: Running, event: RoundEnded) -> Running:
    rounds = _rounds_of(state, event)
    if event.round != rounds.number or rounds.stage != "playing":
        raise InvariantViolated(f"round {event.round} ended in round {rounds.number}")
    between = replace(
        rounds, stage="between", ended=(*rounds.ended, event), busted=(), closing=False
    )
    return replace(state, tables=(), rounds=between)


def _cut(state: Running, event: CutMade) -> Running:
    draws = state.draws if event.draw is None else event.draw.number
    return replace(state, draws=draws, rounds=replace(_rounds_of(state, event), cut=event))


def _final_seated(state: Running, event: FinalSeated) -> Running:
    tables = seatings_of(event.assignments)
    return replace(
        state,
        tables=tables,
        breaking_order=event.breaking_order,
        draws=event.draw.number,
        rounds=replace(_rounds_of(state, event), stage="final", tables=tables[-1].number),
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


def without_player(state: Running, entrant: EntrantId) -> Running:
    """Return *state* after *entrant* has gone out and plays no further round."""
    rounds = state.rounds
    if rounds is None:
        return state
    playing = tuple(each for each in rounds.playing if each != entrant)
    return replace(state, rounds=replace(rounds, playing=playing))


def with_bust(state: Running, event: EntrantBusted) -> Running:
    """Return *state* with a bust, which is placed when the round has ended."""
    rounds = state.rounds
    if rounds is None or rounds.stage != "playing":
        return state
    bust = RoundBust(
        entrant=event.entrant,
        table=event.table,
        hand=event.hand,
        stack_at_start=event.stack_at_start,
    )
    return replace(state, rounds=replace(rounds, busted=(*rounds.busted, bust)))


EVOLVED = (
    Cases[Running, Never, State]()
    .on(RoundSeated, _seated)
    .on(RoundClosing, _closing)
    .on(RoundEnded, _ended)
    .on(CutMade, _cut)
    .on(FinalSeated, _final_seated)
)
