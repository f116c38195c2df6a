"""Which events a command to a table leads to."""

from collections.abc import Callable
from functools import reduce
from typing import Any

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
    Return the events that *command* causes in *state*; none if it is already so.

    The table advances itself as far as it can: to the next decision, or to the
    end of the hand.

    Raises:
        CommandRejected: If the rules forbid the command.
    """
    decided = _decided(state, command, shuffled_pile)
    return tuple(decided.events) if isinstance(decided, Course) else decided


def decide_through(
    state: State, command: Command, draw: Draw = shuffled_pile
) -> tuple[tuple[Event, ...], State]:
    """
    Return the same events, and the state they lead to.

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
    play = _IN_PLAY.get(type(command))
    if play is not None and isinstance(state, Table) and not state.closed:
        course = Course(state, draw)
        play(course, command)
        return course
    if isinstance(command, commands.OpenTable):
        if isinstance(state, Table):
            raise errors.TableAlreadyOpened(number=state.number)
        return (open_table(command),)
    if isinstance(state, Unopened):
        raise errors.TableNotOpened
    if state.closed:
        if isinstance(command, commands.CloseTable):
            return ()
        raise errors.TableIsClosed
    return _BETWEEN[type(command)](state, command)


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


# By type: one look-up, where a ``match`` would try one class after the other at each command.
_IN_PLAY: dict[type, Callable[[Course, Any], None]] = {
    commands.OpenHand: _open_hand,
    commands.Select: select,
    commands.Improve: improve,
    commands.Act: act_on_turn,
    commands.TimeOut: time_out,
    commands.QuitHand: quit_hand,
    commands.TakeCardTurn: take_card_turn,
    commands.FieldCards: field_cards,
    commands.CallHand: call_hand,
}
_BETWEEN: dict[type, Callable[[Table, Any], tuple[Event, ...]]] = {
    commands.ShowHand: show,
    commands.BuyChips: buy_chips,
    commands.ReturnChips: return_chips,
    commands.ImposePenalty: impose_penalty,
    commands.AwardCarry: award_carry,
    commands.VoidDeal: void_deal,
    commands.StepAway: step_away,
    commands.ComeBack: come_back,
    commands.VacateSeats: vacate,
    commands.SeatArrivals: seat_arrivals,
    commands.HoldTable: hold,
    commands.ResumeTable: resume,
    commands.ExtendDecision: extend,
    commands.RecordWait: record_wait,
    commands.AwaitBeacon: _await_beacon,
    commands.CloseTable: close,
}
