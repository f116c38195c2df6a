"""
RFC 5545's recurrence rules, strictly read and never expanded without a bound.

What is written by strangers may ask for every second of a century, or for a day
that never comes; so the parts are checked one by one, nothing is finer than an hour,
and each expansion ends at an instant and after a number of occurrences.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import islice

from dateutil.rrule import rrule, rrulestr

from engine.season.schedule.errors import RecurrenceInvalid
from engine.season.schedule.values import Plan
from service.schedule.zones import parsed, zone_of

OCCURRENCES_MAX = 200
"""So many may be announced at a time; a rule with more in its window is refused."""

YEARS_MAX = 10
"""So far from its start a rule is followed; then it wants another plan."""

_NUMBER = r"[1-9]\d{0,3}"
_LIST = r"{0}(?:,{0})*"
_PARTS = {
    "FREQ": "HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY",
    "INTERVAL": _NUMBER,
    "COUNT": _NUMBER,
    "UNTIL": r"\d{8}(?:T\d{6}Z)?",
    "BYDAY": _LIST.format(r"(?:[+-]?[1-9]\d?)?(?:MO|TU|WE|TH|FR|SA|SU)"),
    "BYMONTHDAY": _LIST.format(r"[+-]?[1-9]\d?"),
    "BYYEARDAY": _LIST.format(r"[+-]?[1-9]\d{0,2}"),
    "BYWEEKNO": _LIST.format(r"[+-]?[1-9]\d?"),
    "BYMONTH": _LIST.format(r"[1-9]\d?"),
    "BYHOUR": _LIST.format(r"\d\d?"),
    "BYSETPOS": _LIST.format(r"[+-]?[1-9]\d{0,2}"),
    "WKST": "MO|TU|WE|TH|FR|SA|SU",
}
"""What a rule may say; BYMINUTE and BYSECOND are the start's."""

_OF_LONG_ONES = frozenset({"BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS"})
"""Only by the month and the year: looking for a 30th of February hour by hour takes seconds."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule without its ends, and its ends."""

    text: str
    count: int | None
    until: datetime | None
    """The last local time, inclusive."""


@lru_cache(maxsize=1024)
def rule_of(text: str, zone: str) -> Rule:
    """
    Return what a rule says.

    Raises:
        RecurrenceInvalid: If it is none, or says what no tournament needs.
    """
    parts: dict[str, str] = {}
    for part in text.split(";"):
        name, _, value = part.partition("=")
        allowed = _PARTS.get(name)
        if allowed is None or re.fullmatch(allowed, value) is None:
            raise _invalid(f"{name or 'an empty part'} cannot be, or not so")
        if name in parts:
            raise _invalid(f"{name} stands there twice")
        parts[name] = value
    if "FREQ" not in parts:
        raise _invalid("FREQ is missing")
    short = parts["FREQ"] in ("HOURLY", "DAILY", "WEEKLY")
    if short and not _OF_LONG_ONES.isdisjoint(parts):
        raise _invalid("days of a month or year, and BYSETPOS, go with MONTHLY or YEARLY")
    if parts["FREQ"] == "HOURLY" and "BYMONTH" in parts:
        raise _invalid("BYMONTH does not go with HOURLY")
    if "COUNT" in parts and "UNTIL" in parts:
        raise _invalid("COUNT and UNTIL exclude each other")
    count, until = parts.pop("COUNT", None), parts.pop("UNTIL", None)
    return Rule(
        ";".join(f"{name}={value}" for name, value in parts.items()),
        None if count is None else int(count),
        None if until is None else _until(until, zone),
    )


def check(plan: Plan) -> None:
    """
    Check that *plan* can be followed.

    Raises:
        RecurrenceInvalid: Naming the field.
    """
    window = timedelta(hours=plan.ahead_hours)
    start = parsed(plan.start, "start")
    found = list(islice(expanded(plan, start + window), OCCURRENCES_MAX + 1))
    if len(found) > OCCURRENCES_MAX:
        raise _invalid(f"more than {OCCURRENCES_MAX} occurrences in ahead_hours")
    if next(expanded(plan, start + timedelta(days=366 * YEARS_MAX)), None) is None:
        raise _invalid("there is never an occurrence")


def expanded(plan: Plan, until: datetime) -> Iterator[datetime]:
    """
    Yield the local times of *plan*'s occurrences, the earliest first, up to *until*.

    Raises:
        RecurrenceInvalid: If the rule is none.
    """
    rule, start = rule_of(plan.rrule, plan.zone), parsed(plan.start, "start")
    last = min(until, start + timedelta(days=366 * YEARS_MAX))
    if rule.until is not None:
        last = min(last, rule.until)
    return islice(_between(rule.text, start, last), rule.count)


def _between(text: str, start: datetime, last: datetime) -> Iterator[datetime]:
    try:
        # An end keeps a day that never comes from being looked for until the year 9999.
        found: rrule = rrulestr(text, dtstart=start).replace(until=last)
        return iter(found)
    except ValueError as error:
        raise _invalid(str(error)) from error


def _until(text: str, zone: str) -> datetime:
    try:
        if len(text) == len("20261231"):
            day = datetime.strptime(text, "%Y%m%d")  # noqa: DTZ007 - a local day
            return day + timedelta(days=1, minutes=-1)
        at = datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        return at.astimezone(zone_of(zone)).replace(tzinfo=None)
    except (ValueError, OverflowError) as error:
        raise _invalid("UNTIL is no day and no instant in UTC") from error


def _invalid(problem: str) -> RecurrenceInvalid:
    return RecurrenceInvalid(field="rrule", problem=problem)
