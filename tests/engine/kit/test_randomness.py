"""
Statistical tests of the generator on fixed seeds, so every run has the same result.

Deviations are in standard normal units. A deviation of 3.3 occurs once in a thousand samples.
Known faults of shuffles are planted, and each must be found.
"""

from collections.abc import Sequence
from itertools import islice, pairwise

import pytest

from engine.kit.cards import DECKS
from engine.kit.dice import roll_pair, roll_target
from engine.kit.rng import RandomWords, derive_seed, openings_digest, shuffled_pile
from service.audit.play.statistics import chi_square, gaps, runs, serial
from tests.engine.kit import randomness
from tests.engine.kit.randomness import (
    Shuffle,
    by_remainder,
    cyclic,
    fair,
    hands,
    lazy,
    naive,
    neighbours,
    orders,
    places,
    streams,
    totals,
)

LIMIT = 3.3
FOUND = 10
MASTER = bytes(range(32))


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_every_order_of_a_small_deck_comes_equally_often(size: int) -> None:
    assert abs(orders(fair, size, 15_000)) < LIMIT


@pytest.mark.parametrize("deck", ["d62", "d76"])
def test_every_card_comes_equally_often_at_every_position(deck: str) -> None:
    assert abs(places(fair, DECKS[deck], 3_000)) < LIMIT


def test_neighbours_of_a_new_deck_stay_together_as_often_as_they_should() -> None:
    assert abs(neighbours(fair, 62, 4_000)) < LIMIT


@pytest.mark.parametrize("dealt", [2, 5, 7])
def test_hands_hold_a_suit_as_often_as_counted(dealt: int) -> None:
    assert abs(hands(fair, DECKS["d62"], dealt, 4_000)) < LIMIT


@pytest.mark.parametrize("dealt", [5, 7])
def test_hands_are_as_near_to_zero_as_often_as_counted(dealt: int) -> None:
    assert abs(totals(fair, DECKS["d62"], dealt, 4_000)) < LIMIT


@pytest.mark.parametrize("dealt", [5, 7])
def test_a_deck_that_is_only_cut_is_found_by_its_hands(dealt: int) -> None:
    def cut(stream: RandomWords, cards: Sequence[str]) -> Sequence[str]:
        at = stream.below(len(cards))
        return [*cards[at:], *cards[:at]]

    assert abs(totals(cut, DECKS["d62"], dealt, 4_000)) > FOUND


@pytest.mark.parametrize("biased", [naive, cyclic, lazy])
def test_a_biased_shuffle_is_found_by_its_orders(biased: Shuffle) -> None:
    assert abs(orders(biased, 5, 15_000)) > FOUND


@pytest.mark.parametrize("biased", [naive, cyclic, by_remainder])
def test_a_biased_shuffle_is_found_by_its_places(biased: Shuffle) -> None:
    assert abs(places(biased, DECKS["d62"], 6_000)) > LIMIT


def test_the_first_card_of_one_hand_tells_nothing_of_the_next() -> None:
    """The test counts runs and serial correlation over consecutive hands of one table."""
    number = {card: index for index, card in enumerate(DECKS["d62"])}
    none = openings_digest(())
    drawn = [
        float(number[shuffled_pile(seed, none, 1, DECKS["d62"]).cards[0]])
        for seed in (derive_seed(MASTER, "cards", 1, hand, 1) for hand in range(1, 2_001))
    ]
    assert abs(runs(drawn, 30.5)) < LIMIT
    assert abs(serial(drawn)) < LIMIT


def test_another_opening_of_one_player_is_another_deck() -> None:
    """One bit of one opening changes. As in a fresh shuffle, about 1 card stays in place."""
    seed = derive_seed(MASTER, "cards", 1, 1, 1)
    decks = [
        shuffled_pile(seed, openings_digest([(1, bytes([number]) * 32)]), 1, DECKS["d62"]).cards
        for number in range(250)
    ]
    same = sum(a == b for one, two in pairwise(decks) for a, b in zip(one, two, strict=True))
    assert abs(same - 249) < LIMIT * 249**0.5


@pytest.mark.parametrize("below", [2, 3, 6, 62])
def test_numbers_below_k_come_equally_often_and_after_fair_gaps(below: int) -> None:
    stream = RandomWords(MASTER, f"below {below}")
    draws = [stream.below(below) for _ in range(20_000)]
    counted = {number: draws.count(number) for number in range(below)}
    assert abs(chi_square(counted, dict.fromkeys(range(below), 20_000 / below))) < LIMIT
    assert abs(gaps(draws, below)) < LIMIT
    assert abs(serial([float(each) for each in draws])) < LIMIT


def test_the_dice_show_every_face_as_often_as_they_have_it() -> None:
    none = openings_digest(())
    seeds = [derive_seed(MASTER, "dice", 1, hand, 1) for hand in range(1, 6_001)]
    rolled = [roll_target(seed, none) for seed in seeds]
    faces = {(gold, suit): 0 for gold in (0, 5, -5, 10, -10) for suit in randomness.SUITS}
    for roll in rolled:
        faces[roll] += 1
    due = {face: 6_000 / (9 if face[0] == 0 else 18) for face in faces}
    assert abs(chi_square(faces, due)) < LIMIT
    for label in ("spike", "shift"):
        pairs = [roll_pair(seed, label, 1, none) for seed in seeds]
        every = {(a, b): pairs.count((a, b)) for a in range(1, 7) for b in range(1, 7)}
        assert abs(chi_square(every, dict.fromkeys(every, 6_000 / 36))) < LIMIT


def test_no_stream_is_ever_repeated() -> None:
    """Every table, hand, deal and use has its own seed."""
    seeds = {
        derive_seed(MASTER, use, table, hand, deal)
        for use in ("cards", "dice", "draws")
        for table in range(12)
        for hand in range(60)
        for deal in (1, 2)
    }
    assert len(seeds) == 3 * 12 * 60 * 2
    first = {next(iter(each.blocks())) for each in islice(streams("orders/5"), 1_000)}
    assert len(first) == 1_000
