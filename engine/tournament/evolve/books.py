"""The books after events about money. ``money.pool`` computes their sums."""

from typing import Never

from msgspec.structs import replace

from engine.decider import Cases
from engine.errors import InvariantViolated
from engine.tournament.model.events.money import (
    AddOnTaken,
    BountyUnclaimed,
    BountyWon,
    EntrantKnockedOut,
    Event,
    PaymentRecorded,
    PaymentReversed,
    PayoutDealAccepted,
    PayoutDealMade,
    PayoutDealProposed,
    PayoutDealVoided,
    PrizeHandedOver,
    PrizeReturned,
    PrizeReversed,
    RefundsAwarded,
)
from engine.tournament.model.values.money import (
    Books,
    BountyPaid,
    HandedOver,
    Knockout,
    Offer,
    Payment,
)
from engine.values import EntrantId


def _paid(books: Books, event: PaymentRecorded) -> Books:
    payment = Payment(
        entrant=event.entrant, player=event.player, kind=event.kind, amount=event.amount
    )
    return replace(books, payments=(*books.payments, payment))


def _never_paid(books: Books, event: PaymentReversed) -> Books:
    never = Payment(
        entrant=event.entrant, player=event.player, kind=event.kind, amount=-event.amount
    )
    return replace(books, payments=(*books.payments, never))


def _handed_over(books: Books, event: PrizeHandedOver) -> Books:
    got = HandedOver(entrant=event.entrant, amount=event.amount)
    return replace(books, handed_over=(*books.handed_over, got))


def _returned(books: Books, event: PrizeReturned | PrizeReversed) -> Books:
    back = HandedOver(entrant=event.entrant, amount=-event.amount)
    return replace(books, handed_over=(*books.handed_over, back))


def _added_on(books: Books, event: AddOnTaken) -> Books:
    return replace(books, add_ons=(*books.add_ons, event.entrant))


def _knocked_out(books: Books, event: EntrantKnockedOut) -> Books:
    knockout = Knockout(entrant=event.entrant, by=event.by)
    books = with_return(books, event.entrant)
    return replace(books, knockouts=(*books.knockouts, knockout))


def _bounty_won(books: Books, event: BountyWon) -> Books:
    won = BountyPaid(entrant=event.entrant, by=event.by, amount=event.amount)
    return replace(books, bounties=(*books.bounties, won))


def _bounty_unclaimed(books: Books, event: BountyUnclaimed) -> Books:
    return replace(books, unclaimed=(*books.unclaimed, event.entrant))


def _refunds_awarded(books: Books, event: RefundsAwarded) -> Books:
    return replace(books, policy=event.policy, refunds=event.refunds)


def _deal_proposed(books: Books, event: PayoutDealProposed) -> Books:
    offer = Offer(
        number=event.number,
        shares=event.shares,
        play_for=event.play_for,
        ends=event.ends,
        method=event.method,
        by=event.by,
    )
    return replace(books, offers=event.number, offer=offer)


def _deal_accepted(books: Books, event: PayoutDealAccepted) -> Books:
    offer = _offer(books, event)
    agreed = replace(offer, accepted=(*offer.accepted, event.entrant))
    return replace(books, offer=agreed)


def _deal_made(books: Books, event: PayoutDealMade) -> Books:
    return replace(books, offer=None, deal=_offer(books, event))


def _deal_voided(books: Books, event: PayoutDealVoided) -> Books:
    _offer(books, event)
    return replace(books, offer=None)


def _offer(books: Books, event: PayoutDealAccepted | PayoutDealMade | PayoutDealVoided) -> Offer:
    if books.offer is None or books.offer.number != event.number:
        raise InvariantViolated(f"deal {event.number} is not the one proposed")
    return books.offer


def with_rebuy(books: Books, entrant: EntrantId) -> Books:
    """Return the books after *entrant* has rebought."""
    books = with_return(books, entrant)
    return replace(books, rebuys=(*books.rebuys, entrant))


def with_return(books: Books, entrant: EntrantId) -> Books:
    """Return the books without the knock-out of an entrant who came back."""
    others = tuple(each for each in books.knockouts if each.entrant != entrant)
    return replace(books, knockouts=others)


BOOKED = (
    Cases[Books, Never, Books]()
    .on(PaymentRecorded, _paid)
    .on(PaymentReversed, _never_paid)
    .on(PrizeHandedOver, _handed_over)
    .on(PrizeReturned, _returned)
    .on(PrizeReversed, _returned)
    .on(AddOnTaken, _added_on)
    .on(EntrantKnockedOut, _knocked_out)
    .on(BountyWon, _bounty_won)
    .on(BountyUnclaimed, _bounty_unclaimed)
    .on(PayoutDealProposed, _deal_proposed)
    .on(PayoutDealAccepted, _deal_accepted)
    .on(PayoutDealMade, _deal_made)
    .on(PayoutDealVoided, _deal_voided)
    .on(RefundsAwarded, _refunds_awarded)
)


def booked(books: Books, event: Event) -> Books:
    """Return the books after an *event* about money."""
    return BOOKED[type(event)](books, event)
