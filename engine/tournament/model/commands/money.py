"""The commands that change a tournament's books."""

from datetime import datetime

import msgspec

from engine.tournament.model.values import Standing
from engine.tournament.model.values.money import DealMethod, DealShare, PaymentKind
from engine.values import EntrantId, PlayerId, TextRef


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class RecordPayment(_Command, frozen=True, kw_only=True, tag="record_payment"):
    """Record a payment by an entrant, or the return of an overpayment."""

    entrant: EntrantId
    kind: PaymentKind
    amount: int
    by: PlayerId
    """The member of staff who records it."""
    now: datetime


class ReversePayment(_Command, frozen=True, kw_only=True, tag="reverse_payment"):
    """Take back a payment that was recorded by mistake."""

    entrant: EntrantId
    kind: PaymentKind
    amount: int
    by: PlayerId
    """The member of staff who takes it back."""
    reason: TextRef
    now: datetime


class HandOverPrize(_Command, frozen=True, kw_only=True, tag="hand_over_prize"):
    """Record that an entrant got the prize, or what a correction added to it."""

    entrant: EntrantId
    by: PlayerId
    """The member of staff who handed it over."""
    now: datetime


class ReturnPrize(_Command, frozen=True, kw_only=True, tag="return_prize"):
    """Record that an entrant gave back what a correction took from the prize."""

    entrant: EntrantId
    by: PlayerId
    """The member of staff who took it back."""
    now: datetime


class ReversePrize(_Command, frozen=True, kw_only=True, tag="reverse_prize"):
    """Take back the record of a prize that was handed over by mistake, or to the wrong person."""

    entrant: EntrantId
    amount: int | None = None
    """The part that was not handed over, or None for everything recorded."""

    recorded: int | None = None
    """The sum recorded as handed over, as the member of staff saw it. None means any."""

    by: PlayerId
    """The member of staff who takes it back."""
    reason: TextRef
    now: datetime


class TakeAddOn(_Command, frozen=True, kw_only=True, tag="take_add_on"):
    """Buy the add-on of the terms, while no hand is in play."""

    entrant: EntrantId
    by: PlayerId | None = None
    """The member of staff who acts for the player, if any."""
    now: datetime


class ProposeDeal(_Command, frozen=True, kw_only=True, tag="propose_deal"):
    """Propose to everyone still in how to divide the prizes."""

    by: EntrantId | None
    """None for a director."""
    method: DealMethod
    shares: tuple[DealShare, ...] = ()
    """The shares, if the method is ``explicit``."""
    stacks: tuple[Standing, ...] = ()
    """The stacks of everyone still in, between two hands."""
    play_for: int = 0
    ends: bool = False
    now: datetime


class AcceptDeal(_Command, frozen=True, kw_only=True, tag="accept_deal"):
    entrant: EntrantId
    offer: int
    now: datetime


class DeclineDeal(_Command, frozen=True, kw_only=True, tag="decline_deal"):
    entrant: EntrantId
    offer: int
    now: datetime


Command = (
    RecordPayment
    | ReversePayment
    | HandOverPrize
    | ReturnPrize
    | ReversePrize
    | TakeAddOn
    | ProposeDeal
    | AcceptDeal
    | DeclineDeal
)
