"""The ranking of Corellian Spike (rulebook ``spike.ranking`` and the rules around it)."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise
from random import Random

import pytest

from engine.errors import InvariantViolated
from engine.hand.galaxy_hands import galaxy_rank
from engine.hand.ranks import HandRank
from engine.hand.spike_hands import blind_draw_key, rank
from engine.kit.cards import VALUES, deck
from engine.rulesets import EXTRA_HANDS

Values = tuple[int, ...]

BY_VALUE = {
    value: [card for card in deck("d62") if VALUES[card] == value] for value in range(-10, 11)
}

LADDER = [
    ("pure_sabacc", (0, 0)),
    ("full_sabacc", (10, 10, -10, -10, 0)),
    ("fleet", (5, 5, -5, -5, 0)),
    ("yee_haa", (5, -5, 0)),
    ("yee_haa", (7, -7, 0)),
    ("rhylet", (2, 2, 2, -3, -3)),
    ("rhylet", (-4, -4, -4, 6, 6)),
    ("squadron", (1, 1, -1, -1)),
    ("squadron", (5, 5, -5, -5)),
    ("gee_whiz", (1, 2, 3, 4, -10)),
    ("straight_khyron", (4, -5, -6, 7)),
    ("straight_khyron", (7, -8, -9, 10)),
    ("banthas_wild", (4, 4, -4, -2, -2)),
    ("banthas_wild", (5, 5, 5, -8, -7)),
    ("rule_of_two", (3, -3, 5, -5)),
    ("rule_of_two", (4, -4, 9, -9)),
    ("one_pair", (3, -3)),
    ("one_pair", (5, -5)),
    ("unnamed_zero", (1, 8, -2, -7)),
    ("unnamed_zero", (4, 6, -10)),
    ("unnamed_zero", (1, 8, -9)),
    ("unnamed_zero", (4, 5, -9)),
    ("nulrhek", (1, -1, 2, -3, 2)),
    ("nulrhek", (3, -4, 6, -4)),
    ("nulrhek", (3, -2)),
    ("nulrhek", (-3, 2)),
]
"""The rulebook's ladder, best first. A repeated name also shows its ties."""


def dealt(values: Values) -> tuple[str, ...]:
    """Return cards of *values*, of as many suits as needed."""
    left = {value: [*BY_VALUE[value]] for value in values}
    return tuple(left[value].pop(0) for value in values)


def test_example_31_the_ladder_stands_in_its_order() -> None:
    ranks = [rank(dealt(values)) for _, values in LADDER]
    assert [each.name for each in ranks] == [name for name, _ in LADDER]
    for better, worse in pairwise(ranks):
        assert better.key < worse.key, (better, worse)


# An independent, plain version of the rules. A name is a set of cards. A hand has the name if
# some of its cards are such a set or, under strict names, if all of them are.


def exactly(*sets: Values) -> set[Values]:
    return {tuple(sorted(each)) for each in sets}


def signs(values: Values) -> Iterator[Values]:
    if not values:
        yield ()
        return
    for rest in signs(values[1:]):
        yield (values[0], *rest)
        yield (-values[0], *rest)


ONE_TO_TEN = range(1, 11)
PURE = exactly((0, 0))
FULL = exactly((0, 10, 10, -10, -10))
FOURS = {v: exactly(*signs((v, v, v, v))) for v in ONE_TO_TEN}
THREES = {v: exactly(*signs((v, v, v))) for v in ONE_TO_TEN}
PAIRS = {v: exactly(*signs((v, v))) for v in ONE_TO_TEN}
RHYLETS = {
    v: exactly(*((s * v, s * v, s * v, -s * w, -s * w) for w in ONE_TO_TEN for s in (1, -1)))
    for v in ONE_TO_TEN
}
GEE_WHIZ = exactly((1, 2, 3, 4, -10), (-1, -2, -3, -4, 10))
RUNS = {
    length: {
        start: exactly(*signs(tuple(range(start, start + length))))
        for start in range(1, 12 - length)
    }
    for length in (3, 4, 5)
}


def subsets(hand: Values, size: int) -> set[Values]:
    return {tuple(sorted(each)) for each in combinations(hand, size)}


