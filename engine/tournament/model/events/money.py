"""The events of a tournament's money."""

from typing import Literal

import msgspec

from engine.tournament.model.terms.fees import BeforeTheMoney, InTheMoney
from engine.tournament.model.values import Standing
from engine.tournament.model.values.money import DealMethod, DealShare, PaymentKind, Refund
from engine.values import Chips, EntrantId, PlayerId, Seat, TableId, TextRef

RefundPolicy = Literal["before_play", BeforeTheMoney, InTheMoney]


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class PaymentRecorded(_Event, frozen=True, kw_only=True, tag="payment_recorded"):
    """Staff recorded a payment made outside this service."""

    entrant: EntrantId
    player: PlayerId
    kind: PaymentKind
    amount: int
    currency: str
    by: PlayerId
    rule: str


class PaymentReversed(_Event, frozen=True, kw_only=True, tag="payment_reversed"):
    """Staff took back a payment, or a part of it, that had been recorded by mistake."""

    entrant: EntrantId
    player: PlayerId
    kind: PaymentKind
    amount: int
    """The part that was never paid. It is no more than was recorded for this purpose."""
    currency: str
    by: PlayerId
    reason: TextRef
    rule: str


class PrizeHandedOver(_Event, frozen=True, kw_only=True, tag="prize_handed_over"):
    """Staff handed a prize over, outside this service."""

    entrant: EntrantId
    amount: int
    """The payout, less what was handed over before."""
    currency: str
    by: PlayerId
    rule: str


class PrizeReturned(_Event, frozen=True, kw_only=True, tag="prize_returned"):
    """Staff took back what an entrant had got beyond the payout that stands after a correction."""

    entrant: EntrantId
    amount: int
    """The amount handed over, less the payout."""
    currency: str
    by: PlayerId
    rule: str


class PrizeReversed(_Event, frozen=True, kw_only=True, tag="prize_reversed"):
    """Staff took back the record that a prize was handed over. It was made by mistake."""

    entrant: EntrantId
    amount: int
    """No more than was handed over to the entrant and has not come back."""
    currency: str
    by: PlayerId
    reason: TextRef
    rule: str


class AddOnTaken(_Event, frozen=True, kw_only=True, tag="add_on_taken"):
    """An entrant bought an add-on. The chips come to the seat in the same append."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    chips: Chips
    number: int
    """The number of this entrant's add-ons, from 1."""
    by: PlayerId | None
    """The member of staff who did it for the player. Null if the player or the house did."""
    rule: str


class EntrantKnockedOut(_Event, frozen=True, kw_only=True, tag="entrant_knocked_out"):
    """
    An entrant's last chips went into a pot, and the event names its winners.

    It counts if the entrant is eliminated. It does not count if the entrant comes back.
    """

    entrant: EntrantId
    table: TableId
    hand: int
    pot: int
    """The number of the pot. 1 is the main pot."""
    by: tuple[EntrantId, ...]
    """The winners in seat order, or empty if nobody won the pot."""
    rule: str


class BountyWon(_Event, frozen=True, kw_only=True, tag="bounty_won"):
    """An entrant won a bounty, or a part of it."""

    entrant: EntrantId
    """The entrant that carried the bounty."""
    by: EntrantId
    amount: int
    currency: str
    rule: str


class BountyUnclaimed(_Event, frozen=True, kw_only=True, tag="bounty_unclaimed"):
    """Nobody won a bounty. It joined the prize pool."""

    entrant: EntrantId
    amount: int
    currency: str
    rule: str


class PayoutDealProposed(_Event, frozen=True, kw_only=True, tag="payout_deal_proposed"):
    """
    A payout deal was proposed to everyone still in, and waits for their answers.

    From version 2 on it lapses if one of them is out. A deal of version 1 stayed open when one
    of them went out other than by a bust or a disqualification.
    """

    number: int
    """The number of this deal in the tournament, from 1."""
    by: EntrantId | None
    """The entrant who proposed it, or null for a director."""
    method: DealMethod
    stacks: tuple[Standing, ...]
    """The stacks of everyone still in, if the shares go by chips."""
    shares: tuple[DealShare, ...]
    play_for: int
    ends: bool
    currency: str
    rule: str


class PayoutDealAccepted(_Event, frozen=True, kw_only=True, tag="payout_deal_accepted"):
    number: int
    entrant: EntrantId


class PayoutDealMade(_Event, frozen=True, kw_only=True, tag="payout_deal_made"):
    """Everyone still in agreed to a payout deal. Their shares are fixed."""

    number: int
    rule: str


class PayoutDealVoided(_Event, frozen=True, kw_only=True, tag="payout_deal_voided"):
    """
    A proposed deal lapsed because ``entrant`` declined it or is out.

    Version 1 had no cause ``eliminated``.
    """

    number: int
    entrant: EntrantId
    cause: Literal["declined", "bust", "disqualified", "eliminated"]
    """``eliminated``: the end of a round, the cut or a purge put the entrant out."""
    rule: str


class RefundsAwarded(_Event, frozen=True, kw_only=True, tag="refunds_awarded"):
    """Refunds were awarded after a cancellation, by the policy of the terms."""

    policy: RefundPolicy
    pool: int
    """The amount in the prize pool."""
    stacks: tuple[Standing, ...]
    """The stacks of everyone still in. Bets of a hand in play have gone back."""
    refunds: tuple[Refund, ...]
    """In the order of registration, without entrants who get nothing."""
    currency: str
    rule: str


Event = (
    PaymentRecorded
    | PaymentReversed
    | PrizeHandedOver
    | PrizeReturned
    | PrizeReversed
    | AddOnTaken
    | EntrantKnockedOut
    | BountyWon
    | BountyUnclaimed
    | PayoutDealProposed
    | PayoutDealAccepted
    | PayoutDealMade
    | PayoutDealVoided
    | RefundsAwarded
)
