"""What the books of a tournament are made of: money is minor units of its currency."""

from typing import Literal

import msgspec

from engine.values import EntrantId, PlayerId

PaymentKind = Literal["buy_in", "fee", "rebuy", "add_on", "bounty", "refund"]
DealMethod = Literal["explicit", "by_chips", "equal"]


class Payment(msgspec.Struct, frozen=True, kw_only=True):
    """What an entrant was seen to pay; a refund went the other way."""

    entrant: EntrantId
    player: PlayerId
    """Whose entry it was: who withdraws is no entrant any more, and may have credit."""
    kind: PaymentKind
    amount: int


class Knockout(msgspec.Struct, frozen=True, kw_only=True):
    """Whose last chips went to whom; it counts once the entrant is out for good."""

    entrant: EntrantId
    by: tuple[EntrantId, ...]


class BountyPaid(msgspec.Struct, frozen=True, kw_only=True):
    """Whose bounty, or a part of it, somebody has won."""

    entrant: EntrantId
    by: EntrantId
    amount: int


class DealShare(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one entrant gets by a deal, whatever place it finishes in."""

    entrant: EntrantId
    amount: int


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A deal that is proposed, or made: who has agreed to it so far."""

    number: int
    shares: tuple[DealShare, ...]
    play_for: int
    """What is left for the winner."""
    ends: bool
    """Whether play ends with it."""
    method: DealMethod
    by: EntrantId | None
    """None if a director proposed it."""
    accepted: tuple[EntrantId, ...] = ()


class Refund(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a cancelled tournament owes one entrant, part by part."""

    entrant: EntrantId
    player: PlayerId
    paid_in: int = 0
    """What it had paid to the pool."""
    fee: int = 0
    bounty: int = 0
    """Its own, that nobody has won."""
    prize: int = 0
    """For a place it has already, by a deal, or the lowest place that is not paid yet."""
    equal: int = 0
    """Of what everyone still in shares alike."""
    chips: int = 0
    """Of what goes by the stacks; money, not chips."""

    @property
    def amount(self) -> int:
        """Return the whole of it."""
        return self.paid_in + self.fee + self.bounty + self.prize + self.equal + self.chips


class Books(msgspec.Struct, frozen=True, kw_only=True):
    """What has happened in a tournament that money follows from."""

    payments: tuple[Payment, ...] = ()
    rebuys: tuple[EntrantId, ...] = ()
    """Who has bought a stack anew, once for each."""
    add_ons: tuple[EntrantId, ...] = ()
    """Who has taken an add-on, once for each."""
    knockouts: tuple[Knockout, ...] = ()
    """Of everyone who has lost the last chip and not come back."""
    bounties: tuple[BountyPaid, ...] = ()
    unclaimed: tuple[EntrantId, ...] = ()
    """Whose bounty nobody has won, so that it joined the pool."""
    offers: int = 0
    """How many deals were ever proposed."""
    offer: Offer | None = None
    """Proposed, and neither agreed to by all nor void."""
    deal: Offer | None = None
    """Agreed to by all."""
    policy: str | None = None
    """By which the money of a cancelled tournament was given back."""
    refunds: tuple[Refund, ...] = ()
