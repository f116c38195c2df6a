"""Which events an order to the floor leads to."""

from datetime import datetime
from typing import assert_never

from engine.tournament.evolve.tournament import after
from engine.tournament.floor import breaks, hand_for_hand, last_hands, redraws, rulings
from engine.tournament.model import floor_commands
from engine.tournament.model.events import Event
from engine.tournament.model.state import Running


def decide(state: Running, command: floor_commands.Command) -> tuple[Event, ...]:
    """
    Return the events that *command* causes; none if it is already so.

    Raises:
        CommandRejected: If it cannot be done as things are.
    """
    match command:
        case floor_commands.OrderMove():
            return rulings.order_move(state, command)
        case floor_commands.ChangeBreakingOrder():
            return rulings.change_breaking_order(state, command)
        case floor_commands.HoldOneTable():
            return rulings.hold_table(state, command)
        case floor_commands.ReleaseTable():
            return rulings.release_table(state, command)
        case floor_commands.Warn():
            return rulings.warn(state, command)
        case floor_commands.Penalise():
            return rulings.penalise(state, command)
        case floor_commands.Disqualify():
            return rulings.disqualify(state, command)
        case floor_commands.RecordRemoval():
            return rulings.record_removal(state, command)
        case floor_commands.RecordRedraw():
            return redraws.record(state, command)
        case _:
            return _decide_course(state, command)


_Course = (
    floor_commands.AnnounceBreak
    | floor_commands.EndBreak
    | floor_commands.EndDueBreak
    | floor_commands.CallLastHands
    | floor_commands.CountLastHands
    | floor_commands.StartHandForHand
    | floor_commands.EndHandForHand
    | floor_commands.OpenRound
    | floor_commands.CloseRound
)


def _decide_course(state: Running, command: _Course) -> tuple[Event, ...]:
    match command:
        case floor_commands.AnnounceBreak():
            return breaks.announce(state, command)
        case floor_commands.EndBreak():
            return breaks.end(state, command)
        case floor_commands.EndDueBreak():
            return breaks.end_due_break(state, command)
        case floor_commands.CallLastHands():
            return last_hands.call(state, command)
        case floor_commands.CountLastHands():
            return last_hands.count(state, command)
        case floor_commands.StartHandForHand():
            return hand_for_hand.start(state, command)
        case floor_commands.EndHandForHand():
            return hand_for_hand.end(state, command)
        case floor_commands.OpenRound():
            return hand_for_hand.open_round(state, command)
        case floor_commands.CloseRound():
            return hand_for_hand.close_round(state, command)
        case _:
            assert_never(command)


def with_bubble(state: Running, events: tuple[Event, ...], now: datetime) -> tuple[Event, ...]:
    """Return *events*, by which somebody went out, and what the terms make of how many are left."""
    then = after(state, events)
    if not isinstance(then, Running):
        return events
    cause = hand_for_hand.begun_by_itself(then)
    return events if cause is None else (*events, *hand_for_hand.beginning(then, cause, now))
