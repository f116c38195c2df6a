"""Stakes, change, and races for odd chips."""

from itertools import product

import pytest

from engine.kit.cards import deck
from engine.kit.denominations import HYPERSPACE, Denomination, change, colour_up, flaw, stake


def kinds(*values: int) -> tuple[Denomination, ...]:
    return tuple(Denomination(name=f"of {value}", credits=value) for value in values)


@pytest.mark.parametrize(("times", "credits"), [(1, 450), (2, 900), (4, 1800)])
def test_example_33_a_standard_stake_and_its_multiples(times: int, credits: int) -> None:
    assert stake(HYPERSPACE, times=times) == credits


def test_four_hundred_and_fifty_is_four_gold_and_one_silver() -> None:
    assert change(450, HYPERSPACE[:3]) == {"gold": 4, "silver": 1}
    assert change(452, HYPERSPACE) is None


def test_change_in_an_accepted_set_is_the_fewest_pieces() -> None:
    assert flaw(HYPERSPACE, unit=5) is None
    for chips in range(5, 1200, 5):
        pieces = change(chips, HYPERSPACE)
        assert pieces is not None
        values = {each.name: each.credits for each in HYPERSPACE}
        assert sum(values[name] * count for name, count in pieces.items()) == chips
    few = [sum(parts) for parts in product((0, 5, 50, 100, 200, 500, 1000), repeat=3)]
    for chips in few:
        pieces = change(chips, HYPERSPACE)
        assert pieces is not None
        assert sum(pieces.values()) <= 3


@pytest.mark.parametrize(
    ("values", "unit"),
    [((1, 3, 4), 1), ((5, 12), 5), ((5, 5), 5), ((10, 50), 5), ((1, 1_000_000), 1)],
    ids=["not the fewest", "no multiple", "equal", "unit lacking", "too large"],
)
def test_a_set_that_makes_no_change_is_refused(values: tuple[int, ...], unit: int) -> None:
    assert flaw(kinds(*values), unit=unit) is not None


def test_a_race_gives_the_odd_chips_to_the_best_cards_one_each() -> None:
    cards = ("C+02", "C+10", "T-05", "S+09", "S+01", *deck("d62"))
    race = colour_up({1: 110, 3: 205, 4: 310, 7: 300}, old=5, new=25, cards=cards)
    assert race.cards == {1: ("C+02", "C+10"), 3: ("T-05",), 4: ("S+09", "S+01")}
    assert race.winners == (1,)
    assert race.stacks == {1: 125, 3: 200, 4: 300, 7: 300}


def test_half_a_chip_counts_as_one_and_less_goes() -> None:
    cards = deck("d62")
    assert colour_up({1: 105, 2: 105, 3: 105}, old=5, new=25, cards=cards).winners == (3,)
    assert colour_up({1: 105, 2: 105}, old=5, new=25, cards=cards).winners == ()


def test_equal_cards_rank_by_seat() -> None:
    cards = ("C-01", "T-03", "C+07", "T+07", "S-01", "S-02")
    assert colour_up({2: 15, 5: 15}, old=5, new=25, cards=cards).winners == (2,)
    assert colour_up({5: 15, 2: 15}, old=5, new=25, cards=cards).winners == (2,)


def test_nobody_is_raced_out() -> None:
    cards = ("S-10", "C+10", "C+09", *deck("d62"))
    race = colour_up({1: 5, 2: 40, 3: 100}, old=5, new=25, cards=cards)
    assert (race.winners, race.spared) == ((2,), (1,))
    assert race.stacks == {1: 25, 2: 50, 3: 100}


def test_a_deck_too_small_for_a_card_a_chip_gives_one_card_each() -> None:
    race = colour_up(dict.fromkeys(range(1, 13), 99), old=1, new=100, cards=deck("d62"))
    assert all(len(drawn) == 1 for drawn in race.cards.values())
    assert len(race.winners) == 12
