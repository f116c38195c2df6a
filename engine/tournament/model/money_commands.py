"""What can be asked of a tournament's books."""

from datetime import datetime

import msgspec

from engine.tournament.model.money_values import DealMethod, DealShare, PaymentKind
from engine.tournament.model.values import Standing
from engine.values import EntrantId, PlayerId


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class RecordPayment(_Command, frozen=True, kw_only=True, tag="record_payment"):
    """Write down that an entrant has paid, or was given back what it had paid too much."""

    entrant: EntrantId
    kind: PaymentKind
    amount: int
    by: PlayerId
    """Who of the staff says so."""
    now: datetime


class TakeAddOn(_Command, frozen=True, kw_only=True, tag="take_add_on"):
    """Buy the chips that the terms sell while play stands."""

    entrant: EntrantId
    now: datetime


class ProposeDeal(_Command, frozen=True, kw_only=True, tag="propose_deal"):
    """Offer everyone still in a division of what they play for."""

    by: EntrantId | None
    """None for a director."""
    method: DealMethod
    shares: tuple[DealShare, ...] = ()
    """Where the method is explicit."""
    stacks: tuple[Standing, ...] = ()
    """Of everyone still in, between two hands."""
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


Command = RecordPayment | TakeAddOn | ProposeDeal | AcceptDeal | DeclineDeal
