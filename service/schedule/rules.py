"""
RFC 5545's recurrence rules, read strictly and expanded within a budget.

Strangers write rules. A rule may ask for every second of a century, or for a day that never comes.
A stored rule is read as it was when it was stored. A new plan may use less of the RFC
(:func:`check`), and must be cheap to expand for ten years.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import islice

from engine.errors import Wording
from engine.season.schedule.errors import RecurrenceInvalid
from engine.season.schedule.values import Plan
from service.schedule.expansion import Budget, Pattern, expand
from service.schedule.zones import parsed, zone_of

OCCURRENCES_MAX = 200
"""The most occurrences that may be announced at a time. A rule with more is refused."""

YEARS_MAX = 10
"""The number of years for which a rule is followed. Then it needs another plan."""

PLAN_STEPS = 20_000
"""The most steps for expanding a new plan for ten years. Four times every day is below it."""

STORED_STEPS = 200_000
"""
The most steps of one walk through a stored recurrence.

Ten years of every hour are 88,000 steps, so no plan that was ever accepted exceeds it.
"""

_FIRST_YEAR, _LAST_YEAR = 1970, 9900
"""The range for a new plan's start. The calendar must still exist ten years later."""

_NUMBER = r"[1-9]\d{0,3}"
_LIST = r"{0}(?:,{0})*"
_DAY_NAMES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_DAY = r"[+-]?[1-9]\d?"
_PARTS = {
    "FREQ": "HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY",
    "INTERVAL": _NUMBER,
    "COUNT": _NUMBER,
    "UNTIL": r"\d{8}(?:T\d{6}Z)?",
    "BYDAY": _LIST.format(rf"(?:{_DAY})?(?:MO|TU|WE|TH|FR|SA|SU)"),
    "BYMONTHDAY": _LIST.format(_DAY),
    "BYYEARDAY": _LIST.format(r"[+-]?[1-9]\d{0,2}"),
    "BYWEEKNO": _LIST.format(_DAY),
    "BYMONTH": _LIST.format(r"[1-9]\d?"),
    "BYHOUR": _LIST.format(r"\d\d?"),
    "BYSETPOS": _LIST.format(r"[+-]?[1-9]\d{0,2}"),
    "WKST": "MO|TU|WE|TH|FR|SA|SU",
}
"""The parts that a stored rule may have. BYMINUTE and BYSECOND are the start's."""

_OF_LONG_ONES = frozenset({"BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS"})
"""Parts that go only with MONTHLY and YEARLY."""

_UNNEEDED = ("BYYEARDAY", "BYWEEKNO")
"""Parts that no league's calendar needs. A new plan with them is refused."""

_RANGES = {"BYMONTHDAY": 31, "BYMONTH": 12, "BYHOUR": 23, "BYSETPOS": 366}
"""The largest number of each part, without its sign."""


@dataclass(frozen=True, slots=True)
class RecurrenceRule:
    """A rule's pattern, and its ends."""

    pattern: Pattern
    count: int | None
    until: datetime | None
    """The last local time, inclusive."""


@lru_cache(maxsize=1024)
def rule_of(text: str, zone: str) -> RecurrenceRule:
    """
    Parse a rule.

    Raises:
      RecurrenceInvalid: If it is malformed, or combines parts that exclude each other.
    """
    parts = _parts(text)
    short = parts["FREQ"] in ("HOURLY", "DAILY", "WEEKLY")
    if short and not _OF_LONG_ONES.isdisjoint(parts):
        raise _invalid(Wording("days of a month or year, and BYSETPOS, go with MONTHLY or YEARLY"))
    if parts["FREQ"] == "HOURLY" and "BYMONTH" in parts:
        raise _invalid(Wording("BYMONTH does not go with HOURLY"))
    if "COUNT" in parts and "UNTIL" in parts:
        raise _invalid(Wording("COUNT and UNTIL exclude each other"))
    return RecurrenceRule(
        _pattern(parts, short),
        int(parts["COUNT"]) if "COUNT" in parts else None,
        _until(parts["UNTIL"], zone) if "UNTIL" in parts else None,
    )


def check(plan: Plan) -> None:
    """
    Check that *plan* can be followed to its end at a bounded cost.

    Raises:
      RecurrenceInvalid: If it cannot. The error names the field.
    """
    parts = _parts(plan.rrule)
    _demand_supported(parts)
    start = parsed(plan.start, "start")
    if not _FIRST_YEAR <= start.year <= _LAST_YEAR:
        raise RecurrenceInvalid(field="start", problem=Wording("the year is out of range"))
    window = _later(start, timedelta(hours=plan.ahead_hours))
    occurrences = soon = 0
    budget = Budget(PLAN_STEPS)
    try:
        for each in expanded(plan, start, budget=budget):
            occurrences += 1
            soon += each <= window
    except RecurrenceInvalid as error:
        if not budget.spent:
            raise
        ends = "COUNT" in parts or "UNTIL" in parts
        advice = "end it earlier" if ends else "add UNTIL or COUNT, so that it ends"
        raise _invalid(
            Wording(f"takes more than {PLAN_STEPS} steps to expand; {advice}")
        ) from error
    if soon > OCCURRENCES_MAX:
        raise _invalid(Wording(f"more than {OCCURRENCES_MAX} occurrences in ahead_hours"))
    if not occurrences:
        raise _invalid(Wording("the rule has no occurrence"))


