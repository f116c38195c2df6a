"""Whatever is legally played at a table: nothing is lost, nothing leaks, everything repeats."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from random import Random

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.cards import deck
from engine.rulesets import PRESETS, preset
from engine.table.commands import Seeds, TimeOut
from engine.table.course import pile_of
from engine.table.decider import decider
from engine.table.events import HandOpened, TableOpened
from engine.table.recall import recall
from engine.table.state import InHand, Place, Table
from engine.table.view import seen_by
from engine.values import Sealed, SealedCard, audience_of
from tests.engine.tables import Floor, digest, entrant

HANDS = 3
CARD_VERBS = ("draw", "trade", "stand", "gain", "swap", "junk", "buy")

played = settings(
    derandomize=True,
    max_examples=25,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

games = st.tuples(
    st.sampled_from(sorted(PRESETS)),
    st.integers(2, 10),
    st.integers(0, 2**16),
    st.randoms(use_true_random=False, note_method_calls=False),
)


def start(game: tuple[str, int, int, object]) -> Floor:
    name, wished, seed, _ = game
    seats = min(wished, preset(name).max_players)
    stack = decider_stack(name)
    return Floor(name, [stack // (1 + seat % 3) for seat in range(seats)], seed=seed)


def decider_stack(name: str) -> int:
    settings_of = {"better": 450, "halcyon_10": 12, "holo": 12, "official": 0}
    return {450: 180, 12: 12, 0: 0}.get(settings_of.get(name, 100), 60)


def step(floor: Floor, dice: object) -> None:
    """Answer the open decision somehow, but legally; now and then let the clock do it."""
    decision = floor.table.decision
    assert decision is not None, "a hand in play waits for somebody"
    choice = dice.randrange(100)  # type: ignore[attr-defined]
    seat = decision.seats[choice % len(decision.seats)]
    if choice < 6:
        floor.now = decision.deadline + timedelta(seconds=2)
        salts = tuple(digest(other, floor.now) for other in decision.seats)
        floor.do(TimeOut(decision=decision.token, salts=salts, now=floor.now))
        return
    view = floor.view(seat)
    assert view.me is not None
    if decision.phase == "select":
        floor.select(seat, *some(view.me.cards, dice))
    elif decision.phase == "improve":
        chosen = some(view.me.new_cards, dice)
        if not chosen and not view.me.selection:
            chosen = view.me.new_cards[:1]
        floor.improve(seat, *chosen)
    else:
        act_or_turn(floor, seat, choice, dice)


def act_or_turn(floor: Floor, seat: int, choice: int, dice: object) -> None:
    """Bet, take a card turn, field cards or call the hand."""
    legal = floor.view(seat).legal
    action = legal[choice % len(legal)]
    if action.verb in ("fold", "junk") and choice % 5:
        action = legal[1]
    if action.verb == "field":
        floor.field(seat, *(some(action.cards or (), dice) or (action.cards or ())[:1]))
    elif action.verb == "call_hand":
        floor.call_hand(seat)
    elif action.verb in CARD_VERBS:
        card = None if action.cards is None else action.cards[choice % len(action.cards)]
        floor.turn(seat, action.verb, card, action.source)
    else:
        floor.act(seat, action.verb, action.max if choice % 4 == 0 else action.min)


def some(cards: Sequence[str], dice: object) -> tuple[str, ...]:
    return tuple(card for card in cards if dice.random() < 0.5)  # type: ignore[attr-defined]


def play(game: tuple[str, int, int, object], *, after: object = None) -> Floor:
    floor = start(game)
    for _ in range(HANDS):
        if sum(floor.table.in_game(place) for place in floor.table.places) < 2:
            break
        least = floor.ruleset.least_stack(floor.table.floor())
        if sum(place.stack >= least for place in floor.table.places) < 2:
            break
        floor.open_hand()
        while not floor.table.idle:
            step(floor, game[3])
            if callable(after):
                after(floor.table)
    return floor


def zones_of(held: InHand) -> tuple[SealedCard, ...]:
    return (*held.cards, *held.selection, *held.fresh, *held.field)


def cards_of(table: Table) -> Counter[str]:
    hand = table.hand
    assert hand is not None
    counted = Counter(pile_of(hand).cards[hand.pile_next :])
    counted.update(hand.discards)
    counted.update(hand.drawn_off)
    if hand.rounds is not None:
        counted.update(card.card for card in hand.rounds.open_discards)
    for place in table.places:
        if place.hand is not None:
            zones = zones_of(place.hand)
            counted.update(card.card for card in zones)
    return counted


@played
@given(games)
def test_no_chip_and_no_card_is_ever_lost_or_made(game: tuple[str, int, int, object]) -> None:
    chips = start(game).table.chips()

    def check(table: Table) -> None:
        assert table.chips() == chips
        assert all(place.stack >= 0 for place in table.places)
        if table.hand is not None:
            assert cards_of(table) == Counter(deck(table.ruleset.deck))

    play(game, after=check)


@played
@given(games)
def test_what_was_asked_can_be_recalled_and_is_decided_alike(
    game: tuple[str, int, int, object],
) -> None:
    for before, command, happened in play(game).appends:
        assert decider.decide(before, command) == happened
        assert decider.decide(before, recall(happened)) == happened


@played
@given(games)
def test_a_table_is_loaded_from_its_last_hand_on(game: tuple[str, int, int, object]) -> None:
    floor = play(game)
    whole = decider.replay(floor.events)
    assert whole == floor.state
    opened = [i for i, event in enumerate(floor.events) if isinstance(event, HandOpened)]
    assert isinstance(floor.events[0], TableOpened)
    for index in opened:
        short = decider.replay([floor.events[0], *floor.events[index:]])
        assert short == whole


def open_cards(table: Table) -> set[str]:
    """Return the faces that everyone has seen and may still see."""
    hand = table.hand
    last = table.last_hand
    shown = [] if last is None else [*last.revealed, *last.ranked]
    if hand is None:
        return {card.card for each in shown for card in each.cards}
    fielded = {
        card.card for place in table.places if place.hand is not None for card in place.hand.field
    }
    rounds = hand.rounds
    now = hand.revealed if rounds is None else rounds.ranked
    top = () if rounds is None else rounds.open_discards
    return (
        {card.card for each in now for card in each.cards}
        | set(hand.drawn_off)
        | fielded
        | {card.card for card in top}
    )


def other_secrets(table: Table, viewer: str | None, dice: Random) -> Table:
    """
    Return a table that differs in all that *viewer* cannot see.

    The cards in the pile, among the discards and in the other hands are dealt out
    anew; a selection that is committed and not yet closed also gets another size.
    """
    hand = table.hand
    assert hand is not None
    shown = open_cards(table)
    others = [place for place in table.places if place.entrant != viewer and place.hand is not None]
    undealt = pile_of(hand).cards[hand.pile_next :]
    hidden = [*undealt, *hand.discards]
    for place in others:
        assert place.hand is not None
        zones = zones_of(place.hand)
        hidden += [card.card for card in zones if card.card not in shown]
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
        if place.entrant == viewer or held is None:
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
    # The order of a pile comes from its seed; what the pile was made of goes with its cards.
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
    """Yield every state the table was in, also between the events of one command."""
    for before, _, happened in floor.appends:
        state = before
        for event in happened:
            state = decider.evolve(state, event)
            assert isinstance(state, Table)
            yield state


@played
@given(games)
def test_a_view_shows_nothing_that_is_hidden_from_its_viewer(
    game: tuple[str, int, int, object],
) -> None:
    dice = Random(game[2])
    seen: set[str] = set()
    for table in moments(play(game)):
        if table.hand is None:
            continue
        seen.update(table.hand.done)
        for viewer in (None, *(place.entrant for place in table.places)):
            other = other_secrets(table, viewer, dice)
            assert other != table
            assert seen_by(other, viewer) == seen_by(table, viewer)
    assert "deal" in seen


@played
@given(games)
def test_a_view_names_no_card_but_the_own_and_those_turned_over(
    game: tuple[str, int, int, object],
) -> None:
    for table in moments(play(game)):
        for viewer in (None, *(place.entrant for place in table.places)):
            open_ = open_cards(table) | open_cards(replace(table, hand=None))
            place = None if viewer is None else table.place_of(viewer)
            if place is not None and place.hand is not None:
                held = place.hand
                zones = zones_of(held)
                open_ |= {card.card for card in zones}
            faces = set(deck(table.ruleset.deck))
            named = set(words(msgspec.to_builtins(seen_by(table, viewer)))) & faces
            assert named <= open_


def words(value: object) -> Iterator[str]:
    """Yield every text in *value*."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from words(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from words(each)


@played
@given(games)
def test_every_dealt_card_is_sealed_for_the_house_and_its_owner_only(
    game: tuple[str, int, int, object],
) -> None:
    def check(table: Table) -> None:
        for place in table.places:
            if place.hand is not None:
                for card in zones_of(place.hand):
                    assert card.audiences == (audience_of(place.entrant), "house")
        msgspec.json.encode(seen_by(table, entrant(1)))

    play(game, after=check)
