"""The decider's functions for every command of a table."""

from collections.abc import Callable
from functools import reduce
from typing import Never, TypeVar

from engine.decider import Cases
from engine.kit.rng import Draw, shuffled_pile
from engine.table.decide.answers import act_on_turn, improve, select, time_out
from engine.table.decide.buying import buy_chips, return_chips
from engine.table.decide.opening import await_beacon, mixed, open_hand
from engine.table.decide.quitting import award_carry, quit_hand
from engine.table.decide.seating import (
    close,
    come_back,
    extend,
    hold,
    impose_penalty,
    open_table,
    record_wait,
    resume,
    seat_arrivals,
    step_away,
    vacate,
)
from engine.table.decide.showing import show
from engine.table.decide.turns import call_hand, field_cards, take_card_turn
from engine.table.decide.voiding import void_deal
from engine.table.evolve.at_table import evolve
from engine.table.games.course import Course
from engine.table.games.playing import advance
from engine.table.model import commands, errors
from engine.table.model.commands import Command
from engine.table.model.events import Event
from engine.table.model.state import State, Table, Unopened


def decide(state: State, command: Command) -> tuple[Event, ...]:
    """
    Return the events that *command* causes in *state*, or no events if nothing would change.

    The table plays on until the next decision opens or the hand ends.

    Raises:
        CommandRejected: If the rules forbid the command.
    """
    decided = _decided(state, command, shuffled_pile)
    return tuple(decided.events) if isinstance(decided, Course) else decided


def decide_through(
    state: State, command: Command, draw: Draw = shuffled_pile
) -> tuple[tuple[Event, ...], State]:
    """
    Return the events of :func:`decide` and the state after them.

    Args:
        draw: Draws the piles.

    Raises:
        CommandRejected: If the rules forbid the command.
    """
    decided = _decided(state, command, draw)
    if isinstance(decided, Course):
        return tuple(decided.events), decided.outcome()
    return decided, reduce(evolve, decided, state)


def _decided(state: State, command: Command, draw: Draw) -> Course | tuple[Event, ...]:
    if isinstance(state, Table) and not state.closed:
        return _AT_TABLE[type(command)](state, draw, command)
    if isinstance(command, commands.OpenTable):
        return (
            (open_table(command),) if isinstance(state, Unopened) else _open_again(state, command)
        )
    if isinstance(state, Unopened):
        raise errors.TableNotOpened
    if isinstance(command, commands.CloseTable):
        return ()
    raise errors.TableIsClosed


def _open_again(table: Table, command: commands.OpenTable) -> tuple[Event, ...]:
    raise errors.TableAlreadyOpened(number=table.number)


def _await_beacon(table: Table, command: commands.AwaitBeacon) -> tuple[Event, ...]:
    if table.hand is not None:
        raise errors.HandInPlay(hand=table.hand.number)
    return await_beacon(table, command)


def _open_hand(course: Course, command: commands.OpenHand) -> None:
    if course.table.hand is not None:
        raise errors.HandInPlay(hand=course.table.hand.number)
    if course.table.held is not None:
        raise errors.TableOnHold(reason=course.table.held)
    beacon = mixed(course.table, command)
    course.emit(open_hand(course.table, command, course.draw))
    for each in beacon:
        course.emit(each)
    advance(course, command.now)


_IN_PLAY = (
    Cases[Course, Never, None]()
    .on(commands.OpenHand, _open_hand)
    .on(commands.Select, select)
    .on(commands.Improve, improve)
    .on(commands.Act, act_on_turn)
    .on(commands.TimeOut, time_out)
    .on(commands.QuitHand, quit_hand)
    .on(commands.TakeCardTurn, take_card_turn)
    .on(commands.FieldCards, field_cards)
    .on(commands.CallHand, call_hand)
)
_BETWEEN = (
    Cases[Table, Never, tuple[Event, ...]]()
    .on(commands.OpenTable, _open_again)
    .on(commands.ShowHand, show)
    .on(commands.BuyChips, buy_chips)
    .on(commands.ReturnChips, return_chips)
    .on(commands.ImposePenalty, impose_penalty)
    .on(commands.AwardCarry, award_carry)
    .on(commands.VoidDeal, void_deal)
    .on(commands.StepAway, step_away)
    .on(commands.ComeBack, come_back)
    .on(commands.VacateSeats, vacate)
    .on(commands.SeatArrivals, seat_arrivals)
    .on(commands.HoldTable, hold)
    .on(commands.ResumeTable, resume)
    .on(commands.ExtendDecision, extend)
    .on(commands.RecordWait, record_wait)
    .on(commands.AwaitBeacon, _await_beacon)
    .on(commands.CloseTable, close)
)

Asked = TypeVar("Asked")
Decided = Course | tuple[Event, ...]


def _playing(cases: Cases[Course, Asked, None]) -> Cases[Table, Draw, Asked, Decided]:
    """Return *cases* with functions that make their own ``Course``."""
    return Cases({kind: _on_course(then) for kind, then in cases.items()})


def _on_course(
    play: Callable[[Course, Asked], None],
) -> Callable[[Table, Draw, Asked], Decided]:
    def decided(table: Table, draw: Draw, command: Asked) -> Decided:
        course = Course(table, draw)
        play(course, command)
        return course

    return decided


def _drawing_nothing(
    cases: Cases[Table, Asked, tuple[Event, ...]],
) -> Cases[Table, Draw, Asked, Decided]:
    """Return *cases* with functions that ignore ``draw``."""
    return Cases({kind: _without_draw(then) for kind, then in cases.items()})


def _without_draw(
    then: Callable[[Table, Asked], tuple[Event, ...]],
) -> Callable[[Table, Draw, Asked], Decided]:
    return lambda table, draw, command: then(table, command)


_AT_TABLE = _playing(_IN_PLAY).and_all(_drawing_nothing(_BETWEEN))
