"""Games until everybody has dealt: the hand that is called the last one is the last."""

from typing import Any

import pytest

from engine.rulesets import resolve
from engine.table.model.events import ArrivalsSeated, HandOpened
from engine.table.read.view_parts import TableView
from engine.tournament.model.terms import Rounds
from tests.engine.coordination.evening import Evening, Player, folding
from tests.engine.tournament.rounds import Heats, bold

NO_LIMIT = {"kind": "poker_nl", "min_open": 1, "min_raise": "chip_unit"}


def bold_at(*seats: int) -> Player:
    """Return players who raise if they sit in *seats* and otherwise fold."""

    def play(view: TableView) -> tuple[str, Any]:
        assert view.me is not None
        return bold(view) if view.me.seat in seats else folding(view)

    return play


def of_first_table(evening: Evening) -> list[tuple[int, tuple[int, ...], bool]]:
    """Return, for each hand, the dealer, the seats still to deal, and whether it is the last."""
    hands: list[HandOpened] = []
    for opened in evening.happened(HandOpened):
        if opened.number == len(hands) + 1:
            hands.append(opened)
    return [(each.button, each.dealers_left, each.last) for each in hands]


@pytest.mark.parametrize("seats", [(2, 3), (1, 2, 3), (2, 3, 4)])
def test_a_button_that_stays_leaves_somebody_to_deal_and_the_hand_is_not_the_last(
    seats: tuple[int, ...],
) -> None:
    """If the starter of two or three busts, the same seat has the button once more."""
    plan = Rounds(rounds=1, hands_per_round=None)
    evening = Heats(4, resolve("cantina", {}), plan, starting_stack=20, table_seats=6)
    evening.play_as = bold_at(*seats)
    evening.play_round()
    hands = of_first_table(evening)
    assert hands[0][0] == hands[1][0]
    assert [last for _, _, last in hands] == [False] * (len(hands) - 1) + [True]
    assert all(last == (not left) for _, left, last in hands)


@pytest.mark.parametrize(
    ("first_dealer", "entrants", "due"),
    [
        ("host_choice", 6, [(1, (2, 3), False), (1, (2,), False), (2, (), True)]),
        ("random", 5, [(2, (1, 3), False), (1, (3,), False), (3, (), True)]),
        ("random", 7, [(3, (1, 2, 4), False), (4, (), True)]),
    ],
)
def test_a_dealer_drawn_anew_who_had_not_to_deal_leaves_the_last_hand_to_who_has(
    first_dealer: str, entrants: int, due: list[Any]
) -> None:
    terms = {"first_dealer": first_dealer, "final_tie": "shared", "betting": NO_LIMIT}
    evening = Evening(entrants, resolve("halcyon_10", terms), table_seats=4)
    evening.play_as = bold
    evening.play()
    assert any(event.restart for event in evening.happened(ArrivalsSeated))
    assert of_first_table(evening) == due
