"""How the floor becomes what it is, event by event."""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from engine.errors import InvariantViolated
from engine.tournament.evolve.buying import without_window
from engine.tournament.evolve.seats import moved, without
from engine.tournament.model import floor_events
from engine.tournament.model.floor_state import (
    Counted,
    FloorState,
    HandForHand,
    LastHands,
    OrderedMove,
    OutInRound,
    PlannedBreak,
    Removal,
    Rest,
)
from engine.tournament.model.state import Running
from engine.values import Chips, EntrantId, TableId


def evolve(state: Running, event: floor_events.Event) -> Running:
    """Return *state* after an *event* of the floor."""
    match event:
        case floor_events.SeatsRedrawn():
            after = with_moved(state, (move.entrant for move in event.moves))
            return replace(
                after,
                tables=moved(state.tables, event.moves),
                draws=event.draw.number,
                floor=_changed(after, redrawn=(*after.floor.redrawn, event.tables)),
            )
        case floor_events.BreakingOrderChanged():
            return replace(state, breaking_order=event.order)
        case floor_events.EntrantDisqualified():
            return _disqualified(state, event)
        case floor_events.LastHandsCalled(draw=draw):
            floor = _changed(state, last_hands=LastHands(hands=event.hands), ordered=())
            return replace(state, floor=floor, draws=state.draws if draw is None else draw.number)
        case _:
            return replace(state, floor=_floor(state, event))


def _floor(state: Running, event: floor_events.Event) -> FloorState:
    """Return the floor after what changes nothing else."""
    floor = state.floor
    match event:
        case floor_events.MoveOrdered():
            others = tuple(each for each in floor.ordered if each.entrant != event.entrant)
            order = OrderedMove(
                entrant=event.entrant, to_table=event.to_table, to_seat=event.to_seat
            )
            return replace(floor, ordered=(*others, order))
        case floor_events.TableHoldOrdered():
            return replace(floor, held=(*floor.held, event.table))
        case floor_events.TableReleased():
            return replace(floor, held=tuple(each for each in floor.held if each != event.table))
        case floor_events.StackRemoved():
            left = tuple(each for each in floor.removing if each.entrant != event.entrant)
            return replace(floor, removing=left)
        case floor_events.LastHandsCounted():
            if floor.last_hands is None:
                raise InvariantViolated("last hands were counted before they were called")
            counted = Counted(table=event.table, last_hand=event.last_hand)
            known = (*floor.last_hands.counted, counted)
            return replace(floor, last_hands=replace(floor.last_hands, counted=known))
        case (
            floor_events.BreakAnnounced() | floor_events.BreakStarted() | floor_events.BreakEnded()
        ):
            return _rest(state, event)
        case _:
            return _rounds(floor, event)


def _rest(
    state: Running,
    event: floor_events.BreakAnnounced | floor_events.BreakStarted | floor_events.BreakEnded,
) -> FloorState:
    floor = state.floor
    match event:
        case floor_events.BreakAnnounced(after_level=None):
            return floor
        case floor_events.BreakAnnounced(after_level=int() as level):
            others = tuple(each for each in floor.planned if each.level != level)
            planned = PlannedBreak(level=level, seconds=event.seconds)
            return replace(floor, planned=(*others, planned))
        case floor_events.BreakStarted():
            begun_by = state.version + 1
            rest = Rest(after_level=event.after_level, due=event.due, begun_by=begun_by)
            return replace(floor, rest=rest)
        case _:
            return replace(floor, rest=None)


def _rounds(floor: FloorState, event: Any) -> FloorState:
    match event:
        case floor_events.HandForHandStarted():
            by_itself = floor.bubble_played or event.cause != "director"
            return replace(floor, hand_for_hand=HandForHand(), bubble_played=by_itself)
        case floor_events.RoundOpened():
            return replace(floor, round=event.round, hand_for_hand=HandForHand(playing=True))
        case floor_events.RoundClosed():
            return replace(floor, hand_for_hand=HandForHand())
        case floor_events.HandForHandEnded():
            return replace(floor, hand_for_hand=None)
        case _:
            # Warnings and penalties are for the record; a table keeps what is to be served.
            return floor


def with_moved(state: Running, movers: Iterable[EntrantId]) -> Running:
    """Return *state* after a move of *movers*: an order for them has been carried out."""
    going = tuple(movers)
    floor = state.floor
    kept = tuple(each for each in floor.ordered if each.entrant not in going)
    return replace(state, floor=replace(floor, ordered=kept, moved=(*floor.moved, *going)))


def with_bust(state: Running, entrant: EntrantId, table: TableId, stack: Chips) -> Running:
    """Return *state* after a bust: in hand-for-hand play it waits for the end of the round."""
    rounds = state.floor.hand_for_hand
    if rounds is None:
        return state
    out = OutInRound(entrant=entrant, table=table, stack_at_start=stack)
    return _with_rounds(state, replace(rounds, out=(*rounds.out, out)))


def without_bust(state: Running, entrant: EntrantId) -> Running:
    """Return *state* in which the bust of *entrant* has been placed, or is none any more."""
    rounds = state.floor.hand_for_hand
    if rounds is None:
        return state
    out = tuple(each for each in rounds.out if each.entrant != entrant)
    return _with_rounds(state, replace(rounds, out=out))


def _with_rounds(state: Running, rounds: HandForHand) -> Running:
    return replace(state, floor=_changed(state, hand_for_hand=rounds))


def _disqualified(state: Running, event: floor_events.EntrantDisqualified) -> Running:
    floor, entrant = state.floor, event.entrant
    removing = floor.removing
    if event.table is not None:
        removing = (*removing, Removal(entrant=entrant, table=event.table))
    gone = replace(
        floor,
        disqualified=(*floor.disqualified, entrant),
        removing=removing,
        ordered=tuple(each for each in floor.ordered if each.entrant != entrant),
    )
    out = without_window(state, entrant)
    return replace(out, tables=without(state.tables, {entrant}), floor=gone)


def _changed(state: Running, **changes: Any) -> FloorState:
    return replace(state.floor, **changes)
