"""Which events a command to a tournament's books leads to."""

from typing import assert_never

from engine.tournament.model.events import Event
from engine.tournament.model.money_commands import (
    AcceptDeal,
    Command,
    DeclineDeal,
    ProposeDeal,
    RecordPayment,
    TakeAddOn,
)
from engine.tournament.model.state import State
from engine.tournament.money import dealing, paying


def decide(state: State, command: Command) -> tuple[Event, ...]:
    """
    Return the events that *command* causes in *state*.

    Raises:
        CommandRejected: If the terms or the rules forbid the command.
    """
    match command:
        case RecordPayment():
            return paying.record_payment(state, command)
        case TakeAddOn():
            return paying.take_add_on(state, command)
        case ProposeDeal():
            return dealing.propose(state, command)
        case AcceptDeal():
            return dealing.accept(state, command)
        case DeclineDeal():
            return dealing.decline(state, command)
        case _:
            assert_never(command)
