"""Denominations: the value of a stake, and change."""

from itertools import product

import pytest

from engine.kit.denominations import HYPERSPACE, Denomination, change, flaw


def kinds(*values: int) -> tuple[Denomination, ...]:
    return tuple(Denomination(name=f"of {value}", credits=value) for value in values)


@pytest.mark.parametrize(("times", "credits"), [(1, 450), (2, 900), (4, 1800)])
def test_example_33_a_standard_stake_and_its_multiples(times: int, credits: int) -> None:
    assert times * sum(each.credits * each.in_stake for each in HYPERSPACE) == credits


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
