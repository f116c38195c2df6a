"""Local times and recurrence rules: times that clocks skip or show twice, and refused rules."""

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
import tzdata
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.season.schedule.errors import RecurrenceInvalid
from engine.season.schedule.values import Plan
from service.schedule import rules, zones
from service.schedule.expansion import Budget

PLAN = Plan(
    rrule="FREQ=WEEKLY",
    zone="Europe/Berlin",
    start="2026-11-23T19:00",
    tzdb=zones.EDITION,
    ahead_hours=24 * 14,
    body="{}",
)


@pytest.mark.parametrize(
    ("zone", "local", "utc", "rule"),
    [
        ("Europe/Berlin", "2026-07-01T19:00", "2026-07-01T17:00", "schedule.local_time"),
        ("Europe/Berlin", "2026-12-01T19:00", "2026-12-01T18:00", "schedule.local_time"),
        ("Europe/Berlin", "2026-03-29T02:00", "2026-03-29T01:00", "schedule.skipped_time"),
        ("Europe/Berlin", "2026-03-29T02:59", "2026-03-29T01:00", "schedule.skipped_time"),
        ("Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00", "schedule.local_time"),
        ("Europe/Berlin", "2026-10-25T02:00", "2026-10-25T00:00", "schedule.doubled_time"),
        ("Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00", "schedule.local_time"),
        ("Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:30", "schedule.skipped_time"),
        ("Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45", "schedule.doubled_time"),
        ("Pacific/Apia", "2011-12-30T12:00", "2011-12-30T10:00", "schedule.skipped_time"),
    ],
)
def test_a_skipped_local_time_is_the_next_valid_one_and_a_doubled_one_its_first(
    zone: str, local: str, utc: str, rule: str
) -> None:
    """In the last case an island that changed sides of the date line skips a whole day."""
    moment = zones.moment_of(local, zone)
    assert moment.at == datetime.fromisoformat(f"{utc}:00+00:00")
    assert (moment.rule, moment.tzdb) == (rule, tzdata.IANA_VERSION)


@given(
    st.datetimes(datetime.fromisoformat("1990-01-01"), datetime.fromisoformat("2037-01-01")),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Chatham"]),
)
def test_the_instant_of_a_local_time_is_shown_as_that_time_or_just_after_a_gap(
    local: datetime, zone: str
) -> None:
    local = local.replace(second=0, microsecond=0)
    moment = zones.moment_of(zones.written(local), zone)
    shown = moment.at.astimezone(zones.zone_of(zone))
    if moment.rule == "schedule.skipped_time":
        before = (moment.at - timedelta(seconds=1)).astimezone(zones.zone_of(zone))
        assert before.replace(tzinfo=None) < local < shown.replace(tzinfo=None)
    else:
        assert shown.replace(tzinfo=None) == local
        assert shown.fold == 0


@pytest.mark.parametrize(
    "zone", ["Europe/Atlantis", "", "../../etc/passwd", "europe/berlin", "UTC+1"]
)
def test_a_zone_that_is_none_is_refused(zone: str) -> None:
    with pytest.raises(RecurrenceInvalid):
        zones.moment_of("2026-11-23T19:00", zone)


@pytest.mark.parametrize("local", ["2026-02-30T19:00", "2026-11-23T24:00", "0001-01-01T00:00"])
def test_a_local_time_that_no_calendar_has_is_refused(local: str) -> None:
    with pytest.raises(RecurrenceInvalid):
        zones.moment_of(local, "Asia/Tokyo")


def test_a_weekly_rule_keeps_its_local_hour_through_the_year() -> None:
    found = [
        each
        for each in rules.expanded(PLAN, EARLY, budget=Budget(rules.PLAN_STEPS))
        if each < datetime.fromisoformat("2027-11-01")
    ]
    assert {local.hour for local in found} == {19}
    hours = {zones.moment_of(zones.written(local), PLAN.zone).at.hour for local in found}
    assert hours == {17, 18}
    assert len(found) == 49


def test_a_doubled_hour_of_an_hourly_rule_comes_once() -> None:
    plan = replace(PLAN, rrule="FREQ=HOURLY", start="2026-10-25T00:00")
    expanded = rules.expanded(plan, EARLY, budget=Budget(rules.STORED_STEPS))
    found = [zones.written(local) for local in islice(expanded, 5)]
    assert found == [f"2026-10-25T0{hour}:00" for hour in range(5)]


