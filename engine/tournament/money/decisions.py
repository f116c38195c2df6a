"""The decisions of commands about a tournament's money."""

from typing import Never

from engine.decider import Cases
from engine.tournament.model.commands.money import (
    AcceptDeal,
    DeclineDeal,
    HandOverPrize,
    ProposeDeal,
    RecordPayment,
    ReturnPrize,
    ReversePayment,
    ReversePrize,
    TakeAddOn,
)
from engine.tournament.model.events import Event
from engine.tournament.model.state import State
from engine.tournament.money import dealing, handing_over, paying

DECIDED = (
    Cases[State, Never, tuple[Event, ...]]()
    .on(RecordPayment, paying.record_payment)
    .on(ReversePayment, paying.reverse_payment)
    .on(HandOverPrize, handing_over.hand_over)
    .on(ReturnPrize, handing_over.give_back)
    .on(ReversePrize, handing_over.reverse)
    .on(TakeAddOn, paying.take_add_on)
    .on(ProposeDeal, dealing.propose)
    .on(AcceptDeal, dealing.accept)
    .on(DeclineDeal, dealing.decline)
)
