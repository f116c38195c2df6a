"""Breaks after a level of the clock, or by order of a director."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from engine.coordination.policies import decide_in_turn
from engine.rulesets import resolve, ruleset_hash
from engine.tournament import decider
from engine.tournament.model.commands import Pause, RaiseLevels, Resume
from engine.tournament.model.commands.floor import (
    AnnounceBreak,
    EndBreak,
    EndDueBreak,
    HoldOneTable,
    OrderMove,
    ReleaseTable,
)
from engine.tournament.model.directives import Hold, MoveOut
from engine.tournament.model.errors import TermsInvalid
from engine.tournament.model.errors.floor import RulingNotPossible
from engine.tournament.model.events import ClockStarted, ClockStopped, LevelRaised
from engine.tournament.model.events.floor import BreakAnnounced, BreakEnded, BreakStarted
from engine.tournament.model.state import Running
from engine.tournament.model.terms import FloorTerms
from engine.tournament.model.terms.floor import BreakAfter
from engine.tournament.model.values import Outage
from tests.engine.coordination.simulation import Floor
from tests.engine.tournament.floor import NOON, announce, table, to_start
from tests.engine.tournament.rulings import DIRECTOR, RULED, WHY

LEVELS = [
    {"small": 5, "big": 10, "length": 600},
    {"small": 10, "big": 20, "length": 600},
    {"small": 20, "big": 40, "length": None},
]
RULES = resolve("better", {"escalation": {"kind": "levels", "by": "clock", "levels": LEVELS}})
AFTER_ONE = FloorTerms(breaks=(BreakAfter(level=1, seconds=300),))


def terms(floor: FloorTerms = AFTER_ONE) -> dict[str, Any]:
    return {"ruleset": RULES, "ruleset_hash": ruleset_hash(RULES), "floor": floor}


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def ruled(seconds: float) -> dict[str, Any]:
    return RULED | {"now": at(seconds)}


class Night:
    """A tournament with levels of 600 seconds, and a break of 300 after the first."""

    def __init__(self) -> None:
        self.state: Any = decide_in_turn(decider, decider.initial, to_start(4, **terms()))[1]


@pytest.fixture
def night() -> Night:
    return Night()


def state_of(night: Night) -> Running:
    assert isinstance(night.state, Running)
    return night.state


def decided(night: Night, command: Any) -> tuple[Any, ...]:
    events, night.state = decide_in_turn(decider, night.state, (command,))
    return events


def test_the_break_begins_when_the_level_is_over_and_the_clock_stands(night: Night) -> None:
    started, stopped = decided(night, RaiseLevels(now=at(600)))
    assert started == BreakStarted(
        after_level=1, at=at(600), due=at(900), cause="schedule", rule="levels.break"
    )
    assert isinstance(stopped, ClockStopped) and stopped.left_microseconds == 0
    assert decided(night, RaiseLevels(now=at(700))) == ()


def test_when_the_break_is_over_the_next_level_begins(night: Night) -> None:
    decided(night, RaiseLevels(now=at(600)))
    begun_by = state_of(night).floor.rest.begun_by  # type: ignore[union-attr]
    assert decided(night, EndDueBreak(begun_by=begun_by, now=at(899))) == ()
    assert decided(night, EndDueBreak(begun_by=begun_by + 1, now=at(900))) == ()
    ended, raised = decided(night, EndDueBreak(begun_by=begun_by, now=at(900)))
    assert ended == BreakEnded(at=at(900), cause="due", by=None, reason=None, rule="levels.break")
    assert isinstance(raised, LevelRaised)
    assert (raised.level, raised.due) == (2, at(1500))
    assert decided(night, EndDueBreak(begun_by=begun_by, now=at(901))) == ()


def test_a_break_that_begins_late_is_as_long_as_it_was_announced(night: Night) -> None:
    started, stopped = decided(night, RaiseLevels(now=at(660)))
    assert (started.at, started.due) == (at(660), at(960))
    assert stopped.at == at(600)


def test_an_outage_in_a_break_takes_nothing_from_the_clock_that_stands(night: Night) -> None:
    decided(night, RaiseLevels(now=at(600)))
    away = Outage(since=at(700), until=at(5000))
    assert decided(night, RaiseLevels(outages=(away,), now=at(5000))) == ()
    begun_by = state_of(night).floor.rest.begun_by  # type: ignore[union-attr]
    ended, raised = decided(night, EndDueBreak(begun_by=begun_by, now=at(5000)))
    assert (ended.at, raised.due) == (at(5000), at(5600))


def test_a_pause_in_a_break_keeps_the_clock_standing_after_it(night: Night) -> None:
    decided(night, RaiseLevels(now=at(600)))
    decided(night, Pause(reason="director", now=at(700)))
    begun_by = state_of(night).floor.rest.begun_by  # type: ignore[union-attr]
    _, raised, stopped = decided(night, EndDueBreak(begun_by=begun_by, now=at(900)))
    assert (raised.level, stopped.left_microseconds) == (2, 600_000_000)
    _, started = decided(night, Resume(now=at(1000)))
    assert isinstance(started, ClockStarted) and started.due == at(1600)


def test_a_pause_that_ends_within_the_break_does_not_start_the_clock(night: Night) -> None:
    decided(night, RaiseLevels(now=at(600)))
    decided(night, Pause(reason="director", now=at(700)))
    assert len(decided(night, Resume(now=at(800)))) == 1
    assert state_of(night).clock.due is None  # type: ignore[union-attr]


def test_a_director_begins_a_break_now_and_ends_it_early(night: Night) -> None:
    announced, started, stopped = decided(night, AnnounceBreak(seconds=120, **ruled(100)))
    assert isinstance(announced, BreakAnnounced)
    assert (announced.by, announced.reason) == (DIRECTOR, WHY)
    assert (started.cause, started.due) == ("director", at(220))
    assert stopped.left_microseconds == 500_000_000
    ended, clock = decided(night, EndBreak(**ruled(150)))
    assert (ended.cause, ended.by) == ("director", DIRECTOR)
    assert clock.due == at(650)
    with pytest.raises(RulingNotPossible):
        decided(night, EndBreak(**ruled(151)))


def test_a_director_overrules_the_break_of_the_terms(night: Night) -> None:
    decided(night, AnnounceBreak(seconds=0, after_level=1, **ruled(10)))
    decided(night, AnnounceBreak(seconds=60, after_level=2, **ruled(10)))
    (raised,) = decided(night, RaiseLevels(now=at(600)))
    assert isinstance(raised, LevelRaised)
    started, _ = decided(night, RaiseLevels(now=at(1200)))
    assert (started.after_level, started.due) == (2, at(1260))


@pytest.mark.parametrize("level", [0, 3, 4])
def test_no_break_is_planned_after_a_level_that_none_follows(night: Night, level: int) -> None:
    with pytest.raises(RulingNotPossible):
        decided(night, AnnounceBreak(seconds=60, after_level=level, **ruled(10)))


def test_in_a_break_no_hand_is_opened_and_hands_in_play_go_on() -> None:
    floor = Floor(8, seed=1, **terms())
    floor.carry_out(floor.plan(table(1)))
    floor.decide(RaiseLevels(now=at(600)))
    assert floor.plan(table(1)).outcome == "nothing"
    assert floor.plan(table(2)).directive == Hold(reason="break")
    floor.lose(table(1))
    assert floor.plan(table(1)).directive == Hold(reason="break")
    floor.decide(EndBreak(**ruled(700)))
    assert [floor.plan(table(number)).outcome for number in (1, 2)] == ["open", "open"]


def test_a_move_is_made_in_a_break_as_soon_as_both_tables_are_between_hands() -> None:
    floor = Floor(8, seed=1, table_seats=6, **terms())
    floor.carry_out(floor.plan(table(1)))
    floor.decide(RaiseLevels(now=at(600)))
    mover = floor.tournament.tables[1].seats[0].entrant  # type: ignore[union-attr]
    floor.decide(OrderMove(entrant=mover, to_table=table(1), to_seat=None, **ruled(620)))
    assert floor.plan(table(2)).directive == Hold(reason="break")
    floor.lose(table(1))
    plan = floor.plan(table(1))
    assert isinstance(plan.directive, MoveOut) and plan.directive.rule == "directing.move"
    floor.carry_out(plan)
    assert floor.tournament.floor.ordered == ()  # type: ignore[union-attr]
    assert mover in {each.entrant for each in floor.tournament.tables[0].seats}  # type: ignore[union-attr]
    # Every other entrant who may have to move sits still until the break is over.
    for number in (1, 2):
        assert floor.plan(table(number)).directive == Hold(reason="break")
    floor.check()


def test_a_table_that_is_held_makes_no_move_in_a_break() -> None:
    floor = Floor(8, seed=1, table_seats=6, **terms())
    floor.decide(RaiseLevels(now=at(600)))
    mover = floor.tournament.tables[1].seats[0].entrant  # type: ignore[union-attr]
    floor.decide(HoldOneTable(table=table(1), **ruled(610)))
    floor.decide(OrderMove(entrant=mover, to_table=table(1), to_seat=None, **ruled(620)))
    assert floor.plan(table(1)).directive == Hold(reason="held")
    assert floor.plan(table(2)).directive == Hold(reason="break")
    floor.decide(ReleaseTable(table=table(1), **ruled(630)))
    assert isinstance(floor.plan(table(2)).directive, MoveOut)


@pytest.mark.parametrize(
    "floor",
    [
        FloorTerms(breaks=(BreakAfter(level=3, seconds=60),)),
        FloorTerms(breaks=(BreakAfter(level=1, seconds=0),)),
        FloorTerms(breaks=(BreakAfter(level=2, seconds=60), BreakAfter(level=1, seconds=60))),
        FloorTerms(size_tolerance=0),
        FloorTerms(final_table_size=1),
        FloorTerms(redraw_at=(1, 2)),
        FloorTerms(halt_when_short=1),
    ],
)
def test_terms_of_the_floor_that_cannot_be_kept_are_refused(floor: FloorTerms) -> None:
    with pytest.raises(TermsInvalid):
        decider.decide(decider.initial, announce(**terms(floor)))
