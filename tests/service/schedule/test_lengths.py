"""The simulated end of an evening: the same as of evenings with cards, and bounded."""

import sys
from itertools import pairwise
from random import Random

import msgspec
import pytest

from bench.lengths import inside, plan_for, played, simulated
from bench.nights import Later, Night
from bench.structure import Asked, ruleset_of
from engine.rulesets.parts import LevelStep, Rebuy
from service.base.errors import Overloaded
from service.schedule import evening_model, lengths
from service.schedule.evening_model import COMPANIES, Evening, play
from service.schedule.lengths import Simulated, lengths_of, plan_of

pytestmark = pytest.mark.anyio

SMALL = Asked("better", 6, 1000, 60, 16)
LEVELS = (LevelStep(small=10, big=20, length=600), LevelStep(small=100, big=200))


@pytest.mark.long
@pytest.mark.parametrize("later", [False, True])
def test_evenings_with_cards_end_where_the_model_says(*, later: bool) -> None:
    model = simulated(SMALL, later=later)
    ended = played(SMALL, SMALL.times, later=later)

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


def test_who_comes_late_or_rebuys_brings_a_stack_to_the_evening() -> None:
    plan = plan_of(
        players=13, seats=6, stack=300, unit=5, levels=LEVELS,
        late=(1, 7), rebuy=Rebuy(max=2, until_level=1), percent=100,
    )  # fmt: skip
    evening = Evening(plan, Random(4))
    assert list(map(len, evening.tables.values())) == [6], "the others are not there yet"

    ended = evening.play()

    assert ended is not None
    assert len(evening.stacks) == 13
    assert 0 < sum(evening.bought) <= 13 * 2
    assert max(evening.bought) <= 2
    assert sum(evening.stacks) == (13 + sum(evening.bought)) * 300
    assert sorted(evening.stacks)[:-1] == [0] * 12


def test_a_late_player_without_a_free_seat_opens_a_table_and_gets_company() -> None:
    plan = plan_of(players=5, seats=4, stack=2_000, unit=5, levels=LEVELS, late=(1, 1))
    evening = Evening(plan, Random(4))
    assert len(evening.tables) == 1
    assert evening.play() is not None
    assert sorted(evening.stacks) == [0, 0, 0, 0, 5 * 2_000]


def test_a_night_with_cards_has_its_late_players_and_its_rebuys() -> None:
    game = msgspec.structs.replace(ruleset_of(SMALL), rebuy=Rebuy(max=1))
    later = Later(players=2, level=2, buying=1.0)
    night = Night(game, players=8, stack=1000, seed=3, table_seats=6, later=later)
    assert len(night.tournament.entrants) == 6

    night.play()

    assert len(night.tournament.entrants) == 8
    assert night.bought == 7, "everybody but the winner, who may have bought too"
    last = next(each for each in night.tables.values() if each.places)
    assert sum(each.stack for each in last.places) == (8 + night.bought) * 1000


def test_rebuys_and_late_players_make_an_evening_longer() -> None:
    plain = plan_of(players=6, seats=6, stack=300, unit=5, levels=LEVELS)
    sold = plan_of(
        players=6, seats=6, stack=300, unit=5, levels=LEVELS, rebuy=Rebuy(max=None), percent=70
    )
    without, with_rebuys = lengths_of(play(plain)), lengths_of(play(sold))
    assert without is not None
    assert with_rebuys is not None
    assert with_rebuys.p50 > without.p50


def test_half_of_the_evenings_have_careful_players_in_every_number_of_them() -> None:
    plan = plan_of(players=4, seats=4, stack=500, unit=5, levels=LEVELS)
    shares = [Evening(plan, Random(1), number).raising for number in range(40)]
    raising, careful = COMPANIES
    for half, ((least, most), _) in ((shares[::2], raising), (shares[1::2], careful)):
        assert all(least <= each <= most for each in half)
        in_order = sorted((each - least) / (most - least) for each in half)
        assert max(b - a for a, b in pairwise(in_order)) < 0.1, "they spread evenly"


def test_the_last_two_of_the_most_careful_people_come_to_an_end() -> None:
    """With two big blinds each, a fold would only pass the small blind to and fro."""
    plan = plan_of(players=2, seats=2, stack=200, unit=5, levels=LEVELS[1:])
    ended = [Evening(plan, Random(seed), 1).play() for seed in range(20)]
    assert all(each is not None and each.hands < 100 for each in ended)


def test_a_break_lengthens_the_evening_by_its_length() -> None:
    plain = plan_of(players=6, seats=6, stack=1000, unit=5, levels=LEVELS)
    paused = plan_of(players=6, seats=6, stack=1000, unit=5, levels=LEVELS, breaks=[(1, 900)])

    without, with_break = Evening(plain, Random(7)).play(), Evening(paused, Random(7)).play()

    assert without is not None
    assert with_break is not None
    assert without.seconds > 600
    assert with_break.seconds == without.seconds + 900


async def test_the_same_plan_is_simulated_once_and_always_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lengths, "_SECONDS_MAX", 300)
    plan = plan_of(
        players=4, seats=4, stack=500, unit=5, levels=LEVELS, late=(1, 1), rebuy=Rebuy(max=1)
    )
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


async def test_a_simulation_that_was_killed_is_not_remembered_as_too_large_a_field(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The kernel kills a process when the memory is full. The next one may have enough."""
    plan = plan_of(players=2, seats=2, stack=200, unit=5, levels=LEVELS)
    dying = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    known = Simulated()
    with monkeypatch.context() as changed:
        changed.setattr(lengths, "_PROGRAM", (sys.executable, "-c", dying))
        with pytest.raises(Overloaded):
            await known.of(plan, "somebody")
    assert not known.knows(plan)
    monkeypatch.setattr(lengths, "_SECONDS_MAX", 300)
    assert await known.of(plan, "somebody") is not None
