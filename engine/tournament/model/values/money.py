"""The parts of a tournament's books. Money is in minor units of its currency."""

from typing import Literal

import msgspec

from engine.values import EntrantId, PlayerId

PaymentKind = Literal["buy_in", "fee", "rebuy", "add_on", "bounty", "refund"]
DealMethod = Literal["explicit", "by_chips", "equal"]


class Payment(msgspec.Struct, frozen=True, kw_only=True):
    """A payment by an entrant. A refund went to the entrant. A reversal has a negative amount."""

    entrant: EntrantId
    player: PlayerId
    """The player of the entry. A withdrawn player is no longer an entrant, but may have credit."""
    kind: PaymentKind
    amount: int


class Knockout(msgspec.Struct, frozen=True, kw_only=True):
    """The winners of an entrant's last chips. It counts after the entrant is eliminated."""

    entrant: EntrantId
    by: tuple[EntrantId, ...]


class BountyPaid(msgspec.Struct, frozen=True, kw_only=True):
    """The winner of a bounty, or of a part of it."""

    entrant: EntrantId
    by: EntrantId
    amount: int


class DealShare(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The share of one entrant in a payout deal. It does not depend on the entrant's place."""

    entrant: EntrantId
    amount: int


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A payout deal that is proposed or made, with the entrants who have agreed so far."""

    number: int
    shares: tuple[DealShare, ...]
    play_for: int
    """The money left for the winner."""
    ends: bool
    """True if play ends with the deal."""
    method: DealMethod
    by: EntrantId | None
    """The entrant who proposed it, or null for a director."""
    accepted: tuple[EntrantId, ...] = ()


class Refund(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The refund of one entrant in a cancelled tournament, part by part."""

    entrant: EntrantId
    """The entrant who gets the money."""

    player: PlayerId
    """The player of that entrant."""

    paid_in: int = 0
    """The money that the entry had paid to the pool."""
    fee: int = 0
    """The fees that the entry had paid."""

    bounty: int = 0
    """The entrant's own bounty, if nobody has won it."""
    prize: int = 0
    """For a place already won, by a deal, or for the lowest place not yet paid."""
    equal: int = 0
    """The entrant's part of the money that everyone still in shares equally."""
    chips: int = 0
    """The entrant's part of the money that is divided by stacks. It is money, not chips."""

    @property
    def amount(self) -> int:
        """Return the sum of all parts."""
        return self.paid_in + self.fee + self.bounty + self.prize + self.equal + self.chips


class HandedOver(msgspec.Struct, frozen=True, kw_only=True):
    """A prize that an entrant got, or a part of it."""

    entrant: EntrantId
    amount: int
    """Negative if the entrant gave it back."""


class Books(msgspec.Struct, frozen=True, kw_only=True):
    """The facts in a tournament that its money depends on."""

    payments: tuple[Payment, ...] = ()
    rebuys: tuple[EntrantId, ...] = ()
    """The entrant of each rebuy, once for each."""
    add_ons: tuple[EntrantId, ...] = ()
    """The entrant of each add-on, once for each."""
    knockouts: tuple[Knockout, ...] = ()
    """The knock-outs of all entrants who busted and did not come back."""
    bounties: tuple[BountyPaid, ...] = ()
    unclaimed: tuple[EntrantId, ...] = ()
    """The entrants with an unclaimed bounty, which joined the pool."""
    offers: int = 0
    """The number of deals ever proposed."""
    offer: Offer | None = None
    """The deal that is proposed and still open."""
    deal: Offer | None = None
    """The deal that everyone agreed to."""
    policy: str | None = None
    """The policy by which the money of a cancelled tournament was refunded."""
    handed_over: tuple[HandedOver, ...] = ()
    """The prizes that were handed over or given back, oldest first."""
    refunds: tuple[Refund, ...] = ()
