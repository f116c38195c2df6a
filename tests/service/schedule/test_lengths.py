"""The simulated end of an evening: the same as of evenings with cards, and bounded."""

from random import Random

import pytest

from bench.lengths import inside, plan_for, played, simulated
from bench.structure import Asked
from engine.rulesets.parts import LevelStep
from service.schedule import evening_model
from service.schedule.evening_model import Evening, play
from service.schedule.lengths import Simulated, lengths_of, plan_of

pytestmark = pytest.mark.anyio

SMALL = Asked("better", 6, 1000, 60, 16)
LEVELS = (LevelStep(small=10, big=20, length=600), LevelStep(small=100, big=200))


@pytest.mark.long
def test_evenings_with_cards_end_where_the_model_says() -> None:
    model, ended = simulated(SMALL), played(SMALL, SMALL.times)

    assert model.p10 < ended[len(ended) // 2] < model.p90
    assert inside(model, ended) > 0.5
    assert model.p90 - model.p10 < model.p50, "so wide a span says nothing"


@pytest.mark.parametrize("off", [0.5, pytest.param(1.6, marks=pytest.mark.long)])
def test_levels_of_another_length_are_noticed(off: float) -> None:
    plan = plan_for(SMALL)
    stretched = [each._replace(ends=each.ends * off) for each in plan.levels]
    other = lengths_of(play(plan._replace(levels=tuple(stretched))))
    assert other is not None
    assert inside(other, played(SMALL, 8)) < 0.5


def test_no_chip_is_lost_and_no_hand_is_played_without_two() -> None:
    plan = plan_of(players=13, seats=5, stack=300, unit=5, levels=LEVELS)
    evening = Evening(plan, Random(4))
    ended = evening.play()
    assert ended is not None
    assert sum(evening.stacks) == 13 * 300
    assert sorted(evening.stacks)[:-1] == [0] * 12


def test_a_break_lengthens_the_evening_by_its_length() -> None:
    plain = plan_of(players=6, seats=6, stack=1000, unit=5, levels=LEVELS)
    paused = plan_of(players=6, seats=6, stack=1000, unit=5, levels=LEVELS, breaks=[(1, 900)])

    without, with_break = Evening(plain, Random(7)).play(), Evening(paused, Random(7)).play()

    assert without is not None
    assert with_break is not None
    assert without.seconds > 600
    assert with_break.seconds == without.seconds + 900


async def test_the_same_plan_is_simulated_once_and_always_alike() -> None:
    plan = plan_of(players=4, seats=4, stack=500, unit=5, levels=LEVELS)
    known = Simulated()
    assert not known.knows(plan)

    first = await known.of(plan, "somebody")

    assert known.knows(plan)
    assert first is not None
    assert first == await known.of(plan, "somebody") == lengths_of(play(plan))
    assert first.p10 <= first.p50 <= first.p90


async def test_a_field_that_is_too_large_has_no_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evening_model, "EVENING_HANDS_MAX", 3)
    assert lengths_of(play(plan_of(players=30, seats=6, stack=1000, unit=5, levels=LEVELS))) is None
