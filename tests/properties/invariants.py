"""Properties that hold for every table after every event, and for every table's log."""

from collections.abc import Iterator, Sequence
from functools import reduce
from random import Random

from msgspec.structs import replace

from engine.kit.cards import deck
from engine.table.decider import decider
from engine.table.games.course import pile_of
from engine.table.model.commands import Command, Seeds
from engine.table.model.events import (
    Event,
    HandKilled,
    HandOpened,
    HandQuit,
    SeatActed,
    UnmatchedReturned,
)
from engine.table.model.state import Place, State, Table
from engine.table.read.recall import commands_of
from engine.table.read.view import seen_by
from engine.values import EntrantId, Sealed, SealedCard, audience_of
from tests.engine.table.tables import Floor
from tests.properties.croupier import Croupier

Append = tuple[State, Command, tuple[Event, ...]]


def cards_of(table: Table) -> list[str]:
    """Return every card of the hand in play, in all piles and hands, sorted by name."""
    hand = table.hand
    assert hand is not None
    cards = [*pile_of(hand).cards[hand.pile_next :], *hand.discards, *hand.drawn_off]
    if hand.card_rounds is not None:
        cards += [card.card for card in (*hand.card_rounds.open_discards, *hand.card_rounds.market)]
    for place in table.places:
        cards += [card.card for card in held_by(place)]
    cards.sort()
    return cards


def held_by(place: Place) -> tuple[SealedCard, ...]:
    """Return the cards in front of *place*, in every zone."""
    held = place.hand
    return () if held is None else (*held.cards, *held.selection, *held.fresh, *held.field)


def open_cards(table: Table) -> set[str]:
    """Return the cards that lie open, or lay open when the last hand ended."""
    faces: set[str] = set()
    if table.last_hand is not None:
        shown = (*table.last_hand.revealed, *table.last_hand.ranked)
        faces.update(card.card for each in shown for card in each.cards)
        faces.update(table.last_hand.shown)
    hand = table.hand
    if hand is None:
        return faces
    faces.update(card.card for each in hand.revealed for card in each.cards)
    faces.update(hand.drawn_off)
    if hand.card_rounds is not None:
        faces.update(card.card for each in hand.card_rounds.ranked for card in each.cards)
        faces.update(
            card.card for card in (*hand.card_rounds.open_discards, *hand.card_rounds.market)
        )
    for place in table.places:
        if place.hand is not None:
            faces.update(card.card for card in place.hand.field)
    return faces


def nothing_lost(croupier: Croupier) -> None:
    """Assert that the table has the chips and the cards that it began with."""
    table = croupier.table
    assert table.chips() == croupier.chips
    assert all(place.stack >= 0 for place in table.places)
    if table.hand is not None:
        assert cards_of(table) == croupier.cards


def nothing_lost_between(append: Append, chips: int) -> None:
    """Assert, after each event of *append*, that no chip and no card is lost."""
    state, _, happened = append
    for event in happened:
        state = decider.evolve(state, event)
        assert isinstance(state, Table)
        assert state.chips() == chips
        if state.hand is not None:
            assert cards_of(state) == sorted(deck(state.ruleset.deck))


def decided_alike(append: Append) -> None:
    """Assert that the command, and the one recalled from its events, give the same events again."""
    before, command, happened = append
    assert decider.decide(before, command) == happened
    if happened:
        [recalled] = commands_of(happened)
        assert decider.decide(before, recalled) == happened


def told_where_it_leads(append: Append) -> None:
    """Assert that the state returned with a decision is the fold of its events."""
    before, command, happened = append
    folded = reduce(decider.evolve, happened, before)
    assert decider.carry_out(before, command) == (happened, folded)


def waits_or_rests(table: Table) -> None:
    """Assert that each seat that must act can do something, or that no hand is in play."""
    if table.hand is None:
        return
    assert table.decision is not None
    assert table.decision.seats
    for seat in table.decision.seats:
        view = seen_by(table, table.at(seat).entrant)
        assert view.legal or table.held


def folds_alike(floor: Floor) -> None:
    """
    Assert that the whole log, and its part from each of the last two hands, folds to the state.
    """
    assert decider.replay(floor.events) == floor.state
    opened = [i for i, event in enumerate(floor.events) if isinstance(event, HandOpened)]
    for index in opened[-2:]:
        assert decider.replay([floor.events[0], *floor.events[index:]]) == floor.state