EARLY = datetime.fromisoformat("2020-01-01")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("FREQ=WEEKLY;COUNT=2", ["2026-11-23", "2026-11-30"]),
        ("FREQ=WEEKLY;BYDAY=TU,SA;COUNT=3", ["2026-11-24", "2026-11-28", "2026-12-01"]),
        ("FREQ=DAILY;UNTIL=20261125", ["2026-11-23", "2026-11-24", "2026-11-25"]),
        ("FREQ=DAILY;UNTIL=20261124T175900Z", ["2026-11-23"]),
        ("FREQ=DAILY;UNTIL=20261124T180000Z", ["2026-11-23", "2026-11-24"]),
        ("FREQ=MONTHLY;BYDAY=-1FR;COUNT=2", ["2026-11-27", "2026-12-25"]),
        ("FREQ=MONTHLY;BYMONTHDAY=31;COUNT=2", ["2026-12-31", "2027-01-31"]),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=1", ["2028-02-29"]),
    ],
)
def test_a_rule_says_which_days(rule: str, expected: list[str]) -> None:
    plan = replace(PLAN, rrule=rule)
    found = rules.expanded(plan, EARLY, budget=Budget(rules.PLAN_STEPS))
    assert [f"{local:%Y-%m-%d}" for local in found] == expected


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "weekly",
        "BYDAY=MO",
        "FREQ=SECONDLY",
        "FREQ=MINUTELY",
        "FREQ=DAILY;BYSECOND=0",
        "FREQ=DAILY;BYMINUTE=0,1,2",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=99999",
        "FREQ=DAILY;COUNT=3;UNTIL=20270101",
        "FREQ=DAILY;UNTIL=20270231",
        "FREQ=DAILY;FREQ=WEEKLY",
        "FREQ=WEEKLY;BYDAY=XX",
        "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;BYMONTH=13",
        "FREQ=DAILY;BYHOUR=24",
        "FREQ=DAILY\nDTSTART:19700101",
        "FREQ=DAILY;BYEASTER=1",
        "FREQ=HOURLY",
        "FREQ=HOURLY;BYHOUR=25",
        "FREQ=MONTHLY;BYMONTHDAY=-31;BYSETPOS=-366",
        "FREQ=MONTHLY;BYMONTHDAY=32",
        "FREQ=MONTHLY;BYMONTHDAY=-40",
        "FREQ=MONTHLY;BYDAY=6MO",
        "FREQ=MONTHLY;BYDAY=MO,2TU",
        "FREQ=MONTHLY;BYDAY=1MO;BYSETPOS=999",
        "FREQ=WEEKLY;BYDAY=2MO",
        "FREQ=YEARLY;BYDAY=99MO",
        "FREQ=YEARLY;BYMONTH=13;BYDAY=1MO",
        "FREQ=YEARLY;BYWEEKNO=20",
        "FREQ=YEARLY;BYYEARDAY=200",
        "FREQ=MONTHLY;BYSETPOS=1",
    ],
)
def test_a_rule_that_is_none_or_never_comes_or_comes_too_often_is_refused(rule: str) -> None:
    with pytest.raises(RecurrenceInvalid) as refusal:
        rules.check(replace(PLAN, rrule=rule))
    assert refusal.value.facts == {"field": "rrule"}


def test_a_rule_with_too_many_occurrences_in_its_window_is_refused() -> None:
    with pytest.raises(RecurrenceInvalid):
        rules.check(replace(PLAN, rrule="FREQ=HOURLY;COUNT=900", ahead_hours=201))
    rules.check(replace(PLAN, rrule="FREQ=HOURLY;COUNT=900", ahead_hours=199))


def test_the_zones_are_those_of_the_named_edition_and_not_the_machines() -> None:
    assert zones.zone_of("Europe/Berlin") is not ZoneInfo("Europe/Berlin")
    assert datetime(2026, 7, 1, tzinfo=UTC).astimezone(zones.zone_of("Europe/Berlin")).hour == 2


@pytest.mark.parametrize(
    ("rrule", "advice"),
    [
        ("FREQ=HOURLY", "add UNTIL or COUNT, so that it ends"),
        ("FREQ=HOURLY;UNTIL=20350101", "end it earlier"),
    ],
)
def test_a_rule_that_takes_too_many_steps_is_told_what_to_do(rrule: str, advice: str) -> None:
    with pytest.raises(RecurrenceInvalid) as refused:
        rules.check(replace(PLAN, rrule=rrule))
    assert f"takes more than 20000 steps to expand; {advice}" in refused.value.detail
