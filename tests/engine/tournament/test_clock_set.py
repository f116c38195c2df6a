"""The level clock as staff set it."""

from datetime import timedelta
from typing import Any

import pytest

from engine.rulesets import resolve
from engine.tournament import decider
from engine.tournament.model.commands import Pause, RaiseLevels, Resume
from engine.tournament.model.commands.floor import AnnounceBreak, SetClock
from engine.tournament.model.errors.floor import OwnClock, RulingNotPossible
from engine.tournament.model.events import ClockStarted, LevelRaised
from engine.tournament.model.events.entering import LateRegistrationClosed
from engine.tournament.model.events.floor import ClockSet
from engine.tournament.model.state import Running
from engine.tournament.model.terms import EntryTerms, FloorTerms
from engine.tournament.model.terms.floor import BreakAfter
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import player, register, to_start
from tests.engine.tournament.rulings import DIRECTOR, RULED, WHY
from tests.engine.tournament.test_levels import at, blinds, by_clock


def night(**terms: Any) -> Scenario:
    """Return a tournament with levels of 600, 600 and 300 seconds, and one without an end."""
    return Scenario(decider).asked(*to_start(4, **by_clock(), **terms))


def setting(now: float, **asked: Any) -> SetClock:
    return SetClock(**{**RULED, "now": at(now)}, **asked)


def clock_set(
    level: int, now: float, *, seconds: int = 0, due: float | None = None, left: int | None = None
) -> ClockSet:
    return ClockSet(
        by=DIRECTOR, reason=WHY, rule="levels.set", level=level, amounts=blinds(level),
        seconds=seconds, at=at(now), due=None if due is None else at(due),
        left_microseconds=None if left is None else left * 1_000_000,
    )  # fmt: skip


def clock(scenario: Scenario) -> Any:
    assert isinstance(scenario.state, Running)
    return scenario.state.clock


def test_staff_add_and_take_time() -> None:
    scenario = night()
    before = clock(scenario)
    scenario.when(setting(100, seconds=60)).then(clock_set(1, 100, seconds=60, due=660))
    assert clock(scenario).set_by == before.set_by
    assert clock(scenario).run_by > before.run_by
    scenario.when(setting(200, seconds=-400)).then(clock_set(1, 200, seconds=-400, due=260))
    scenario.when(RaiseLevels(now=at(259))).then_nothing()
    (raised,) = scenario.when(RaiseLevels(now=at(260))).events()
    assert isinstance(raised, LevelRaised)
    assert raised.due == at(860)


def test_staff_go_to_another_level_which_begins_whole() -> None:
    scenario = night()
    scenario.when(setting(100, level=3)).then(clock_set(3, 100, due=400))
    assert clock(scenario).set_by == clock(scenario).run_by
    scenario.when(setting(150, level=3)).then_nothing()
    scenario.when(setting(200, level=1, seconds=30)).then(clock_set(1, 200, seconds=30, due=830))
    scenario.when(setting(300, level=4)).then(clock_set(4, 300))
    scenario.when(RaiseLevels(now=at(9000))).then_nothing()


def test_staff_who_play_only_add_time() -> None:
    scenario = night(entry=EntryTerms(late_registration_level=3, waitlist=True), entrants_max=4)
    scenario.asked(register(5))
    for number in (1, 5):
        mine = {**RULED, "now": at(100), "by": player(number)}
        for asked in ({"level": 2}, {"level": 1, "seconds": 30}, {"seconds": -1}):
            scenario.when(SetClock(**mine, **asked)).then_rejected(OwnClock)
    (added,) = scenario.when(SetClock(**mine, seconds=60)).events()
    assert added.due == at(660)


def test_a_level_of_more_than_a_week_is_gone_to_and_no_time_added() -> None:
    days = 8 * 86_400
    levels = [{"small": 5, "big": 10, "length": 600}, {"small": 10, "big": 20, "length": days}]
    last = {"small": 20, "big": 40}
    rules = {"escalation": {"kind": "levels", "by": "clock", "levels": [*levels, last]}}
    scenario = Scenario(decider).asked(*to_start(4, ruleset=resolve("better", rules)))
    (gone,) = scenario.when(setting(100, level=2)).events()
    assert gone.due == at(100 + days)
    (taken,) = scenario.when(setting(100, seconds=-60)).events()
    assert taken.due == at(100 + days - 60)
    scenario.when(setting(100, seconds=1)).then_rejected(RulingNotPossible, reason="time")


def test_a_level_that_is_over_and_not_raised_has_no_time_left() -> None:
    night().when(setting(700, seconds=60)).then(clock_set(1, 700, seconds=60, due=760))


def test_a_clock_that_stands_is_set_and_goes_on_standing() -> None:
    scenario = night().asked(Pause(now=at(100), reason="pizza"))
    scenario.when(setting(200, seconds=60)).then(clock_set(1, 200, seconds=60, left=560))
    scenario.when(setting(250, level=2)).then(clock_set(2, 250, left=600))
    events = scenario.when(Resume(now=at(300))).events()
    (going,) = (each for each in events if isinstance(each, ClockStarted))
    assert (going.level, going.due) == (2, at(900))


def test_at_the_last_level_a_paused_clock_goes_back_and_stands() -> None:
    scenario = night().asked(setting(0, level=4), Pause(now=at(100), reason="pizza"))
    scenario.when(setting(200, level=2)).then(clock_set(2, 200, left=600))


def test_no_clock_is_set_without_time_or_during_the_break_of_its_level() -> None:
    scenario = night(floor=FloorTerms(breaks=(BreakAfter(level=1, seconds=300),)))
    for asked, reason in (
        ({"seconds": -500}, "time"),
        ({"level": 2, "seconds": -600}, "time"),
        ({"seconds": 8 * 86_400}, "time"),
        ({"level": 5}, "level"),
        ({"level": 4, "seconds": 60}, "last_level"),
    ):
        scenario.when(setting(100, **asked)).then_rejected(RulingNotPossible, reason=reason)
    scenario.asked(RaiseLevels(now=at(600)))
    scenario.when(setting(700, level=3)).then_rejected(RulingNotPossible, reason="break")
    unclocked = Scenario(decider).asked(*to_start(4))
    unclocked.when(setting(1, seconds=9)).then_rejected(RulingNotPossible, reason="no_clock")


def test_during_a_break_within_a_level_the_clock_is_set_and_stands() -> None:
    scenario = night().asked(AnnounceBreak(seconds=60, **{**RULED, "now": at(100)}))
    scenario.when(setting(110, seconds=-100)).then(clock_set(1, 110, seconds=-100, left=400))


def test_a_level_that_staff_go_to_ends_late_registration() -> None:
    scenario = night(entry=EntryTerms(late_registration_level=1))
    events = scenario.when(setting(100, level=2)).events()
    assert [type(each) for each in events] == [ClockSet, LateRegistrationClosed]


@pytest.mark.parametrize("seconds", [1, -1])
def test_each_second_counts(seconds: int) -> None:
    scenario = night().asked(setting(0, seconds=seconds))
    assert clock(scenario).due - at(0) == timedelta(seconds=600 + seconds)