def has(hand: Values, sets: set[Values], *, strict: bool = False) -> bool:
    size = len(next(iter(sets)))
    return bool(subsets(hand, size) & sets) and (not strict or len(hand) == size)


def lowest(hand: Values, by_value: dict[int, set[Values]], *, strict: bool = False) -> int | None:
    return next((v for v in sorted(by_value) if has(hand, by_value[v], strict=strict)), None)


def plain(hand: Values, *, extra: frozenset[str] = frozenset(), strict: bool = False) -> list[str]:
    """
    Return words by which *hand* sorts, best first.

    Each number is written so that the text of the better hand comes first.
    """
    total = sum(hand)
    plus = [value for value in hand if value > 0]
    few, many = [f"{len(hand):02}"], [f"{9 - len(hand):02}"]
    sums = [*many, f"{99 - sum(plus):02}", f"{99 - max(plus, default=0):02}"]
    sylop = 0 in hand
    if "idiots_array" in extra and sorted(hand) == [0, 2, 3]:
        return ["a"]
    if total:
        return ["z", f"{abs(total):02}", "plus" if total < 0 else "by", *sums]
    if has(hand, PURE, strict=True):
        return ["b"]
    if has(hand, FULL):
        return ["c"]
    if sylop and (v := lowest(hand, FOURS)) is not None:
        return ["d", f"{v:02}"]
    prime = exactly((0, 10, -10))
    if "prime_sabacc" in extra and has(hand, prime, strict=strict):
        return ["e"]
    pairs = [v for v in ONE_TO_TEN if has(hand, PAIRS[v])]
    if "dual_power_coupling" in extra and sylop and len(pairs) > 1:
        return ["f", *(f"{v:02}" for v in pairs[:2])]
    if sylop and pairs and (not strict or len(hand) == 3):
        return ["g", f"{pairs[0]:02}", *few]
    if (v := lowest(hand, RHYLETS)) is not None:
        return ["h", f"{v:02}"]
    if "straight_staves" in extra and has(hand, RUNS[4][7], strict=strict):
        return ["i"]
    if (v := lowest(hand, FOURS, strict=strict)) is not None:
        return ["j", f"{v:02}"]
    if has(hand, GEE_WHIZ):
        return ["k"]
    if "straight_rhoon" in extra and (v := lowest(hand, RUNS[5], strict=strict)) is not None:
        return ["l", f"{v:02}"]
    if (v := lowest(hand, RUNS[4], strict=strict)) is not None:
        return ["m", f"{v:02}"]
    if (v := lowest(hand, THREES)) is not None:
        return ["n", f"{v:02}"]
    if len(pairs) > 1:
        return ["o", *(f"{v:02}" for v in pairs[:2])]
    if "straight_trill" in extra and (v := lowest(hand, RUNS[3], strict=strict)) is not None:
        return ["p", f"{v:02}"]
    if pairs:
        return ["q", f"{pairs[0]:02}"]
    return ["r", *sums]


@cache
def all_hands() -> dict[Values, tuple[str, ...]]:
    """Return the values of every possible hand, each with cards that have these values."""
    in_deck = Counter(VALUES[card] for card in deck("d62"))
    return {
        hand: dealt(hand)
        for size in range(2, 6)
        for hand in combinations_with_replacement(range(-10, 11), size)
        if all(count <= in_deck[value] for value, count in Counter(hand).items())
    }


@pytest.mark.parametrize("strict", [False, True], ids=["extras allowed", "strict"])
@pytest.mark.parametrize(
    "extra", [frozenset(), frozenset(EXTRA_HANDS)], ids=["plain", "extra hands"]
)
def test_every_hand_there_is_ranks_as_the_rules_written_plainly_say(
    extra: frozenset[str], strict: bool
) -> None:
    """Both versions give all hands the same order and the same ties."""
    ranked = sorted(
        (rank(cards, extra=extra, strict=strict).key, plain(hand, extra=extra, strict=strict), hand)
        for hand, cards in all_hands().items()
    )
    for better, worse in pairwise(ranked):
        tied = better[0] == worse[0]
        assert better[1] == worse[1] if tied else better[1] < worse[1], (better, worse)


