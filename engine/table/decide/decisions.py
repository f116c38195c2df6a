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
    return decide_through(state, command)[0]


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
    if isinstance(state, Table) and not state.closed:
        course = Course(state, draw)
        _AT_TABLE[type(command)](course, command)
        return tuple(course.events), course.table
    decided = _away_from_table(state, command)
    return decided, reduce(evolve, decided, state)


def _away_from_table(state: State, command: Command) -> tuple[Event, ...]:
    """Return the events of a command before the table opens, or after it has closed."""
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


def _emitted(
    cases: Cases[Table, Asked, tuple[Event, ...]],
) -> Cases[Course, Asked, None]:
    """Return *cases* with functions that append their events to a course."""
    return Cases({kind: _emitting(then) for kind, then in cases.items()})


def _emitting(
    then: Callable[[Table, Asked], tuple[Event, ...]],
) -> Callable[[Course, Asked], None]:
    def decided(course: Course, command: Asked) -> None:
        for event in then(course.table, command):
            course.emit(event)

    return decided


_AT_TABLE = _IN_PLAY.and_all(_emitted(_BETWEEN))
