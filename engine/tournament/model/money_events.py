"""What can have happened to a tournament's money."""

from typing import Literal

import msgspec

from engine.tournament.model.money_values import DealMethod, DealShare, PaymentKind, Refund
from engine.tournament.model.terms_fees import BeforeTheMoney, InTheMoney
from engine.tournament.model.values import Standing
from engine.values import Chips, EntrantId, PlayerId, Seat, TableId

RefundPolicy = Literal["before_play", BeforeTheMoney, InTheMoney]


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class PaymentRecorded(_Event, frozen=True, kw_only=True, tag="payment_recorded"):
    """Staff saw money change hands, outside of this service."""

    entrant: EntrantId
    player: PlayerId
    kind: PaymentKind
    amount: int
    currency: str
    by: PlayerId
    rule: str


class AddOnTaken(_Event, frozen=True, kw_only=True, tag="add_on_taken"):
    """Chips were bought; in the same append they are brought to the seat."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    chips: Chips
    number: int
    """Of this entrant's add-ons, from 1."""
    rule: str


class EntrantKnockedOut(_Event, frozen=True, kw_only=True, tag="entrant_knocked_out"):
    """
    Who won the pot that held somebody's last chips.

    It counts if the entrant is eliminated, not if it comes back.
    """

    entrant: EntrantId
    table: TableId
    hand: int
    pot: int
    """Numbered from 1, the main pot."""
    by: tuple[EntrantId, ...]
    """In seat order; none if nobody won that pot."""
    rule: str


class BountyWon(_Event, frozen=True, kw_only=True, tag="bounty_won"):
    """A bounty, or one winner's part of it."""

    entrant: EntrantId
    """Whose head it was on."""
    by: EntrantId
    amount: int
    currency: str
    rule: str


class BountyUnclaimed(_Event, frozen=True, kw_only=True, tag="bounty_unclaimed"):
    """Nobody won a bounty; it has joined the prize pool."""

    entrant: EntrantId
    amount: int
    currency: str
    rule: str


class PayoutDealProposed(_Event, frozen=True, kw_only=True, tag="payout_deal_proposed"):
    """
    A deal waits for the answers of everyone still in.

    From version 2 on it lapses as soon as any of them is out. A deal of version 1 stayed open
    when a party went out other than by a bust or a disqualification.
    """

    number: int
    """Of the deals proposed in this tournament, from 1."""
    by: EntrantId | None
    """None if a director proposed it."""
    method: DealMethod
    stacks: tuple[Standing, ...]
    """Of everyone still in, where the shares go by chips."""
    shares: tuple[DealShare, ...]
    play_for: int
    ends: bool
    currency: str
    rule: str


class PayoutDealAccepted(_Event, frozen=True, kw_only=True, tag="payout_deal_accepted"):
    number: int
    entrant: EntrantId


class PayoutDealMade(_Event, frozen=True, kw_only=True, tag="payout_deal_made"):
    """Everyone still in has agreed; what they get is fixed."""

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
    """What a cancelled tournament owes whom, by the policy its terms name."""

    policy: RefundPolicy
    pool: int
    """What the prize pool had come to."""
    stacks: tuple[Standing, ...]
    """Of everyone still in, between two hands: bets of a hand in play have gone back."""
    refunds: tuple[Refund, ...]
    """In order of registration, without those who get nothing."""
    currency: str
    rule: str


Event = (
    PaymentRecorded
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