def test_every_name_is_taken_by_some_hand() -> None:
    hands = all_hands().values()
    names = {rank(cards).name for cards in hands}
    assert len(names) == 13
    assert {rank(cards, extra=EXTRA_HANDS).name for cards in hands} == names | set(EXTRA_HANDS)


def test_two_hands_tie_exactly_where_the_rulebook_says() -> None:
    """Other cards do not break ties of one kind. Fewer cards win a tie of Yee-Haas."""
    alike = [
        ((5, 5, -5, -5), (-5, 5, 5, -5)),
        ((1, 1, -1, -1), (1, 1, 1, -1, -2)),
        ((1, 2, 3, 4, -10), (-1, -2, -3, -4, 10)),
        ((4, -5, -6, 7), (-4, 5, 6, -7, 0)),
        ((4, 4, -4, -2, -2), (4, 4, 4, -3, -9)),
        ((3, -3, 5, -5), (3, 3, -5, -5, 4)),
        ((3, -3), (3, -3, 1, 7, -8)),
        ((1, 8, -9), (-9, 8, 1)),
        ((6, -5), (6, -5)),
    ]
    for one, other in alike:
        assert rank(dealt(one)).key == rank(dealt(other)).key, (one, other)
    assert rank(dealt((5, -5, 0))).key < rank(dealt((5, -5, 0, 0))).key
    assert rank(dealt((3, -3, 5, -5))).key < rank(dealt((3, -3, 6, -6))).key


def test_a_sylop_belongs_to_no_pair_and_only_two_alone_are_pure() -> None:
    assert rank(dealt((0, 0, 5, -5))).name == "yee_haa"
    assert rank(dealt((0, 0, 5, -5)), strict=True).name == "one_pair"
    assert rank(dealt((0, 0, 3, 4, -7))).name == "unnamed_zero"


def test_strict_names_allow_no_card_beside_those_named() -> None:
    loose = {(1, 1, 1, -1, -2): "squadron", (4, -5, -6, 7, 0): "straight_khyron"}
    strict = {(1, 1, 1, -1, -2): "banthas_wild", (4, -5, -6, 7, 0): "unnamed_zero"}
    assert {hand: rank(dealt(hand)).name for hand in loose} == loose
    assert {hand: rank(dealt(hand), strict=True).name for hand in strict} == strict


def test_an_extra_hand_counts_only_where_it_is_played() -> None:
    known = {
        (0, 2, 3): ("nulrhek", "idiots_array"),
        (0, 10, -10): ("yee_haa", "prime_sabacc"),
        (0, 3, -3, 4, -4): ("yee_haa", "dual_power_coupling"),
        (7, -8, -9, 10): ("straight_khyron", "straight_staves"),
        (2, 3, -4, 5, -6): ("straight_khyron", "straight_rhoon"),
        (1, 2, -3): ("unnamed_zero", "straight_trill"),
    }
    for hand, names in known.items():
        sought = frozenset({names[1]})
        assert (rank(dealt(hand)).name, rank(dealt(hand), extra=sought).name) == names


@pytest.mark.parametrize("size", [1, 6])
def test_a_hand_has_two_to_five_cards(size: int) -> None:
    with pytest.raises(InvariantViolated):
        rank(deck("d62")[:size])


GALAXY = [
    ("pure_sabacc", ("Z1", "Z2")),
    ("rhylet", ("C+02", "T+02", "S+02", "C-03", "T-03")),
    ("fleet", ("C+10", "T-10", "S-10", "T+10", "Z1")),
    ("banthas_wild", ("C+01", "T+01", "S+01", "C-01", "T-02")),
    ("gee_whiz", ("C+01", "C+02", "C+03", "C+04", "C-10")),
    ("gee_whiz", ("C+01", "C+02", "C+03", "C+04", "T-10")),
    ("squadron", ("C+01", "T+01", "S-01", "C-01")),
    ("straight_khyron", ("C+04", "T-05", "S-06", "C+07")),
    ("rule_of_two", ("C+03", "C-03", "C+05", "C-05", "Z1")),
    ("rule_of_two", ("C+09", "C-09", "C+05", "C-05")),
    ("rule_of_two", ("C+09", "C-09", "C+05", "T-05")),
    ("yee_haa", ("C+07", "T-07", "Z1")),
    ("unnamed_zero", ("C+01", "C+08", "C-09")),
    ("unnamed_zero", ("C+04", "C+05", "C-09")),
    ("unnamed_zero", ("C+09", "S-09")),
    ("nulrhek", ("C+01", "T+01", "S-01")),
    ("nulrhek", ("C+03", "C-02")),
    ("nulrhek", ("C+09", "S-08")),
    ("nulrhek", ("C+02", "S-03")),
]


