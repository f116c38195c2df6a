"""Every rule is expanded as dateutil expands it, or refused by name, within its budget."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import pytest
from dateutil.rrule import rrulestr
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.season.schedule.errors import RecurrenceInvalid
from engine.season.schedule.values import Plan
from service.schedule import rules
from service.schedule.expansion import Budget
from service.schedule.zones import EDITION, parsed, written

PLAN = Plan(
    rrule="FREQ=DAILY",
    zone="Europe/Berlin",
    start="2026-11-23T19:00",
    tzdb=EDITION,
    ahead_hours=24,
    body="{}",
)
CYCLES = 19 * 400
EARLY = datetime.fromisoformat("0001-01-01")
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
TEN_YEARS = timedelta(days=366 * rules.YEARS_MAX)


def numbers(most: int) -> st.SearchStrategy[str]:
    """Return lists of numbers, sometimes negative, sometimes out of range."""
    signed = st.integers(-most, most).filter(bool)
    return st.lists(signed, min_size=1, max_size=4).map(lambda them: ",".join(map(str, them)))


def positive(first: int, last: int) -> st.SearchStrategy[str]:
    them = st.lists(st.integers(first, last), min_size=1, max_size=4)
    return them.map(lambda found: ",".join(map(str, found)))


WEEKDAYS = st.lists(st.sampled_from(DAYS), min_size=1, max_size=3).map(",".join)
NUMBERED = st.lists(
    st.tuples(st.integers(-6, 6).filter(bool), st.sampled_from(DAYS)), min_size=1, max_size=3
).map(lambda them: ",".join(f"{number}{day}" for number, day in them))
STARTS = st.datetimes(
    datetime.fromisoformat("2024-01-01"), datetime.fromisoformat("2029-12-31")
).map(written)
SHORT = st.fixed_dictionaries(
    {"FREQ": st.sampled_from(["HOURLY", "DAILY", "WEEKLY"])},
    optional={
        "INTERVAL": st.integers(1, 40).map(str),
        "BYDAY": WEEKDAYS,
        "BYHOUR": positive(0, 23),
        "WKST": st.sampled_from(DAYS),
    },
)
LONG = st.fixed_dictionaries(
    {"FREQ": st.sampled_from(["MONTHLY", "YEARLY"])},
    optional={
        "INTERVAL": st.integers(1, 4).map(str),
        "BYDAY": WEEKDAYS | NUMBERED,
        "BYMONTH": positive(1, 12),
        "BYMONTHDAY": numbers(31),
        "BYYEARDAY": numbers(366),
        "BYWEEKNO": numbers(53),
        "BYHOUR": positive(0, 23),
        "BYSETPOS": numbers(8),
        "WKST": st.sampled_from(DAYS),
    },
)


def text(parts: dict[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in parts.items())


def by_dateutil(rule: str, start: datetime) -> Iterator[datetime]:
    """
    Yield the times that dateutil finds.

    dateutil searches until the year 9999 for a time that never comes. It is therefore asked about a
    time nearer to that year: the calendar repeats itself every 400 years.
    """
    later = start.replace(year=start.year + CYCLES)
    found: Any = rrulestr(rule, dtstart=later).replace(until=later + timedelta(days=1500))
    return (each.replace(year=each.year - CYCLES) for each in found)


@settings(max_examples=150)
@given(parts=SHORT | LONG, start=STARTS, jump=st.integers(0, 700))
def test_what_was_stored_is_expanded_as_it_was(
    parts: dict[str, str], start: str, jump: int
) -> None:
    """The result equals dateutil's, which expanded the rules of the first version."""
    assume(not (parts["FREQ"] == "HOURLY" and "BYHOUR" in parts and "INTERVAL" in parts))
    plan = replace(PLAN, rrule=text(parts), start=start)
    begin = parsed(start, "start")
    expected = list(islice(by_dateutil(plan.rrule, begin), 300))
    found = islice(rules.expanded(plan, EARLY, budget=Budget(rules.STORED_STEPS)), len(expected))
    assert list(found) == expected
    since = begin + timedelta(days=jump)
    later = rules.expanded(plan, since, budget=Budget(rules.STORED_STEPS))
    expected = [each for each in expected if each >= since]
    assert list(islice(later, len(expected))) == expected


_ANY_NUMBER = st.integers(-999, 999).map(str)
_ANY = st.one_of(_ANY_NUMBER, NUMBERED, WEEKDAYS, st.just("20261231"), st.text(max_size=5))
ANYTHING = st.lists(
    st.tuples(st.sampled_from(list(rules._PARTS)), _ANY),
    max_size=6,
).flatmap(
    lambda them: st.sampled_from(["HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"]).map(
        lambda frequency: text({"FREQ": frequency} | dict(them))
    )
)


@settings(max_examples=200)
@given(
    rule=ANYTHING | SHORT.map(text) | LONG.map(text) | st.text(max_size=30),
    start=st.from_regex(r"\A[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]\Z"),
)
def test_any_plan_is_followed_within_its_budget_or_refused_by_name(rule: str, start: str) -> None:
    plan = replace(PLAN, rrule=rule, start=start)
    try:
        rules.check(plan)
    except RecurrenceInvalid as refusal:
        assert refusal.facts["field"] in ("rrule", "start")
        return
    every = list(rules.expanded(plan, EARLY, budget=Budget(rules.PLAN_STEPS)))
    begin = parsed(start, "start")
    assert every == sorted(set(every))
    assert begin <= every[0] <= every[-1] <= begin + TEN_YEARS


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=HOURLY",
        "FREQ=DAILY;BYHOUR=" + ",".join(map(str, range(24))),
        "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=" + ",".join(map(str, range(24))),
    ],
)
def test_nothing_that_was_ever_accepted_exceeds_the_budget_of_what_is_stored(rule: str) -> None:
    """The rules here are the most expensive."""
    plan = replace(PLAN, rrule=rule)
    with pytest.raises(RecurrenceInvalid, match="more than 20000 steps"):
        rules.check(plan)
    found = rules.expanded(plan, EARLY, budget=Budget(rules.STORED_STEPS))
    assert sum(1 for _ in found) > 87_000


def test_a_rule_that_never_comes_costs_no_more_than_its_ten_years() -> None:
    plan = replace(PLAN, rrule="FREQ=MONTHLY;BYMONTHDAY=-31;BYSETPOS=-366")
    assert list(rules.expanded(plan, EARLY, budget=Budget(4_000))) == []


def test_what_lies_before_is_jumped_over() -> None:
    plan = replace(PLAN, rrule="FREQ=HOURLY", start="2026-11-23T19:00")
    late = parsed("2036-01-01T00:00", "since")
    found = rules.expanded(plan, late, budget=Budget(10))
    assert next(found) == late
