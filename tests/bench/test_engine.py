"""The bench of the engine compares hands of equal length, played to their end."""

import pytest

from bench.engine import POLICIES, SEATS, STACK, Ours, Theirs
from engine.table.model import events

CALLING, MIXED = POLICIES.values()


def test_a_hand_to_the_showdown_takes_both_four_decisions_a_seat() -> None:
    assert Ours(CALLING).play() == Theirs(CALLING).play() == 4 * SEATS


@pytest.mark.parametrize("policy", [CALLING, MIXED])
def test_our_side_plays_each_hand_to_its_settlement_and_keeps_every_chip(
    policy: tuple[str, ...],
) -> None:
    ours = Ours(policy)  # type: ignore[arg-type]
    for _ in range(12):
        assert ours.play() >= 2 * SEATS
        assert isinstance(ours.happened[-1], events.HandSettled)
        assert ours.table.chips() == SEATS * STACK
