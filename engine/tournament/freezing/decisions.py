"""
How prizes and points wait for a dispute.

Source: rulebook ``disputes.freeze``.
"""

from typing import Any, assert_never

from engine.kit.freezes import Frozen
from engine.tournament.model.commands import Cancel
from engine.tournament.model.correcting_commands import CorrectResult, Forfeit, Reaward
from engine.tournament.model.freezing_commands import Command, FreezeResult, ReleaseResult
from engine.tournament.model.freezing_events import Event, ResultFrozen, ResultReleased
from engine.tournament.model.money_commands import AcceptDeal, ProposeDeal, RecordPayment
from engine.tournament.model.rounds_commands import SeatRound
from engine.tournament.model.state import State

WAITING = CorrectResult | Forfeit | Reaward | ProposeDeal | AcceptDeal | SeatRound | Cancel
"""Commands that wait for a dispute: money goes by them, or the next round is seated."""


def decide(state: State, command: Command) -> tuple[Event, ...]:
    """Return that the result waits, or waits no longer; none if it is already so."""
    already = command.dispute in state.frozen
    match command:
        case FreezeResult():
            if already:
                return ()
            return (ResultFrozen(dispute=command.dispute, rule="disputes.freeze"),)
        case ReleaseResult():
            if not already:
                return ()
            return (ResultReleased(dispute=command.dispute, rule="disputes.freeze"),)
        case _:
            assert_never(command)


def waits(command: Any) -> bool:
    """Whether *command* waits for a dispute; money that is given back does, none that comes."""
    if isinstance(command, RecordPayment):
        return command.kind == "refund"
    return isinstance(command, WAITING)


def demand_free(state: State) -> None:
    """
    Check that no dispute holds the result of a tournament.

    Raises:
        Frozen: With the first dispute that does.
    """
    if state.frozen:
        raise Frozen(dispute=state.frozen[0])
