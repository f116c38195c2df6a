"""Levels by the clock for the whole tournament, and the allowed structures."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from engine.coordination.clocks import with_clock
from engine.rulesets import Amounts, LevelStep, Ruleset, resolve, ruleset_hash
from engine.rulesets.errors import RulesetInvalid
from engine.table.read.view import seen_by
from engine.table.read.view_parts import NextLevelView
from engine.tournament import decider
from engine.tournament.model.commands import Pause, RaiseLevels, Resume
from engine.tournament.model.events import (
    ClockStarted,
    ClockStopped,
    LevelRaised,
    TournamentPaused,
    TournamentResumed,
)
from engine.tournament.model.state import Running
from engine.tournament.model.values import Outage
from tests.engine.scenario import Scenario
from tests.engine.table.tables import Floor
from tests.engine.tournament.floor import NOON, to_start

STEPS = [(5, 10, 600), (10, 20, 600), (20, 40, 300), (50, 100, None)]


def structure(by: str, *steps: tuple[int, int, int | None]) -> Ruleset:
    levels = [{"small": small, "big": big, "length": length} for small, big, length in steps]
    return resolve("better", {"escalation": {"kind": "levels", "by": by, "levels": levels}})


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def blinds(level: int) -> Amounts:
    small, big, _ = STEPS[level - 1]
    return Amounts(small=small, big=big)


def by_clock() -> dict[str, Any]:
    rules = structure("clock", *STEPS)
    return {"ruleset": rules, "ruleset_hash": ruleset_hash(rules)}


@pytest.fixture
def running() -> Scenario:
    """Return a tournament with levels of 600, 600 and 300 seconds. Its clock started at noon."""
    return Scenario(decider).asked(*to_start(4, **by_clock()))


def clock_of(scenario: Scenario) -> Any:
    assert isinstance(scenario.state, Running)
    return scenario.state.clock


def raised(level: int, now: float, due: float | None) -> LevelRaised:
    return LevelRaised(
        level=level,
        amounts=blinds(level),
        at=at(now),
        due=None if due is None else at(due),
        rule="levels.clock",
    )


def tend(now: float, *outages: tuple[float, float]) -> RaiseLevels:
    away = tuple(Outage(since=at(since), until=at(until)) for since, until in outages)
    return RaiseLevels(outages=away, now=at(now))


def test_the_clock_starts_with_play(running: Scenario) -> None:
    """The first level is set by the event of the start. Hands will name this event."""
    clock = clock_of(running)

    assert (clock.level, clock.amounts, clock.due) == (1, blinds(1), at(600))
    assert clock.set_by == clock.run_by == running.state.version


def test_other_structures_have_no_clock() -> None:
    """No timer is armed, and no clock paused or raised, if levels go by orbits or hands."""
    scenario = Scenario(decider).asked(*to_start(4))

    assert clock_of(scenario) is None
    scenario.when(tend(10_000)).then_nothing()


def test_nothing_is_raised_before_it_is_due(running: Scenario) -> None:
    """
    A reminder that comes early changes nothing.
    """
    running.when(tend(599.999999)).then_nothing()


def test_a_level_is_raised_at_its_instant(running: Scenario) -> None:
    """The next level counts from the instant at which this one was due."""
    running.when(tend(600)).then(raised(2, 600, 1200))
    assert (clock_of(running).amounts, clock_of(running).set_by) == (
        blinds(2),
        running.state.version,
    )


def test_late_levels_come_one_by_one_in_order(running: Scenario) -> None:
    """Lateness is not passed on: each level is due when it would have been."""
    running.when(tend(1510)).then(
        raised(2, 1510, 1200), raised(3, 1510, 1500), raised(4, 1510, None)
    )


def test_the_last_level_stays(running: Scenario) -> None:
    """The level clock does not run at the last level, so nothing can stop it either."""
    running.asked(tend(1500))

    running.when(tend(100_000)).then_nothing()
    running.when(Pause(reason="dinner", now=at(2000))).then(TournamentPaused(reason="dinner"))
    running.when(Resume(now=at(3000))).then(TournamentResumed())


def test_a_pause_keeps_what_is_left_of_the_level(running: Scenario) -> None:
    """Six minutes into a level of ten, four are left however long the pause is."""
    running.when(Pause(reason="dinner", now=at(360))).then(
        TournamentPaused(reason="dinner"),
        ClockStopped(
            level=1,
            at=at(360),
            left_microseconds=240_000_000,
            cause="paused",
            rule="levels.paused",
        ),
    )
    running.when(tend(5000)).then_nothing()
    running.when(Resume(now=at(7000))).then(
        TournamentResumed(),
        ClockStarted(
            level=1,
            amounts=blinds(1),
            at=at(7000),
            due=at(7240),
            cause="resumed",
            rule="levels.paused",
        ),
    )
    assert clock_of(running).set_by < clock_of(running).run_by == running.state.version


def test_a_level_that_was_due_when_play_was_paused_comes_when_it_goes_on(
    running: Scenario,
) -> None:
    """The level has no time left, and none is added."""
    running.asked(Pause(reason="dinner", now=at(601)), Resume(now=at(900)))

    running.when(tend(900)).then(raised(2, 900, 1500))


def test_an_outage_counts_from_the_last_heartbeat(running: Scenario) -> None:
    """The clock stood from there to the next sign of life. Both instants are logged."""
    running.when(tend(900, (500, 860))).then(
        ClockStopped(
            level=1, at=at(500), left_microseconds=100_000_000, cause="outage", rule="levels.outage"
        ),
        ClockStarted(
            level=1,
            amounts=blinds(1),
            at=at(860),
            due=at(960),
            cause="outage",
            rule="levels.outage",
        ),
    )
    running.when(tend(950, (500, 860))).then_nothing()
    running.when(tend(960, (500, 860))).then(raised(2, 960, 1560))


def test_outages_that_overlap_count_once(running: Scenario) -> None:
    """When the whole house was down, each process reports its own outage."""
    events = running.when(tend(900, (500, 860), (490, 850))).events()

    assert [(type(each).__name__, each.at) for each in events] == [
        ("ClockStopped", at(490)),
        ("ClockStarted", at(850)),
        ("ClockStopped", at(850)),
        ("ClockStarted", at(860)),
    ]
    assert clock_of(running).due == at(600 + 370)


def test_no_levels_are_raced_through_after_an_outage(running: Scenario) -> None:
    """A level was due a moment before an outage of an hour. One level is raised, not three."""
    events = running.when(tend(4201, (601, 4200))).events()

    assert [(each.level, type(each).__name__) for each in events] == [
        (2, "LevelRaised"),
        (2, "ClockStopped"),
        (2, "ClockStarted"),
    ]
    assert clock_of(running).due == at(4200 + 599)


def test_an_outage_before_the_clock_started_takes_nothing(running: Scenario) -> None:
    """An outage that ended before play does not count."""
    running.when(tend(100, (-500, -1))).then_nothing()


def test_the_view_says_when_the_next_level_comes(running: Scenario) -> None:
    """
    The view has the instant while the clock runs, the time left while it stands, and nothing at the
    last level.
    """
    view = seen_by(Floor(structure("clock", *STEPS), [1000] * 3).table, None)

    assert with_clock(view, running.state).next_level == NextLevelView(
        number=2, amounts=blinds(2), due=at(600)
    )
    running.asked(Pause(reason="dinner", now=at(360)))
    assert with_clock(view, running.state).next_level == NextLevelView(
        number=2, amounts=blinds(2), left_seconds=240
    )
    running.asked(Resume(now=at(360)), tend(1500))
    last = with_clock(view, running.state)
    assert (last.level, last.amounts, last.next_level) == (4, blinds(4), None)


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ((), "1 to 200"),
        (((5, 10, 60), (5, 10, None)), "raise something"),
        (((10, 20, 60), (5, 40, None)), "raise something"),
        (((5, 10, None), (10, 20, None)), "needs a length"),
        (((5, 10, 60), (10, 20, 60)), "needs a length"),
        (((5, 10, 0), (10, 20, None)), "not between 1"),
        (((5, 10, 60), (11, 22, None)), "multiples"),
        (((10, 5, None),), "does not fit"),
    ],
)
def test_a_structure_that_cannot_be_played_is_refused(steps: Any, reason: str) -> None:
    """Announced terms cannot be repaired."""
    with pytest.raises(RulesetInvalid, match=reason):
        structure("clock", *steps)


def test_a_structure_needs_forced_bets() -> None:
    """
    Without blinds or an ante there is nothing to raise.
    """
    levels = [{"ante": 5}]
    with pytest.raises(RulesetInvalid, match="does not fit"):
        resolve("better", {"escalation": {"kind": "levels", "by": "hands", "levels": levels}})
    antes = resolve("cantina", {"escalation": {"kind": "levels", "by": "hands", "levels": levels}})
    assert antes.base_amounts() == LevelStep(ante=5).amounts
