"""
Prizes and points that wait for a dispute.

Source: rulebook ``disputes.freeze``.
"""

from typing import Any, Never

from engine.decider import Cases
from engine.kit.freezes import Frozen
from engine.tournament.model.commands import Cancel
from engine.tournament.model.commands.correcting import CorrectResult, Forfeit, Reaward
from engine.tournament.model.commands.freezing import FreezeResult, ReleaseResult
from engine.tournament.model.commands.money import (
    AcceptDeal,
    HandOverPrize,
    ProposeDeal,
    RecordPayment,
    ReturnPrize,
)
from engine.tournament.model.commands.rounds import SeatRound
from engine.tournament.model.events import Event
from engine.tournament.model.events.freezing import ResultFrozen, ResultReleased
from engine.tournament.model.state import State

WAITING = (
    CorrectResult
    | Forfeit
    | Reaward
    | HandOverPrize
    | ReturnPrize
    | ProposeDeal
    | AcceptDeal
    | SeatRound
    | Cancel
)
"""Commands that wait for a dispute, because they pay money or seat the next round."""


def _freeze(state: State, command: FreezeResult) -> tuple[ResultFrozen, ...]:
    if command.dispute in state.frozen:
        return ()
    return (ResultFrozen(dispute=command.dispute, rule="disputes.freeze"),)


def _release(state: State, command: ReleaseResult) -> tuple[ResultReleased, ...]:
    if command.dispute not in state.frozen:
        return ()
    return (ResultReleased(dispute=command.dispute, rule="disputes.freeze"),)


def waits(command: Any) -> bool:
    """Return whether *command* waits for a dispute. Refunds wait, but incoming payments do not."""
    if isinstance(command, RecordPayment):
        return command.kind == "refund"
    return isinstance(command, WAITING)


def demand_free(state: State) -> None:
    """
    Check that no dispute freezes the result of a tournament.

    Raises:
        Frozen: With the first dispute that does.
    """
    if state.frozen:
        raise Frozen(dispute=state.frozen[0])


DECIDED = (
    Cases[State, Never, tuple[Event, ...]]().on(FreezeResult, _freeze).on(ReleaseResult, _release)
)
