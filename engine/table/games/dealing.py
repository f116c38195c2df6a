"""The movement of cards: the deal, discards, replacements, and new piles from discards."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from engine.errors import InvariantViolated
from engine.kit.cards import in_deck_order
from engine.kit.rng import Pile
from engine.table.games.course import Course
from engine.table.model import events
from engine.table.model.events import CardCount, DealtTo, OpenCard, SeatedCard
from engine.table.model.state import Place, Table
from engine.values import SealedCard, only


def replacements_due(table: Table) -> bool:
    """Return whether a live seat is owed a card. Cards not yet discarded count as held."""
    size = table.ruleset.hand_size
    for place in table.places:
        held = place.hand
        if held is None or held.improved or not held.live:
            continue
        if len(held.selection) + len(held.fresh) + len(held.cards) < size:
            return True
    return False


def deal(course: Course, now: datetime) -> None:
    """Deal one card at a time, clockwise from the left of the button."""
    pile, places = course.pile(), course.table.dealt()
    dealt_in = len(places)
    cards = dealt_in * course.table.ruleset.hand_size
    dealt = [
        DealtTo(seat=place.seat, cards=sealed_cards(pile, range(index, cards, dealt_in), place))
        for index, place in enumerate(places)
    ]
    course.emit(events.CardsDealt(dealt=tuple(dealt), rule="cards.deal"))


def sealed_cards(pile: Pile, positions: Iterable[int], place: Place) -> tuple[SealedCard, ...]:
    """Return the cards at *positions* of *pile*, sealed for the entrant in *place*."""
    audiences = only(place.entrant)
    cards, salts, number, new = pile.cards, pile.salts, pile.number, SealedCard.__new__
    dealt = []
    for position in positions:
        card = new(SealedCard)  # costs a third of a call, and a hand has sixty cards
        card.card = cards[position]
        card.salt = salts[position]
        card.pile = number
        card.position = position
        card.audiences = audiences
        dealt.append(card)
    return tuple(dealt)


def sealed_card(course: Course, position: int, place: Place) -> SealedCard:
    """Return the card at *position* of the current pile, sealed for the entrant in *place*."""
    return sealed_cards(course.pile(), (position,), place)[0]


def discard_unselected(course: Course, now: datetime) -> None:
    """Discard, face down, the cards that were not selected."""
    counts = [
        CardCount(seat=place.seat, cards=len(place.hand.cards))
        for place in course.table.live()
        if place.hand is not None
    ]
    course.emit(
        events.CardsDiscarded(counts=tuple(counts), stage="unselected", rule="cards.discard")
    )


def discard_unused(course: Course, now: datetime) -> None:
    """Discard, face down, the new cards that were not added to a selection."""
    counts = [
        CardCount(seat=place.seat, cards=len(place.hand.fresh))
        for place in course.table.live()
        if place.hand is not None
    ]
    course.emit(events.CardsDiscarded(counts=tuple(counts), stage="unused", rule="cards.discard"))


def replace_cards(course: Course, now: datetime) -> None:
    """Deal replacements in rotation until the pile is empty. Then make a new pile."""
    hand, table = course.hand, course.table
    left = len(hand.pile_cards) - hand.pile_next
    if left == 0:
        recycle(course)
        return
    pile, batch = course.pile(), dict[int, list[int]]()
    for position, seat in enumerate(_still_due(table)[:left], start=hand.pile_next):
        batch.setdefault(seat, []).append(position)
    dealt = [
        DealtTo(seat=seat, cards=sealed_cards(pile, positions, table.at(seat)))
        for seat, positions in batch.items()
    ]
    course.emit(events.ReplacementsDealt(dealt=tuple(dealt), rule="cards.replacement"))


def _still_due(table: Table) -> list[int]:
    """
    Return the seats in the order of the cards still owed, one card per seat in each pass.

    The first item is where the previous pile ended.
    """
    size, given = table.ruleset.hand_size, 0
    needs = {}
    for place in table.live():
        if (held := place.hand) is not None:
            fresh = len(held.fresh)
            given += fresh
            kept = len(held.selection) + len(held.cards)
            needs[place.seat] = fresh if held.improved else size - kept
    passes = range(max(needs.values()))
    rotation = [seat for turn in passes for seat, need in needs.items() if need > turn]
    return rotation[given:]


def recycle(course: Course) -> None:
    """Shuffle the discards into a new pile and commit to it (rulebook ``cards.recycling``)."""
    hand = course.hand
    if not hand.recyclable:
        raise InvariantViolated("pile and discards are both empty")
    seed = bytes.fromhex(hand.seeds.value.cards)
    pile = course.draw(seed, hand.digest, hand.pile + 1, in_deck_order(hand.recyclable))
    course.emit(
        events.PileCommitted(
            pile=pile.number, size=len(pile.cards), root=pile.root(), rule="cards.recycling"
        )
    )


def enough_for(course: Course, cards: int) -> bool:
    """Return whether pile and discards together have at least *cards* cards."""
    return course.hand.pile_left + len(course.hand.recyclable) >= cards


def draw_open(course: Course, seats: Sequence[int]) -> Iterator[tuple[SeatedCard, ...]]:
    """
    Yield open cards for *seats*, one each. Each batch comes from one pile.

    The caller emits an event for each batch before it asks for the next. Between batches
    the discards become a new pile. Pile and discards must hold enough cards together.
    """
    waiting = list(seats)
    while waiting:
        hand = course.hand
        room = len(hand.pile_cards) - hand.pile_next
        if room == 0:
            recycle(course)
            continue
        served, waiting = waiting[:room], waiting[room:]
        yield tuple(
            SeatedCard(seat=seat, card=open_card(course, hand.pile_next + offset))
            for offset, seat in enumerate(served)
        )


def open_card(course: Course, position: int) -> OpenCard:
    """Return the card at *position* of the current pile, face up."""
    pile = course.pile()
    return OpenCard(
        card=pile.cards[position],
        pile=pile.number,
        position=position,
        salt=pile.salts[position].hex(),
    )


def deal_due(course: Course, rule: str) -> None:
    """Deal in rotation the cards owed after a shift, until the pile is empty."""
    hand = course.hand
    left = len(hand.pile_cards) - hand.pile_next
    if left == 0:
        recycle(course)
        return
    places = {place.seat: place for place in course.table.live()}
    due = {count.seat: count.cards for count in hand.in_card_rounds.due}
    needs = {count.seat: count.cards for count in hand.in_card_rounds.taken_up}
    passes = range(max(needs.values()))
    rotation = [seat for turn in passes for seat in places if needs.get(seat, 0) > turn]
    begun = len(rotation) - sum(due.values())
    batch: dict[int, list[SealedCard]] = {}
    for offset, seat in enumerate(rotation[begun : begun + left]):
        card = sealed_card(course, hand.pile_next + offset, places[seat])
        batch.setdefault(seat, []).append(card)
    dealt = tuple(DealtTo(seat=seat, cards=tuple(cards)) for seat, cards in batch.items())
    course.emit(events.ShiftDealt(dealt=dealt, rule=rule))
