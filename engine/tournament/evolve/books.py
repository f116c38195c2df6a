"""The books after each event. ``money.pool`` computes their sums."""

from typing import Any

from msgspec.structs import replace

from engine.errors import InvariantViolated
from engine.tournament.model.events import ItemStaked, RebuyTaken
from engine.tournament.model.events.money import (
    AddOnTaken,
    BountyUnclaimed,
    BountyWon,
    EntrantKnockedOut,
    PaymentRecorded,
    PaymentReversed,
    PayoutDealAccepted,
    PayoutDealMade,
    PayoutDealProposed,
    PayoutDealVoided,
    PrizeHandedOver,
    PrizeReturned,
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


def booked(books: Books, event: Any) -> Books:
    """Return the books after any *event* of the tournament."""
    match event:
        case PaymentRecorded():
            payment = Payment(
                entrant=event.entrant, player=event.player, kind=event.kind, amount=event.amount
            )
            return replace(books, payments=(*books.payments, payment))
        case PaymentReversed():
            never = Payment(
                entrant=event.entrant, player=event.player, kind=event.kind, amount=-event.amount
            )
            return replace(books, payments=(*books.payments, never))
        case PrizeHandedOver():
            got = HandedOver(entrant=event.entrant, amount=event.amount)
            return replace(books, handed_over=(*books.handed_over, got))
        case PrizeReturned():
            back = HandedOver(entrant=event.entrant, amount=-event.amount)
            return replace(books, handed_over=(*books.handed_over, back))
        case RebuyTaken():
            books = _back(books, event.entrant)
            return replace(books, rebuys=(*books.rebuys, event.entrant))
        case ItemStaked():
            return _back(books, event.entrant)
        case AddOnTaken():
            return replace(books, add_ons=(*books.add_ons, event.entrant))
        case EntrantKnockedOut():
            knockout = Knockout(entrant=event.entrant, by=event.by)
            books = _back(books, event.entrant)
            return replace(books, knockouts=(*books.knockouts, knockout))
        case BountyWon():
            won = BountyPaid(entrant=event.entrant, by=event.by, amount=event.amount)
            return replace(books, bounties=(*books.bounties, won))
        case BountyUnclaimed():
            return replace(books, unclaimed=(*books.unclaimed, event.entrant))
        case RefundsAwarded():
            return replace(books, policy=event.policy, refunds=event.refunds)
        case PayoutDealProposed() | PayoutDealAccepted() | PayoutDealMade() | PayoutDealVoided():
            return _dealing(books, event)
        case _:
            return books


def _back(books: Books, entrant: EntrantId) -> Books:
    """Return the books without the knock-out of an entrant who came back."""
    others = tuple(each for each in books.knockouts if each.entrant != entrant)
    return replace(books, knockouts=others)


def _dealing(
    books: Books,
    event: PayoutDealProposed | PayoutDealAccepted | PayoutDealMade | PayoutDealVoided,
) -> Books:
    if isinstance(event, PayoutDealProposed):
        offer = Offer(
            number=event.number,
            shares=event.shares,
            play_for=event.play_for,
            ends=event.ends,
            method=event.method,
            by=event.by,
        )
        return replace(books, offers=event.number, offer=offer)
    if books.offer is None or books.offer.number != event.number:
        raise InvariantViolated(f"deal {event.number} is not the one proposed")
    match event:
        case PayoutDealAccepted(entrant=entrant):
            agreed = replace(books.offer, accepted=(*books.offer.accepted, entrant))
            return replace(books, offer=agreed)
        case PayoutDealMade():
            return replace(books, offer=None, deal=books.offer)
        case PayoutDealVoided():
            return replace(books, offer=None)
