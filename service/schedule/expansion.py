"""
Expanding recurrence rules into local times, within a budget of steps.

A step is a day that is examined, or a time that is found. Periods before the requested span are
skipped, and nothing after its end is examined. A rule that never occurs therefore costs no more
than one that occurs every day.
"""

from calendar import isleap, monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from engine.errors import Wording
from engine.season.schedule.errors import RecurrenceInvalid

_DAYS = date.max.toordinal()
_HOUR = timedelta(hours=1)


class Budget:
    """
    The steps that remain.

    Args:
      steps: The total number.
      within: A larger budget, from which these steps are also taken.
    """

    __slots__ = ("_left", "_steps", "_within")

    def __init__(self, steps: int, *, within: "Budget | None" = None) -> None:
        self._steps = self._left = steps
        self._within = within

    @property
    def spent(self) -> bool:
        """True if more steps were requested than there were."""
        return self._left < 0

    def spend(self, steps: int) -> None:
        """
        Take *steps*.

        Raises:
          RecurrenceInvalid: If fewer are left.
        """
        self._left -= steps
        if self._left < 0:
            problem = Wording(f"takes more than {self._steps} steps to expand")
            raise RecurrenceInvalid(field="rrule", problem=problem)
        if self._within is not None:
            self._within.spend(steps)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A rule of RFC 5545 without its ends. An empty set restricts nothing."""

    frequency: str
    interval: int
    hours: tuple[int, ...]
    """Ascending. If empty, it means the start's hour, or every hour of an hourly rule."""

    months: frozenset[int]
    month_days: frozenset[int]
    year_days: frozenset[int]
    weeks: frozenset[int]
    weekdays: frozenset[int]
    numbered: frozenset[tuple[int, int]]
    """Weekday and number: the second Monday is ``(0, 2)``."""

    positions: frozenset[int]
    week_start: int


def expand(
    pattern: Pattern, start: datetime, since: datetime, last: datetime, budget: Budget
) -> Iterator[datetime]:
    """
    Yield the local times from *since* to *last*, earliest first.

    Args:
      start: The first time, from which the intervals count.
      since: The first time to yield.

    Raises:
      RecurrenceInvalid: If *budget* is spent.
    """
    pattern, since = _completed(pattern, start), max(since, start)
    found = _hourly if pattern.frequency == "HOURLY" else _daily
    for each in found(pattern, start, since, last, budget):
        if each > last:
            return
        if each >= since:
            yield each


def _completed(pattern: Pattern, start: datetime) -> Pattern:
    """Return *pattern* with its missing parts taken from the start."""
    hours = pattern.hours or (start.hour,)
    chosen = pattern.weeks or pattern.year_days or pattern.month_days
    months, month_days, weekdays = pattern.months, pattern.month_days, pattern.weekdays
    if not (chosen or weekdays or pattern.numbered):
        match pattern.frequency:
            case "YEARLY":
                months, month_days = months or frozenset({start.month}), frozenset({start.day})
            case "MONTHLY":
                month_days = frozenset({start.day})
            case "WEEKLY":
                weekdays = frozenset({start.weekday()})
    return Pattern(
        frequency=pattern.frequency,
        interval=pattern.interval,
        hours=pattern.hours if pattern.frequency == "HOURLY" else hours,
        months=months,
        month_days=month_days,
        year_days=pattern.year_days,
        weeks=pattern.weeks,
        weekdays=weekdays,
        numbered=pattern.numbered,
        positions=pattern.positions,
        week_start=pattern.week_start,
    )


