"""The ladder of Corellian Spike at a table: of two neighbours, the better hand wins."""

from collections import Counter

import pytest

from engine.kit.cards import deck
from engine.table.model import events
from tests.engine.hand.test_spike_hands import BY_VALUE, LADDER, Values, dealt
from tests.engine.table.spike import happened, opened, quiet, table

TURNS = (2, 3, 4)
"""The index of the card that a larger hand gains in the card turn of each card round."""

Rung = tuple[str, Values]


def can_meet(better: Rung, worse: Rung) -> bool:
    """Return whether one deck has the cards of both hands."""
    needed = Counter((*better[1], *worse[1]))
    return all(count <= len(BY_VALUE[value]) for value, count in needed.items())


MEETING = [
    (better, next(worse for worse in LADDER[place + 1 :] if can_meet(better, worse)))
    for place, better in enumerate(LADDER[:-1])
]
"""Each rung with the next lower one that the same deck can deal."""


@pytest.mark.parametrize(("better", "worse"), MEETING)
def test_example_31_of_two_neighbours_on_the_ladder_the_better_takes_the_pot(
    better: Rung, worse: Rung
) -> None:
    cards = dealt((*worse[1], *better[1]))
    hands = {1: cards[: len(worse[1])], 2: cards[len(worse[1]) :]}
    spare = next(card for card in deck("d62") if card not in cards)
    gained = [hand[turn] for turn in TURNS for hand in hands.values() if turn < len(hand)]
    floor = opened(
        table((100, 100)), {seat: hand[:2] for seat, hand in hands.items()}, (spare, *gained)
    )
    for turn in TURNS:
        for seat, hand in hands.items():
            if turn < len(hand):
                floor.turn(seat, "gain", source="pile")
            else:
                floor.turn(seat, "stand")
        quiet(floor, "card")
    ranked = {shown.seat: shown.name for shown in happened(floor, events.HandsRanked)[0].hands}
    assert ranked == {1: worse[0], 2: better[0]}
    award = happened(floor, events.PotAwarded)[0]
    assert ([share.seat for share in award.shares], award.rule) == ([2], "showdown.best")