def asked_only_what_is_contested(happened: Sequence[Event]) -> int:
    """
    Assert that no called chips go back to a seat, unless a seat folded after the call.

    Returns:
        The number of times that chips went back.
    """
    paid: dict[int, SeatActed] = {}
    gone_since: set[int] = set()
    returned = 0
    for event in happened:
        match event:
            case HandOpened():
                paid, gone_since = {}, set()
            case SeatActed(verb="fold") | HandQuit() | HandKilled():
                gone_since.update(paid)
            case SeatActed() if event.paid:
                paid[event.seat] = event
                gone_since.discard(event.seat)
            case UnmatchedReturned() if (last := paid.get(event.seat)) is not None:
                returned += 1
                assert last.verb == "raise_to" or event.seat in gone_since, (last, event)
            case _:
                pass
    return returned


def sealed_for_owners(table: Table) -> None:
    """Assert that only its entrant and the house can open a card in front of a seat."""
    for place in table.places:
        for card in held_by(place):
            assert card.audiences == (audience_of(place.entrant), "house")


def hides_secrets(table: Table, dice: Random) -> None:
    """Assert that no view changes if everything hidden from its viewer changes."""
    if table.hand is None:
        hides_what_was_not_shown(table)
        return
    for viewer in (None, *(place.entrant for place in table.places)):
        other = other_secrets(table, viewer, dice)
        assert other != table
        assert seen_by(other, viewer) == seen_by(table, viewer)


def hides_what_was_not_shown(table: Table) -> None:
    """Assert that no view changes with the hand of a winner who has not shown it."""
    last = table.last_hand
    if last is None or not last.unshown:
        return
    faces = [face for face in deck(table.ruleset.deck) if face not in open_cards(table)]
    others = tuple(
        SealedCard(face, card.salt[::-1], card.pile, card.position, card.audiences)
        for face, card in zip(reversed(faces), last.unshown, strict=False)
    )
    other = replace(table, last_hand=replace(last, unshown=others))
    assert other != table
    for viewer in (None, *(place.entrant for place in table.places)):
        assert seen_by(other, viewer) == seen_by(table, viewer)


def other_secrets(table: Table, viewer: EntrantId | None, dice: Random) -> Table:
    """
    Return a table that differs in everything that *viewer* cannot see.

    Cards in the pile, the discards and the other hands are dealt again. A committed selection that
    is not yet closed also changes its size.
    """
    hand = table.hand
    assert hand is not None
    shown = open_cards(replace(table, last_hand=None))
    others = [place for place in table.places if place.entrant != viewer and place.hand is not None]
    hidden = [*pile_of(hand).cards[hand.pile_next :], *hand.discards]
    for place in others:
        hidden += [card.card for card in held_by(place) if card.card not in shown]
    dice.shuffle(hidden)
    left = iter(hidden)

    def swap(cards: Sequence[SealedCard]) -> tuple[SealedCard, ...]:
        return tuple(
            card
            if card.card in shown
            else SealedCard(
                next(left), dice.randbytes(32), card.pile, card.position, card.audiences
            )
            for card in cards
        )

    def hide(place: Place) -> Place:
        held = place.hand
        if place.entrant == viewer or held is None or not held.live:
            return place
        cards, selection, fresh = swap(held.cards), swap(held.selection), swap(held.fresh)
        if held.selected and "select" not in hand.done:
            loose = (*selection, *cards)
            size = dice.randint(0, len(loose))
            selection, cards = loose[:size], loose[size:]
        elif held.improved and "improve" not in hand.done:
            loose = (*selection, *fresh)
            kept = next(count.cards for count in hand.kept if count.seat == place.seat)
            size = dice.randint(kept, len(loose))
            selection, fresh = loose[:size], loose[size:]
        return replace(place, hand=replace(held, cards=cards, selection=selection, fresh=fresh))

    places = tuple(map(hide, table.places))
    discards = tuple(next(left) for _ in hand.discards)
    # The order of a pile follows from its seed, so the seeds change together with its cards.
    gone = pile_of(hand).cards[: hand.pile_next]
    seeds = Seeds(cards=dice.randbytes(32).hex(), dice=dice.randbytes(32).hex(), draws="2" * 64)
    secret = replace(
        hand,
        seeds=Sealed(seeds, dice.randbytes(32), ("house",)),
        discards=discards,
        pile_cards=(*gone, *left),
    )
    return replace(table, places=places, hand=secret)


def moments(floor: Floor) -> Iterator[Table]:
    """Yield every state of the table, also between the events of one command."""
    for before, _, happened in floor.appends:
        state = before
        for event in happened:
            state = decider.evolve(state, event)
            assert isinstance(state, Table)
            yield state