def _hourly(
    pattern: Pattern, start: datetime, since: datetime, last: datetime, budget: Budget
) -> Iterator[datetime]:
    step = pattern.interval * _HOUR
    jumped = (since - start) // step
    for number in range(jumped, (last - start) // step + 1):
        budget.spend(1)
        each = start + number * step
        if pattern.weekdays and each.weekday() not in pattern.weekdays:
            continue
        if not pattern.hours or each.hour in pattern.hours:
            yield each


def _daily(
    pattern: Pattern, start: datetime, since: datetime, last: datetime, budget: Budget
) -> Iterator[datetime]:
    times = [time(hour, start.minute) for hour in pattern.hours if hour < 24]
    for days in _periods(pattern, start.date(), since.date(), last.date()):
        budget.spend(len(days))
        matching = _matching(pattern, days)
        found = [datetime.combine(day, each) for day in matching for each in times]
        budget.spend(len(found))
        yield from found if not pattern.positions else _chosen(found, pattern.positions)


def _periods(pattern: Pattern, start: date, since: date, last: date) -> Iterator[range]:
    """Yield the days of each period of the interval, as ordinals."""
    begin, end = start.toordinal(), last.toordinal()
    match pattern.frequency:
        case "DAILY" | "WEEKLY":
            length = 7 if pattern.frequency == "WEEKLY" else 1
            first = begin - (start.weekday() - pattern.week_start) % length
            step = length * pattern.interval
            jumped = first + (since.toordinal() - first) // step * step
            for day in range(jumped, end + 1, step):
                yield range(max(day, 1), min(day + length, _DAYS + 1))
        case frequency:
            months = pattern.interval * (12 if frequency == "YEARLY" else 1)
            first = _month(start) if frequency == "MONTHLY" else start.year * 12
            jumped = first + (_month(since) - first) // months * months
            for month in range(jumped, _month(last) + 1, months):
                yield _year_days(month // 12) if frequency == "YEARLY" else _month_days(month)


def _month(day: date) -> int:
    return day.year * 12 + day.month - 1


def _year_days(year: int) -> range:
    first = date(year, 1, 1).toordinal()
    return range(first, first + 365 + isleap(year))


def _month_days(month: int) -> range:
    year, before = divmod(month, 12)
    first = date(year, before + 1, 1).toordinal()
    return range(first, first + monthrange(year, before + 1)[1])


def _matching(pattern: Pattern, days: range) -> Iterator[date]:
    """Yield the *days* that every part of the rule allows."""
    numbered = _numbered(pattern, days) if pattern.numbered else None
    for ordinal in days:
        day = date.fromordinal(ordinal)
        if (
            (not pattern.months or day.month in pattern.months)
            and (not pattern.weekdays or day.weekday() in pattern.weekdays)
            and (numbered is None or ordinal in numbered)
            and (not pattern.month_days or _is_month_day(day, pattern.month_days))
            and (not pattern.year_days or _is_year_day(day, pattern.year_days))
            and (not pattern.weeks or _is_in_week(day, pattern))
        ):
            yield day


def _is_month_day(day: date, allowed: frozenset[int]) -> bool:
    if day.day in allowed:
        return True
    return day.day - monthrange(day.year, day.month)[1] - 1 in allowed


def _is_year_day(day: date, allowed: frozenset[int]) -> bool:
    days = _year_days(day.year)
    number = day.toordinal() - days.start
    return number + 1 in allowed or number - len(days) in allowed


def _is_in_week(day: date, pattern: Pattern) -> bool:
    """
    Return whether *day* is in a week of these numbers, counted from either end of the year.

    In a neighbouring year's week, only -1 matches among the numbers from the end. Stored rules were
    first expanded this way.
    """
    for year in (day.year - 1, day.year, day.year + 1):
        first, following = (_first_week(each, pattern.week_start) for each in (year, year + 1))
        if first <= day.toordinal() < following:
            number = (day.toordinal() - first) // 7
            from_end = number - (following - first) // 7
            own = year == day.year or from_end == -1
            return number + 1 in pattern.weeks or (own and from_end in pattern.weeks)
    return False


@lru_cache(maxsize=256)
def _first_week(year: int, week_start: int) -> int:
    """Return the ordinal of the first day of week 1: the first week with four days in the year."""
    new_year = (date(1, 1, 1) if year < 1 else date(min(year, 9999), 1, 1)).toordinal()
    first = new_year + (week_start - (new_year - 1)) % 7
    return first if first - new_year < 4 else first - 7


def _numbered(pattern: Pattern, days: range) -> set[int]:
    """Return the days that numbered weekdays mean, in the year or in each month."""
    spans = [days]
    if pattern.frequency == "YEARLY" and pattern.months:
        year = date.fromordinal(days.start).year
        spans = [_month_days(year * 12 + month - 1) for month in pattern.months if month <= 12]
    found = set()
    for span in spans:
        for weekday, number in pattern.numbered:
            if number > 0:
                day = span.start + (weekday - (span.start - 1)) % 7 + (number - 1) * 7
            else:
                day = span.stop - 1 - ((span.stop - 2) - weekday) % 7 + (number + 1) * 7
            if day in span:
                found.add(day)
    return found


def _chosen(found: list[datetime], positions: frozenset[int]) -> list[datetime]:
    numbers = {each - 1 if each > 0 else len(found) + each for each in positions}
    return [found[number] for number in sorted(numbers) if 0 <= number < len(found)]
