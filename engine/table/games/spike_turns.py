"""
The card turns of Corellian Spike.

The actions are stand, gain, swap and junk. The Galaxy Series adds buy and trade.

Source: rulebook ``spike.stand`` and the rules after it.
"""

from engine.hand.betting import CardSource, LegalAction
from engine.hand.spike_hands import HAND_MAX
from engine.rulesets import CardFees, CorellianSpike
from engine.table.games.course import Course
from engine.table.games.dealing import sealed_card
from engine.table.games.game import CardAnswer, CardTurns
from engine.table.games.steps import rules_of
from engine.table.model.commands import CardVerb
from engine.table.model.events import CardTurnTaken
from engine.table.model.events.event_parts import OpenCard, opened
from engine.table.model.hand import Hand
from engine.table.model.state import Place, Table
from engine.values import Chips, Sealed, SealedCard, only

MARKET: tuple[CardSource, ...] = ("pilot", "wing", "gunner")
"""The open piles of the Galaxy Series. The n-th costs n units."""

_FREE = CardFees(gain=0, swap=0, discard=0, junk=0)


def actions(table: Table, place: Place) -> tuple[LegalAction, ...]:
    """
    Return the card actions that *place* can pay for, with their fees.

    A seat that can pay for no gain, swap, purchase or trade may only stand.

    Source: rulebook ``spike.fees``.
    """
    hand, held = table.hand, place.hand
    if hand is None or held is None:
        return ()
    rules = rules_of(table, CorellianSpike)
    own = tuple(card.card for card in held.cards)
    played = (*_with_draws(rules, hand, own), *_with_market(rules, hand, own))
    payable = tuple(action for action in played if _price(action) <= place.stack)
    stand = _offer("stand")
    junk = _offer("junk", price=(rules.swap_gain_cost or _FREE).junk)
    if (played and not payable) or _price(junk) > place.stack:
        return (stand, *payable)
    return (stand, *payable, junk)


def _offer(
    verb: CardVerb,
    source: CardSource | None = None,
    *,
    price: Chips = 0,
    cards: tuple[str, ...] | None = None,
) -> LegalAction:
    return LegalAction(
        verb=verb, rule=_RULES[verb], source=source, amount=price or None, cards=cards
    )


def _price(action: LegalAction) -> Chips:
    return action.amount or 0


def _with_draws(rules: CorellianSpike, hand: Hand, own: tuple[str, ...]) -> tuple[LegalAction, ...]:
    """Return the gains and swaps that are possible with the pile and the open discards."""
    fees = rules.swap_gain_cost or _FREE
    room = len(own) < HAND_MAX
    top = bool(hand.in_card_rounds.open_discards)
    pile = hand.pile_left > 0
    known: tuple[tuple[bool, LegalAction], ...] = (
        (pile and room, _offer("gain", "pile", price=fees.gain)),
        (
            top and room and rules.gain_from_discard,
            _offer("gain", "discards", price=fees.discard),
        ),
        (pile, _offer("swap", "pile", price=fees.swap, cards=own)),
        (top, _offer("swap", "discards", price=fees.discard, cards=own)),
    )
    return tuple(action for possible, action in known if possible)


def _with_market(
    rules: CorellianSpike, hand: Hand, own: tuple[str, ...]
) -> tuple[LegalAction, ...]:
    """Return the purchases and trades that the open piles of the Galaxy Series allow."""
    found = []
    for number, source in enumerate(MARKET[: len(hand.in_card_rounds.market)], start=1):
        price = number * rules.chip_unit
        if len(own) < HAND_MAX:
            found.append(_offer("buy", source, price=price))
        found.append(_offer("trade", source, price=price, cards=own))
    return tuple(found)


def taken(course: Course, answer: CardAnswer) -> CardTurnTaken:
    """Return the event of a legal action."""
    place, hand = answer.place, course.hand
    own = None if answer.card is None else _own(place, answer.card)
    # The Galaxy Series has no open discard pile to lay a card on.
    covered = rules_of(course.table, CorellianSpike).galaxy_series
    given = None
    if covered and own is not None and answer.salt is not None:
        given = Sealed(own.card, bytes.fromhex(answer.salt), only(place.entrant))
    drawn = sealed_card(course, hand.pile_next, place) if answer.source == "pile" else None
    return CardTurnTaken(
        decision=answer.decision.token,
        seat=place.seat,
        entrant=place.entrant,
        verb=answer.verb,
        source=answer.source,
        given=given,
        shown=None if covered or own is None else opened(own),
        drawn=drawn,
        taken=_open_one(hand, answer.source),
        fee=answer.fee,
        stack=place.stack - answer.fee,
        timed_out=answer.timed_out,
        at=answer.now,
        rule="clock.card" if answer.timed_out else _RULES[answer.verb],
    )


def _own(place: Place, face: str) -> SealedCard:
    held = () if place.hand is None else place.hand.cards
    return next(card for card in held if card.card == face)


def _open_one(hand: Hand, source: CardSource | None) -> OpenCard | None:
    """Return the open card that *source* offers. None if the source is not an open pile."""
    if source is None or source == "pile":
        return None
    card_rounds = hand.in_card_rounds
    return (
        card_rounds.open_discards[-1]
        if source == "discards"
        else card_rounds.market[MARKET.index(source)]
    )


_RULES: dict[CardVerb, str] = {
    "stand": "spike.stand",
    "gain": "spike.gain",
    "swap": "spike.swap",
    "junk": "spike.junk",
    "buy": "spike.buy",
    "trade": "spike.trade",
}


def _never(_table: Table) -> None:
    """Return None: nobody may call the hand."""


TURNS = CardTurns(
    verbs=frozenset(_RULES),
    actions=actions,
    taken=taken,
    field=False,
    earliest_call=_never,
)
