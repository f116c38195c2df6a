"""The decisions of commands from directors, tables and the clock while play is on."""

from datetime import datetime
from typing import Never

from engine.decider import Cases
from engine.tournament.evolve.tournament import after
from engine.tournament.floor import breaks, clock, hand_for_hand, last_hands, redraws, rulings
from engine.tournament.model.commands import floor as floor_commands
from engine.tournament.model.events import Event
from engine.tournament.model.state import Running


def with_bubble(state: Running, events: tuple[Event, ...], now: datetime) -> tuple[Event, ...]:
    """Return *events*, which eliminate somebody, and the hand-for-hand play that they may begin."""
    then = after(state, events)
    if not isinstance(then, Running):
        return events
    cause = hand_for_hand.begun_by_itself(then)
    return events if cause is None else (*events, *hand_for_hand.beginning(then, cause, now))


DECIDED = (
    Cases[Running, Never, tuple[Event, ...]]()
    .on(floor_commands.OrderMove, rulings.order_move)
    .on(floor_commands.ChangeBreakingOrder, rulings.change_breaking_order)
    .on(floor_commands.HoldOneTable, rulings.hold_table)
    .on(floor_commands.ReleaseTable, rulings.release_table)
    .on(floor_commands.Warn, rulings.warn)
    .on(floor_commands.Penalise, rulings.penalise)
    .on(floor_commands.Disqualify, rulings.disqualify)
    .on(floor_commands.RecordRemoval, rulings.record_removal)
    .on(floor_commands.RecordRedraw, redraws.record)
    .on(floor_commands.SetClock, clock.set_clock)
    .on(floor_commands.AnnounceBreak, breaks.announce)
    .on(floor_commands.EndBreak, breaks.end)
    .on(floor_commands.EndDueBreak, breaks.end_due_break)
    .on(floor_commands.CallLastHands, last_hands.call)
    .on(floor_commands.CountLastHands, last_hands.count)
    .on(floor_commands.StartHandForHand, hand_for_hand.start)
    .on(floor_commands.EndHandForHand, hand_for_hand.end)
    .on(floor_commands.OpenRound, hand_for_hand.open_round)
    .on(floor_commands.CloseRound, hand_for_hand.close_round)
)
