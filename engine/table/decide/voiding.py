"""Voiding a deal. The hand is dealt again with the same seats and stacks."""

from engine.kit.rng import Pile, shuffled_pile
from engine.table.model import errors, events
from engine.table.model.commands import VoidDeal
from engine.table.model.events import Share
from engine.table.model.events.event_parts import OpenCard
from engine.table.model.hand import Hand
from engine.table.model.state import Table

_ACTIONS = 3
_ACTIONS_WITH_CHIPS = 2

_RULES = {"mis_deal": "voiding.mis_deal", "fouled_deck": "voiding.fouled_deck"}


def void_deal(table: Table, command: VoidDeal) -> tuple[events.DealVoided, ...]:
    """
    Return every chip of the deal, and open every card.

    Raises:
        NoDealInPlay: If the hand has ended.
        AnotherDealInPlay: If the command names another hand or deal.
        SubstantialAction: If it is too late for a mis-deal.

    Source: rulebook ``voiding``.
    """
    hand = table.hand
    if hand is None:
        raise errors.NoDealInPlay
    if command.hand not in (None, hand.hand) or command.deal not in (None, hand.deal):
        raise errors.AnotherDealInPlay(hand=hand.number, deal=hand.deal)
    if command.cause == "mis_deal" and substantial_action(hand):
        raise errors.SubstantialAction(actions=hand.actions)
    before = {books.seat: books.stack for books in hand.opened.seats}
    put_in = ((place.seat, before[place.seat] - place.stack) for place in table.places)
    return (
        events.DealVoided(
            hand=hand.hand,
            number=hand.number,
            deal=hand.deal,
            cause=command.cause,
            reason=command.reason,
            cards=tuple(card for pile in _piles(hand) for card in _open(pile)),
            returned=tuple(Share(seat=seat, chips=chips) for seat, chips in put_in if chips),
            carry=hand.opened.carry,
            sabacc_pot=hand.opened.sabacc_pot,
            at=command.now,
            rule=_RULES[command.cause],
        ),
    )


def substantial_action(hand: Hand) -> bool:
    """
    Return whether the hand has seen too much action to declare a mis-deal.

    Source: rulebook ``voiding.substantial_action``.
    """
    return hand.actions >= (_ACTIONS_WITH_CHIPS if hand.chips_in else _ACTIONS)


def _piles(hand: Hand) -> tuple[Pile, ...]:
    seed = bytes.fromhex(hand.seeds.value.cards)
    made_of = (*hand.earlier_piles, hand.pile_cards)
    return tuple(
        shuffled_pile(seed, hand.digest, number, cards)
        for number, cards in enumerate(made_of, start=1)
    )


def _open(pile: Pile) -> tuple[OpenCard, ...]:
    return tuple(
        OpenCard(card=card, pile=pile.number, position=position, salt=salt.hex())
        for position, (card, salt) in enumerate(zip(pile.cards, pile.salts, strict=True))
    )
