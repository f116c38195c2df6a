"""A season's schedule: recurrences, edits of them, and the automatic close."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from engine.season import decider
from engine.season.commands import CloseSeason
from engine.season.errors import SeasonClosedAlready, SeasonNotOpened
from engine.season.schedule.commands import (
    ChangeFixture,
    EndFixtures,
    PlaceFixture,
    PlanFixtures,
    ReplanFixtures,
    ScheduleClose,
)
from engine.season.schedule.errors import (
    FixtureEntered,
    FixturePast,
    RecurrenceInvalid,
    RecurrenceUnknown,
)
from engine.season.schedule.events import (
    FixtureChanged,
    FixtureMaterialised,
    FixtureMissed,
    FixturesEnded,
    FixturesPlanned,
    FixturesReplanned,
    SeasonScheduled,
)
from engine.season.schedule.values import Entered, Moment, Plan, RecurrenceId, Withdrawn
from engine.values import TournamentId, identifier
from tests.engine.scenario import Scenario
from tests.engine.season.seasons import opening
from tests.engine.tournament.floor import NOON

WEEKLY = RecurrenceId(identifier("rec", UUID(int=1)))
PLAN = Plan(
    rrule="FREQ=WEEKLY",
    zone="Europe/Berlin",
    start="2026-05-04T19:00",
    tzdb="2026f",
    ahead_hours=24 * 14,
    body='{"name":"Monday"}',
)
FIRST, SECOND, THIRD = "2026-05-04T19:00", "2026-05-11T19:00", "2026-05-18T19:00"


def tournament(number: int) -> TournamentId:
    return TournamentId(identifier("trn", UUID(int=number)))


def moment(local: str) -> Moment:
    """Return a local time of a Berlin summer."""
    at = datetime.fromisoformat(f"{local}:00+02:00").astimezone(NOON.tzinfo)
    return Moment(local=local, zone=PLAN.zone, tzdb="2026f", at=at, rule="schedule.local_time")


def place(local: str, number: int, **changes: Any) -> PlaceFixture:
    command = PlaceFixture(
        recurrence=WEEKLY,
        occurrence=local,
        tournament=tournament(number),
        moment=moment(local),
        now=NOON,
    )
    return replace(command, **changes)


def entered(number: int, entrants: int = 0, **changes: Any) -> Entered:
    standing = Entered(tournament=tournament(number), open=True, cancelled=False, entrants=entrants)
    return replace(standing, **changes)


def change(local: str, *standing: Entered, **changes: Any) -> ChangeFixture:
    command = ChangeFixture(
        recurrence=WEEKLY,
        occurrence=local,
        moment=None,
        body=None,
        skipped=False,
        entered=standing,
        now=NOON,
    )
    return replace(command, **changes)


def recurring() -> Scenario:
    """Return an open season with one recurrence."""
    return Scenario(decider).asked(opening(), PlanFixtures(recurrence=WEEKLY, plan=PLAN, now=NOON))


def fixtures(scenario: Scenario) -> dict[str, tuple[str, int]]:
    """Return the outcome and the attempt of each occurrence."""
    found = scenario.state.schedule.of(WEEKLY).fixtures
    return {each.occurrence: (each.became, each.attempt) for each in found}


def test_a_recurrence_is_planned_with_its_zone_and_from_now_on() -> None:
    given = Scenario(decider).asked(opening())
    planning = PlanFixtures(recurrence=WEEKLY, plan=PLAN, now=NOON)
    given.when(planning).then(FixturesPlanned(recurrence=WEEKLY, plan=PLAN, not_before=NOON))
    given.when(planning).then_nothing()


@pytest.mark.parametrize("hours", [0, 24 * 90 + 1])
def test_a_window_that_announces_never_or_for_ever_is_refused(hours: int) -> None:
    planning = PlanFixtures(
        recurrence=RecurrenceId("rec_2"), plan=replace(PLAN, ahead_hours=hours), now=NOON
    )
    recurring().when(planning).then_rejected(RecurrenceInvalid, field="ahead_hours")


def test_there_is_no_schedule_before_the_season_and_none_after_it() -> None:
    planning = PlanFixtures(recurrence=WEEKLY, plan=PLAN, now=NOON)
    Scenario(decider).when(planning).then_rejected(SeasonNotOpened)
    closed = recurring().asked(CloseSeason(now=NOON))
    closed.when(place(FIRST, 1)).then_rejected(SeasonClosedAlready)


def test_an_occurrence_becomes_one_tournament_however_often_it_is_asked_for() -> None:
    given = recurring()
    given.when(place(FIRST, 1)).then(
        FixtureMaterialised(
            recurrence=WEEKLY,
            occurrence=FIRST,
            tournament=tournament(1),
            moment=moment(FIRST),
            rule="schedule.once",
        )
    )
    given.when(place(FIRST, 1)).then_nothing()
    assert fixtures(given) == {FIRST: ("announced", 1)}


def test_an_occurrence_that_has_begun_is_recorded_as_missed() -> None:
    given = recurring()
    late = place(FIRST, 1, now=moment(FIRST).at)
    given.when(late).then(
        FixtureMissed(
            recurrence=WEEKLY,
            occurrence=FIRST,
            moment=moment(FIRST),
            refused=None,
            rule="schedule.missed",
        )
    )
    given.when(late).then_nothing()
    given.when(change(FIRST, skipped=True)).then_rejected(FixturePast, occurrence=FIRST)


def test_an_occurrence_whose_terms_are_refused_says_why() -> None:
    (missed,) = recurring().when(place(FIRST, 1, refused="unknown_ruleset")).events()
    assert (missed.refused, missed.rule) == ("unknown_ruleset", "schedule.refused")


def test_an_unknown_recurrence_is_refused() -> None:
    other = RecurrenceId("rec_9")
    recurring().when(place(FIRST, 1, recurrence=other)).then_rejected(
        RecurrenceUnknown, recurrence=other
    )


def test_a_change_of_an_empty_fixture_withdraws_it_to_be_announced_anew() -> None:
    given = recurring().asked(place(FIRST, 1), place(SECOND, 2))
    later = moment("2026-05-11T20:00")
    given.when(change(SECOND, entered(2), moment=later)).then(
        FixtureChanged(
            recurrence=WEEKLY,
            occurrence=SECOND,
            moment=later,
            body=None,
            skipped=False,
            withdrawn=(Withdrawn(occurrence=SECOND, tournament=tournament(2)),),
            rule="schedule.edit_before_entries",
        )
    )
    assert fixtures(given) == {FIRST: ("announced", 1), SECOND: ("withdrawn", 1)}
    given.asked(place(SECOND, 3))
    assert fixtures(given)[SECOND] == ("announced", 2)


@pytest.mark.parametrize(
    "standing", [entered(1, 1), entered(1, open=False), entered(2)], ids=["entered", "on", "gone"]
)
def test_a_fixture_that_somebody_entered_is_not_edited(standing: Entered) -> None:
    given = recurring().asked(place(SECOND, 1))
    facts = {"occurrence": SECOND, "tournament": tournament(1)}
    given.when(change(SECOND, standing, skipped=True)).then_rejected(FixtureEntered, **facts)


def test_a_cancelled_fixture_is_edited_like_one_that_was_never_announced() -> None:
    given = recurring().asked(place(SECOND, 1))
    cancelled = entered(1, 5, open=False, cancelled=True)
    given.asked(change(SECOND, cancelled, body='{"name":"Final"}'))
    assert fixtures(given) == {SECOND: ("withdrawn", 1)}


def test_nothing_is_moved_into_the_past() -> None:
    past = moment("2026-05-04T13:00")
    recurring().when(change(FIRST, moment=past)).then_rejected(FixturePast, occurrence=FIRST)


def test_another_plan_holds_from_its_time_on_and_single_changes_of_then_are_gone() -> None:
    given = recurring().asked(
        place(FIRST, 1), place(SECOND, 2), change(THIRD, skipped=True), change(FIRST, entered(1))
    )
    earlier = replace(PLAN, start="2026-05-12T18:00")
    command = ReplanFixtures(
        recurrence=WEEKLY, since=SECOND, plan=earlier, entered=(entered(2),), now=NOON
    )
    given.when(command).then(
        FixturesReplanned(
            recurrence=WEEKLY,
            since=SECOND,
            plan=earlier,
            not_before=NOON,
            withdrawn=(Withdrawn(occurrence=SECOND, tournament=tournament(2)),),
            rule="schedule.edit_before_entries",
        )
    )
    state = given.state.schedule.of(WEEKLY)
    assert [(each.since, each.until) for each in state.stretches] == [
        (None, SECOND),
        (SECOND, None),
    ]
    assert [each.occurrence for each in state.changes] == [FIRST]


def test_another_plan_does_not_begin_before_its_time() -> None:
    command = ReplanFixtures(recurrence=WEEKLY, since=SECOND, plan=PLAN, entered=(), now=NOON)
    recurring().when(command).then_rejected(RecurrenceInvalid, field="start")


def test_a_recurrence_ends_once_and_only_where_nobody_has_entered() -> None:
    given = recurring().asked(place(FIRST, 1), place(SECOND, 2))
    end = EndFixtures(recurrence=WEEKLY, since=SECOND, entered=(entered(2, 3),), now=NOON)
    facts = {"occurrence": SECOND, "tournament": tournament(2)}
    given.when(end).then_rejected(FixtureEntered, **facts)
    end = replace(end, entered=(entered(2),))
    given.when(end).then(
        FixturesEnded(
            recurrence=WEEKLY,
            since=SECOND,
            withdrawn=(Withdrawn(occurrence=SECOND, tournament=tournament(2)),),
            rule="schedule.edit_before_entries",
        )
    )
    given.when(end).then_nothing()


def test_a_season_is_told_when_to_close_and_may_be_told_otherwise() -> None:
    given = recurring()
    then = NOON + timedelta(days=90)
    given.when(ScheduleClose(closes_at=then, now=NOON)).then(SeasonScheduled(closes_at=then))
    given.when(ScheduleClose(closes_at=then, now=NOON)).then_nothing()
    given.when(ScheduleClose(closes_at=NOON, now=NOON)).then_rejected(
        RecurrenceInvalid, field="closes_at"
    )
    given.when(ScheduleClose(closes_at=None, now=NOON)).then(SeasonScheduled(closes_at=None))
    assert given.state.schedule.closes_at is None
