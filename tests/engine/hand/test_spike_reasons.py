"""The comparison that decides between hands of Spike, for people who read a showdown."""

import pytest

from engine.hand.spike_reasons import judged, reason
from engine.rulesets import CorellianSpike

SPIKE = CorellianSpike()


@pytest.mark.parametrize(
    ("best", "other", "why"),
    [
        (["C+05", "C-05"], ["C+01", "C-02"], "name"),
        (["C+01", "C-02"], ["S+03", "S-05"], "total"),
        (["C+02", "C-01"], ["S+01", "S-02"], "sign"),
        (["C+05", "S+01", "C-07"], ["S+03", "S-04"], "more_cards"),
        (["C+09", "C-10"], ["S+03", "S-04"], "positive"),
        (["C+08", "C+01", "S-10"], ["S+06", "T+03", "T-10"], "high"),
        (["C+03", "C-03"], ["S+05", "S-05"], "lowest"),
        (["C+05", "S-05", "Z1"], ["T+05", "C+05", "S-10", "Z2"], "fewer_cards"),
        (["C+01", "C-02"], ["S+01", "S-02"], None),
    ],
)
def test_the_first_comparison_that_differs_decides(
    best: list[str], other: list[str], why: str | None
) -> None:
    assert reason(SPIKE, best, [other]) == why
    if why is not None:
        assert judged(SPIKE, best).key < judged(SPIKE, other).key
        assert reason(SPIKE, best, [["S+10", "T-01"], other]) == why, "the next best counts"


def test_a_better_hand_that_had_no_share_in_the_pot_does_not_count() -> None:
    better, best, beaten = ["C+03", "S-02"], ["C+02", "S+03"], ["C-02", "S-03"]
    assert reason(SPIKE, best, [better, beaten]) == "sign"
    assert reason(SPIKE, best, [better]) is None
