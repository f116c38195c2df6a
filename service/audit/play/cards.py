"""Cards, dice and lots of a hand, compared with those that its seeds give."""

from typing import Final

from engine.kit.cards import in_deck_order
from engine.rulesets import CorellianSpike
from engine.table.model import events
from engine.table.model.events.event_parts import OpenCard
from engine.table.model.state import Table
from engine.values import SealedCard
from service.audit.play import generator
from service.audit.play.drawn import drawn
from service.audit.said import said
from service.audit.seen import Hand, Handlers, Seen


def _dice_rolled(audit: Seen, event: events.DiceRolled, _before: object) -> None:
    rolled = generator.dice(audit.seed("dice"), audit.now().openings)
    audit.hold(
        "dice",
        rolled == (event.target, event.suit),
        said("the dice show %(rolled)s", rolled=rolled),
    )


def _pair_rolled(audit: Seen, event: events.ShiftRolled, before: Table) -> None:
    hand = audit.now()
    hand.pairs += 1
    label = "spike" if isinstance(before.ruleset, CorellianSpike) else "shift"
    rolled = generator.pair(audit.seed("dice"), hand.openings, label, hand.pairs)
    fair = (rolled, rolled[0] == rolled[1]) == (event.dice, event.doubles)
    audit.hold("dice", fair, said("the dice show %(rolled)s", rolled=rolled))


def _card_turn(audit: Seen, event: events.CardTurnTaken, _before: object) -> None:
    hand = audit.now()
    hand.spent[event.seat] = hand.spent.get(event.seat, 0) + event.fee
    hand.dead += event.fee
    if event.verb == "junk":
        hand.live.discard(event.seat)
    if event.shown is not None:
        check_shown(audit, event.seat, event.shown)
    for card in (event.drawn, event.taken):
        if card is not None:
            hand.dealt.setdefault(event.seat, set()).add((card.pile, card.position))
    if event.drawn is not None:
        _in_place(audit, event.drawn)
    if event.taken is not None:
        check_open(audit, "cards", event.taken)


def _fielded(audit: Seen, event: events.CardsFielded, _before: object) -> None:
    for card in event.cards:
        check_shown(audit, event.seat, card)


def _flipped(
    audit: Seen, event: events.DiscardFlipped | events.MarketCardLaid, _before: object
) -> None:
    check_open(audit, "cards", event.card)


def _demise(audit: Seen, event: events.DemiseDealt, _before: object) -> None:
    for dealt in event.dealt:
        check_open(audit, "cards", dealt.card)


def _cards_dealt(
    audit: Seen,
    event: events.CardsDealt | events.ReplacementsDealt | events.ShiftDealt,
    _before: object,
) -> None:
    hand = audit.now()
    lie = 0
    for dealt in event.dealt:
        places = hand.dealt.setdefault(dealt.seat, set())
        for card in dealt.cards:
            number, position = card.pile, card.position
            if _lies(hand, number, position, card.card, card.salt):
                lie += 1
            else:
                _in_place(audit, card)
            places.add((number, position))
    audit.held("cards", lie)


def _pile_committed(audit: Seen, event: events.PileCommitted, before: Table) -> None:
    hand = audit.now()
    discards = () if before.hand is None else before.hand.recyclable
    pile = drawn(audit.seed("cards"), hand.openings, event.pile, in_deck_order(discards))
    hand.piles[event.pile] = pile
    audit.hold(
        "decks", pile.root() == event.root, said("the new pile does not follow from its seed")
    )


def _revealed(
    audit: Seen, event: events.HandsRevealed | events.HandsRanked, _before: object
) -> None:
    now = audit.now()
    proved = 0
    for hand in event.hands:
        now.shown.add(hand.seat)
        own = now.dealt.get(hand.seat, ())
        for card in hand.cards:
            pile, position = card.pile, card.position
            salt = bytes.fromhex(card.salt)
            if (pile, position) in own and _lies(now, pile, position, card.card, salt):
                proved += 2  # one for the place in the pile, one for the deal to this seat
            else:
                check_shown(audit, hand.seat, card)
    audit.held("reveals", proved)


def _drawn_off(audit: Seen, event: events.DrawOffDealt, _before: object) -> None:
    for laid in event.cards:
        check_open(audit, "cards", laid.card)


def _cube_rolled(audit: Seen, event: events.CubeRolled, _before: object) -> None:
    hand = audit.now()
    hand.cubes += 1
    winner = generator.cube(audit.seed("draws"), hand.openings, hand.cubes, event.seats)
    audit.hold(
        "cubes",
        winner == event.winner,
        said("the chance cube gives seat %(winner)s", winner=winner),
    )


def check_open(audit: Seen, name: str, card: OpenCard) -> None:
    """Check that an open *card* is at its place in the pile, counted under check *name*."""
    _placed(audit, name, card.pile, card.position, card.card, bytes.fromhex(card.salt))


def check_shown(audit: Seen, seat: int, card: OpenCard) -> None:
    """Check a card that a seat turned over: it is at its place, and was dealt to the seat."""
    check_open(audit, "reveals", card)
    own = (card.pile, card.position) in audit.now().dealt.get(seat, set())
    audit.hold("reveals", own, said("seat %(seat)s shows a card it was not dealt", seat=seat))


def _in_place(audit: Seen, card: SealedCard) -> None:
    _placed(audit, "cards", card.pile, card.position, card.card, card.salt)


def _placed(audit: Seen, name: str, pile: int, position: int, face: str, salt: bytes) -> None:
    held = _lies(audit.now(), pile, position, face, salt)
    if held:
        audit.held(name, 1)
        return
    what = said("pile %(pile)s has another card at %(position)s", pile=pile, position=position)
    audit.hold(name, False, what)


def _lies(hand: Hand, number: int, position: int, face: str, salt: bytes) -> bool:
    """Return whether pile *number* has exactly this card at this position."""
    pile = hand.piles.get(number)
    return (
        pile is not None
        and 0 <= position < len(pile.cards)
        and pile.cards[position] == face
        and pile.salts[position] == salt
    )


CARDS: Final[Handlers[Seen]] = {
    events.DiceRolled: _dice_rolled,
    events.CardsDealt: _cards_dealt,
    events.ReplacementsDealt: _cards_dealt,
    events.ShiftDealt: _cards_dealt,
    events.ShiftRolled: _pair_rolled,
    events.CardTurnTaken: _card_turn,
    events.CardsFielded: _fielded,
    events.DiscardFlipped: _flipped,
    events.MarketCardLaid: _flipped,
    events.HandsRanked: _revealed,
    events.DemiseDealt: _demise,
    events.PileCommitted: _pile_committed,
    events.HandsRevealed: _revealed,
    events.DrawOffDealt: _drawn_off,
    events.CubeRolled: _cube_rolled,
}
