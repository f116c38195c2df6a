"""The state after events of the floor."""

from collections.abc import Iterable
from typing import Never

from msgspec.structs import replace

from engine.decider import Cases
from engine.errors import InvariantViolated
from engine.tournament.evolve.buying import without_window
from engine.tournament.evolve.seats import moved, without
from engine.tournament.model.events import floor as floor_events
from engine.tournament.model.state import Running, State
from engine.tournament.model.state.floor import (
    Counted,
    HandForHand,
    LastHands,
    OrderedMove,
    OutInRound,
    PlannedBreak,
    Removal,
    Rest,
)
from engine.tournament.model.values import LevelClock
from engine.values import Chips, EntrantId, TableId


def _seats_redrawn(state: Running, event: floor_events.SeatsRedrawn) -> Running:
    after = with_moved(state, (move.entrant for move in event.moves))
    return replace(
        after,
        tables=moved(state.tables, event.moves),
        draws=event.draw.number,
        floor=replace(after.floor, redrawn=(*after.floor.redrawn, event.tables)),
    )


def _order_changed(state: Running, event: floor_events.BreakingOrderChanged) -> Running:
    return replace(state, breaking_order=event.order)


def _last_hands_called(state: Running, event: floor_events.LastHandsCalled) -> Running:
    floor = replace(state.floor, last_hands=LastHands(hands=event.hands), ordered=())
    draws = state.draws if event.draw is None else event.draw.number
    return replace(state, floor=floor, draws=draws)


def _last_hands_counted(state: Running, event: floor_events.LastHandsCounted) -> Running:
    last_hands = state.floor.last_hands
    if last_hands is None:
        raise InvariantViolated("last hands were counted before they were called")
    counted = Counted(table=event.table, last_hand=event.last_hand)
    known = replace(last_hands, counted=(*last_hands.counted, counted))
    return replace(state, floor=replace(state.floor, last_hands=known))


def _move_ordered(state: Running, event: floor_events.MoveOrdered) -> Running:
    others = tuple(each for each in state.floor.ordered if each.entrant != event.entrant)
    order = OrderedMove(entrant=event.entrant, to_table=event.to_table, to_seat=event.to_seat)
    return replace(state, floor=replace(state.floor, ordered=(*others, order)))


def _hold_ordered(state: Running, event: floor_events.TableHoldOrdered) -> Running:
    return replace(state, floor=replace(state.floor, held=(*state.floor.held, event.table)))


def _released(state: Running, event: floor_events.TableReleased) -> Running:
    held = tuple(each for each in state.floor.held if each != event.table)
    return replace(state, floor=replace(state.floor, held=held))


def _stack_removed(state: Running, event: floor_events.StackRemoved) -> Running:
    left = tuple(each for each in state.floor.removing if each.entrant != event.entrant)
    return replace(state, floor=replace(state.floor, removing=left))


def _clock_set(state: Running, event: floor_events.ClockSet) -> Running:
    if state.clock is None:
        raise InvariantViolated("a clock was set that does not exist")
    version = state.version + 1
    same = event.level == state.clock.level
    clock = LevelClock(
        level=event.level,
        amounts=event.amounts,
        set_by=state.clock.set_by if same else version,
        run_by=version,
        since=event.at,
        due=event.due,
        left_microseconds=event.left_microseconds,
    )
    return replace(state, clock=clock)


def _break_announced(state: Running, event: floor_events.BreakAnnounced) -> Running:
    level = event.after_level
    if level is None:
        return state
    others = tuple(each for each in state.floor.planned if each.level != level)
    planned = PlannedBreak(level=level, seconds=event.seconds)
    return replace(state, floor=replace(state.floor, planned=(*others, planned)))


def _break_started(state: Running, event: floor_events.BreakStarted) -> Running:
    rest = Rest(
        after_level=event.after_level, since=event.at, due=event.due, begun_by=state.version + 1
    )
    return replace(state, floor=replace(state.floor, rest=rest))


def _break_ended(state: Running, event: floor_events.BreakEnded) -> Running:
    return replace(state, floor=replace(state.floor, rest=None))


def _hand_for_hand_started(state: Running, event: floor_events.HandForHandStarted) -> Running:
    by_itself = state.floor.bubble_played or event.cause != "director"
    floor = replace(state.floor, hand_for_hand=HandForHand(), bubble_played=by_itself)
    return replace(state, floor=floor)


def _round_opened(state: Running, event: floor_events.RoundOpened) -> Running:
    playing = HandForHand(playing=True)
    return replace(state, floor=replace(state.floor, round=event.round, hand_for_hand=playing))


def _round_closed(state: Running, event: floor_events.RoundClosed) -> Running:
    return _with_rounds(state, HandForHand())


def _hand_for_hand_ended(state: Running, event: floor_events.HandForHandEnded) -> Running:
    return _with_rounds(state, None)


def _on_record(
    state: Running, event: floor_events.EntrantWarned | floor_events.PenaltyGiven
) -> Running:
    """Change nothing, because the table keeps count of penalty hands."""
    return state


def with_moved(state: Running, movers: Iterable[EntrantId]) -> Running:
    """Return *state* after a move of *movers*, which also carries out any orders to move them."""
    going = tuple(movers)
    floor = state.floor
    kept = tuple(each for each in floor.ordered if each.entrant not in going)
    return replace(state, floor=replace(floor, ordered=kept, moved=(*floor.moved, *going)))


def with_bust(state: Running, entrant: EntrantId, table: TableId, stack: Chips) -> Running:
    """
    Return *state* after a bust. In hand-for-hand play the bust is placed when its hand is closed.
    """
    rounds = state.floor.hand_for_hand
    if rounds is None:
        return state
    out = OutInRound(entrant=entrant, table=table, stack_at_start=stack)
    return _with_rounds(state, replace(rounds, out=(*rounds.out, out)))


def without_bust(state: Running, entrant: EntrantId) -> Running:
    """Return *state* without the bust of *entrant*, who was placed or has come back."""
    rounds = state.floor.hand_for_hand
    if rounds is None:
        return state
    out = tuple(each for each in rounds.out if each.entrant != entrant)
    return _with_rounds(state, replace(rounds, out=out))


def _with_rounds(state: Running, rounds: HandForHand | None) -> Running:
    return replace(state, floor=replace(state.floor, hand_for_hand=rounds))


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


EVOLVED = (
    Cases[Running, Never, State]()
    .on(floor_events.MoveOrdered, _move_ordered)
    .on(floor_events.BreakingOrderChanged, _order_changed)
    .on(floor_events.TableHoldOrdered, _hold_ordered)
    .on(floor_events.TableReleased, _released)
    .on(floor_events.EntrantWarned, _on_record)
    .on(floor_events.PenaltyGiven, _on_record)
    .on(floor_events.EntrantDisqualified, _disqualified)
    .on(floor_events.StackRemoved, _stack_removed)
    .on(floor_events.SeatsRedrawn, _seats_redrawn)
    .on(floor_events.ClockSet, _clock_set)
    .on(floor_events.BreakAnnounced, _break_announced)
    .on(floor_events.BreakStarted, _break_started)
    .on(floor_events.BreakEnded, _break_ended)
    .on(floor_events.LastHandsCalled, _last_hands_called)
    .on(floor_events.LastHandsCounted, _last_hands_counted)
    .on(floor_events.HandForHandStarted, _hand_for_hand_started)
    .on(floor_events.RoundOpened, _round_opened)
    .on(floor_events.RoundClosed, _round_closed)
    .on(floor_events.HandForHandEnded, _hand_for_hand_ended)
)