def test_the_galaxy_ranking_stands_in_its_order() -> None:
    ranks = [galaxy_rank(cards) for _, cards in GALAXY]
    assert [each.name for each in ranks] == [name for name, _ in GALAXY]
    for better, worse in pairwise(ranks):
        assert better.key < worse.key, (better, worse)


GALAXY_NAMES = [
    "pure_sabacc",
    "rhylet",
    "fleet",
    "banthas_wild",
    "gee_whiz",
    "squadron",
    "straight_khyron",
    "rule_of_two",
    "yee_haa",
]


def plain_galaxy(cards: tuple[str, ...]) -> tuple[int, list[tuple[int, int]]]:
    """Return the index of the name, and a pair of rising numbers for each step of the chain."""
    hand = tuple(VALUES[card] for card in cards)
    sylop = 0 in hand
    wild = {v: exactly((v, v, v), (-v, -v, -v)) for v in ONE_TO_TEN}
    named = {
        "pure_sabacc": sorted(hand) == [0, 0],
        "rhylet": lowest(hand, RHYLETS) is not None,
        "fleet": sylop and lowest(hand, FOURS) is not None,
        "banthas_wild": lowest(hand, wild) is not None,
        "gee_whiz": has(hand, GEE_WHIZ),
        "squadron": lowest(hand, FOURS) is not None,
        "straight_khyron": lowest(hand, RUNS[4]) is not None,
        "rule_of_two": sum(has(hand, PAIRS[v]) for v in ONE_TO_TEN) > 1,
        "yee_haa": sylop and lowest(hand, PAIRS) is not None,
    }
    place = len(GALAXY_NAMES) + bool(sum(hand))
    if not sum(hand):
        place = next((i for i, name in enumerate(GALAXY_NAMES) if named[name]), place)
    plus = [value for value in hand if value > 0]
    suits = "".join(sorted({card[0] for card in cards})).replace("Z", "")
    chain = [abs(sum(hand)), sum(hand) < 0, -len(hand), len(suits) > 1, -sum(plus)]
    return place, [(int(step), 0) for step in (*chain, -max(plus, default=0))]


def some_hands(count: int) -> Iterator[tuple[str, ...]]:
    """Yield random hands of four and five cards. Half of them are made to total zero."""
    dice = Random(31)
    while count:
        hand = dice.sample(deck("d62"), dice.choice([4, 5]))
        if count % 2 and sum(VALUES[card] for card in hand):
            continue
        count -= 1
        yield tuple(hand)


def test_hands_rank_in_the_galaxy_as_the_rules_written_plainly_say() -> None:
    """The hands are all those of two and three cards, and thousands of larger ones."""
    small = [hand for size in (2, 3) for hand in combinations(deck("d62"), size)]
    hands = [*small, *some_hands(4000)]
    keys = {hand: galaxy_rank(hand).key for hand in hands}
    hands.sort(key=keys.__getitem__)
    for (better, one), (worse, two) in pairwise((hand, plain_galaxy(hand)) for hand in hands):
        tied = keys[better] == keys[worse]
        assert one == two if tied else one < two, (better, worse)


def test_the_blind_draw_goes_to_the_card_nearest_to_zero_and_of_two_to_the_positive() -> None:
    best_first = ["Z1", "C+01", "T-01", "S+02", "C-02", "S+10", "T-10"]
    shuffled = Random(2).sample(best_first, len(best_first))
    assert sorted(shuffled, key=blind_draw_key) == best_first
    assert blind_draw_key("C+03") == blind_draw_key("S+03")
    assert blind_draw_key("Z1") == blind_draw_key("Z2")


def test_a_rank_says_the_total_that_decides_over_the_sabacc_pot() -> None:
    assert rank(("C+05", "C-03")) == HandRank("nulrhek", 2, (18, 2, 0, -2, -5, -5))
    assert rank(("C+05", "T-05")).total == 0