def expanded(plan: Plan, since: datetime, *, budget: Budget) -> Iterator[datetime]:
    """
    Yield the local times of *plan*'s occurrences from *since* on, earliest first.

    Raises:
      RecurrenceInvalid: If the rule is malformed, or *budget* is spent.
    """
    rule, start = rule_of(plan.rrule, plan.zone), parsed(plan.start, "start")
    last = _later(start, timedelta(days=366 * YEARS_MAX))
    if rule.until is not None:
        last = min(last, rule.until)
    if rule.count is None:
        return expand(rule.pattern, start, since, last, budget)
    # COUNT counts from the start, and not from *since*.
    found = islice(expand(rule.pattern, start, start, last, budget), rule.count)
    return (each for each in found if each >= since)


def _parts(text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in text.split(";"):
        name, _, value = part.partition("=")
        allowed = _PARTS.get(name)
        if allowed is None or re.fullmatch(allowed, value) is None:
            raise _invalid(
                Wording(f"{name or 'an empty part'} is unknown, or its value is malformed")
            )
        if name in parts:
            raise _invalid(Wording(f"{name} appears twice"))
        parts[name] = value
    if "FREQ" not in parts:
        raise _invalid(Wording("FREQ is missing"))
    return parts


def _pattern(parts: dict[str, str], short: bool) -> Pattern:
    days = [(_DAY_NAMES.index(each[-2:]), each[:-2]) for each in _listed(parts, "BYDAY")]
    numbered = {(day, int(number)) for day, number in days if number and not short}
    return Pattern(
        frequency=parts["FREQ"],
        interval=int(parts.get("INTERVAL", "1")),
        hours=tuple(sorted(_numbers(parts, "BYHOUR"))),
        months=_numbers(parts, "BYMONTH"),
        month_days=_numbers(parts, "BYMONTHDAY"),
        year_days=_numbers(parts, "BYYEARDAY"),
        weeks=_numbers(parts, "BYWEEKNO"),
        weekdays=frozenset(day for day, number in days if short or not number),
        numbered=frozenset(numbered),
        positions=_numbers(parts, "BYSETPOS"),
        week_start=_DAY_NAMES.index(parts.get("WKST", "MO")),
    )


def _demand_supported(parts: dict[str, str]) -> None:
    """Check that a new plan uses only the supported parts, with numbers in range."""
    frequency = parts["FREQ"]
    if not all(value.isascii() for value in parts.values()):
        raise _invalid(Wording("use only the digits 0 to 9"))
    for name in _UNNEEDED:
        if name in parts:
            raise _invalid(Wording(f"{name} is not supported"))
    for name, most in _RANGES.items():
        if any(abs(each) > most for each in _numbers(parts, name)):
            raise _invalid(Wording(f"{name} goes up to {most}"))
    numbers = [int(each[:-2] or 0) for each in _listed(parts, "BYDAY")]
    if any(numbers):
        if frequency not in ("MONTHLY", "YEARLY"):
            raise _invalid(Wording("numbered weekdays go with MONTHLY or YEARLY"))
        if not all(numbers):
            raise _invalid(Wording("BYDAY needs numbers on all weekdays or on none"))
        most = 53 if frequency == "YEARLY" and "BYMONTH" not in parts else 5
        if any(abs(each) > most for each in numbers):
            raise _invalid(Wording(f"numbers of weekdays go up to {most} here"))
    if "BYSETPOS" in parts and "BYDAY" not in parts and "BYMONTHDAY" not in parts:
        raise _invalid(Wording("BYSETPOS chooses among the days of BYDAY or BYMONTHDAY"))


def _listed(parts: dict[str, str], name: str) -> list[str]:
    return parts[name].split(",") if name in parts else []


def _numbers(parts: dict[str, str], name: str) -> frozenset[int]:
    return frozenset(int(each) for each in _listed(parts, name))


def _later(start: datetime, by: timedelta) -> datetime:
    """Return *start* plus *by*, or the last time of the calendar."""
    return start + min(by, datetime(9999, 12, 31, 23, 59) - start)  # noqa: DTZ001 - a local time


def _until(text: str, zone: str) -> datetime:
    try:
        if len(text) == len("20261231"):
            day = datetime.strptime(text, "%Y%m%d")  # noqa: DTZ007 - a local day
            return day + timedelta(days=1, minutes=-1)
        at = datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        return at.astimezone(zone_of(zone)).replace(tzinfo=None)
    except (ValueError, OverflowError) as error:
        raise _invalid(Wording("UNTIL must be a day or an instant in UTC")) from error


def _invalid(problem: Wording) -> RecurrenceInvalid:
    return RecurrenceInvalid(field="rrule", problem=problem)
