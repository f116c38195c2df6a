"""Raises and reopening: rows C1 to C16 played through a whole table."""

from typing import Any

import pytest

from engine.rulesets import Ruleset
from engine.table.model import errors
from tests.engine.table.hands import Company, bare

LONG = 100_000


def of_blind(big: int) -> Ruleset:
    return bare(
        forced={"kind": "blinds", "small": big // 2, "big": big},
        first_actor=["left_of_big_blind", "left_of_button"],
        betting={"kind": "poker_nl", "min_raise": "last_raise", "min_open": "big_blind"},
    )


def without(least: int) -> Ruleset:
    return bare(betting={"kind": "poker_nl", "min_raise": "last_raise", "min_open": least})


def long(names: str, **short: int) -> dict[str, int]:
    """Return the stacks of *names*, clockwise from the left of the dealer, who comes last."""
    return {name: short.get(name, LONG) for name in names}


ADDING_UP = "A 100,B 125,C call,D 200,E call"
LIMPED = "A call,C 7500,S fold"

ROWS: list[Any] = [
    ("c01", without(200), long("ABCD"), "A 600,B 1600,C 3600", "D", 5600),
    ("c02", of_blind(100), long("SBAC", A=150), "A 150", "C", 250),
    ("c03", without(200), long("ABC"), "A 300,B 1000", "C", 1700),
    ("c04", of_blind(50), long("SBACDE"), "A 125,C 200,D 500", "E", 800),
    ("c04b", of_blind(50), long("SBACDE"), "A 500,C call,D call", "E", 950),
    ("c05", without(100), long("ABCDE", B=125, D=200), ADDING_UP, "A", 300),
    ("c06", without(100), long("ABCDE", B=125, D=200), ADDING_UP + ",A call", "C", None),
    ("c07", without(100), long("ABCDE", B=125, D=200), ADDING_UP + ",A 300", "C", 400),
    (
        "c08",
        without(100),
        long("ABCDEF", B=500, C=650, D=800),
        "A 300,B 500,C 650,D 800,E call",
        "F",
        1100,
    ),
    ("c09", of_blind(4000), long("SBAC", C=7500), LIMPED, "B", 11_500),
    ("c10", of_blind(4000), long("SBAC", C=7500), LIMPED + ",B call", "A", None),
    ("c11", of_blind(4000), long("SBAC", C=7500), LIMPED + ",B 11500", "A", 15_500),
    (
        "c12",
        without(100),
        long("ABCDE", D=1300, E=1700),
        "A 500,B 1000,C call,D 1300,E 1700,A call",
        "B",
        2200,
    ),
    (
        "c12 the next",
        without(100),
        long("ABCDE", D=1300, E=1700),
        "A 500,B 1000,C call,D 1300,E 1700,A call,B call",
        "C",
        2200,
    ),
    ("c13", of_blind(200), long("SBA", S=650), "A 600,S 650,B call", "A", None),
    ("c14", of_blind(2), long("SBUD", U=16, S=19), "U 16,D call,S 19,B call", "D", None),
    ("c15", without(100), long("ABC", B=50), "A check,B 50,C call", "A", None),
    ("c16", without(100), long("ABC", B=50), "A check,B 50", "C", 150),
]


@pytest.mark.parametrize(
    ("ruleset", "stacks", "actions", "turn", "least"),
    [row[1:] for row in ROWS],
    ids=[row[0] for row in ROWS],
)
def test_who_may_raise_and_to_what_at_least(
    ruleset: Ruleset, stacks: dict[str, int], actions: str, turn: str, least: int | None
) -> None:
    company = Company(ruleset, stacks)
    company.deal()
    company.bets(*actions.split(","))
    assert company.turn() == turn
    if least is None:
        assert set(company.legal(turn)) == {"fold", "call"}
        with pytest.raises(errors.CommandRejected) as refused:
            company.bets(f"{turn} {LONG}")
        assert refused.value.rule == "betting.reopening"
        return
    assert company.legal(turn)["raise_to"].min == least
    with pytest.raises(errors.CommandRejected) as refused:
        company.bets(f"{turn} {least - 1}")
    assert (refused.value.rule, refused.value.facts["minimum"]) == ("betting.last_raise", least)
