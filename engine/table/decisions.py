"""Which events a command to a table leads to."""

from functools import reduce
from typing import assert_never

from engine.rng import Draw, shuffled_pile
from engine.table import commands, errors
from engine.table.answers import act_on_turn, improve, select, time_out
from engine.table.buying import buy_chips, return_chips
from engine.table.commands import Command
from engine.table.course import Course
from engine.table.events import Event
from engine.table.evolution import evolve
from engine.table.opening import await_beacon, mixed, open_hand
from engine.table.playing import advance
from engine.table.quitting import award_carry, quit_hand
from engine.table.seating import (
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
from engine.table.showing import show
from engine.table.state import State, Table, Unopened
from engine.table.turns import call_hand, field_cards, take_card_turn
from engine.table.voiding import void_deal


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
    return _decided_at(state, command, draw)


_Between = (
    commands.ShowHand
    | commands.BuyChips
    | commands.ReturnChips
    | commands.ImposePenalty
    | commands.AwardCarry
    | commands.VoidDeal
    | commands.StepAway
    | commands.ComeBack
    | commands.VacateSeats
    | commands.SeatArrivals
    | commands.HoldTable
    | commands.ResumeTable
    | commands.ExtendDecision
    | commands.RecordWait
    | commands.AwaitBeacon
    | commands.CloseTable
)
_OnTurn = commands.TakeCardTurn | commands.FieldCards | commands.CallHand
_InPlay = (
    commands.OpenHand
    | commands.Select
    | commands.Improve
    | commands.Act
    | commands.TimeOut
    | commands.QuitHand
    | _OnTurn
)


def _decided_at(
    table: Table, command: _InPlay | _Between, draw: Draw
) -> Course | tuple[Event, ...]:
    course = Course(table, draw)
    match command:
        case commands.Select():
            select(course, command)
        case commands.Improve():
            improve(course, command)
        case commands.Act():
            act_on_turn(course, command)
        case commands.TimeOut():
            time_out(course, command)
        case commands.OpenHand():
            _open_hand(course, command)
        case commands.QuitHand():
            quit_hand(course, command)
        case commands.TakeCardTurn():
            take_card_turn(course, command)
        case commands.FieldCards():
            field_cards(course, command)
        case commands.CallHand():
            call_hand(course, command)
        case _:
            return _decide_between(table, command)
    return course


def _decide_between(table: Table, command: _Between) -> tuple[Event, ...]:  # noqa: PLR0911
    match command:
        case commands.VacateSeats():
            return vacate(table, command)
        case commands.SeatArrivals():
            return seat_arrivals(table, command)
        case commands.ShowHand():
            return show(table, command)
        case commands.BuyChips():
            return buy_chips(table, command)
        case commands.ReturnChips():
            return return_chips(table, command)
        case commands.ImposePenalty():
            return impose_penalty(table, command)
        case commands.AwardCarry():
            return award_carry(table, command)
        case commands.VoidDeal():
            return void_deal(table, command)
        case commands.StepAway(entrant=entrant):
            return step_away(table, entrant)
        case commands.ComeBack(entrant=entrant):
            return come_back(table, entrant)
        case commands.HoldTable():
            return hold(table, command)
        case commands.ResumeTable():
            return resume(table, command)
        case commands.ExtendDecision():
            return extend(table, command)
        case commands.RecordWait():
            return record_wait(table, command)
        case commands.AwaitBeacon():
            return _await_beacon(table, command)
        case commands.CloseTable():
            return close(table, command)
        case _:
            assert_never(command)


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
