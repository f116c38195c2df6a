"""
Local times in IANA time zones, by one edition of their database.

The edition is that of the package ``tzdata``, never the machine's. The log records the edition
beside a time, and it must be the one that the time was computed with.
"""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo

import tzdata

from engine.errors import Wording
from engine.season.schedule.errors import RecurrenceInvalid
from engine.season.schedule.values import Local, Moment, TimeRule

EDITION: str = tzdata.IANA_VERSION
"""The database's edition, for example ``2026f``."""

_SECOND = timedelta(seconds=1)


@lru_cache(maxsize=1)
def names() -> frozenset[str]:
    """Return the names of all zones."""
    return frozenset(files(tzdata).joinpath("zones").read_text(encoding="ascii").split())


@lru_cache(maxsize=1024)
def zone_of(name: str) -> ZoneInfo:
    """
    Return a zone.

    Raises:
      RecurrenceInvalid: If no zone has this name.
    """
    if name not in names():
        raise RecurrenceInvalid(field="zone", problem=Wording("the IANA has no such time zone"))
    place = files(tzdata).joinpath("zoneinfo", *name.split("/"))
    with place.open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def parsed(local: Local, field: str) -> datetime:
    """
    Parse a local time without a zone.

    Raises:
      RecurrenceInvalid: If it is not a valid local time. The error names *field*.
    """
    try:
        return datetime.strptime(local, "%Y-%m-%dT%H:%M")  # noqa: DTZ007 - a local time has no zone
    except ValueError as error:
        raise RecurrenceInvalid(field=field, problem=Wording("is not a local time")) from error


def written(local: datetime) -> Local:
    """Return a local time in the form that the log holds."""
    return f"{local:%Y-%m-%dT%H:%M}"


def moment_of(local: Local, zone: str) -> Moment:
    """
    Return the instant of a local time.

    A time that clocks skip means the instant of the change. A time that they show twice means its
    first occurrence.

    Raises:
      RecurrenceInvalid: If there is no such zone, or no such time.

    >>> moment_of("2026-03-29T02:30", "Europe/Berlin").at.isoformat()
    '2026-03-29T01:00:00+00:00'
    >>> moment_of("2026-10-25T02:30", "Europe/Berlin").at.isoformat()
    '2026-10-25T00:30:00+00:00'
    """
    where, shown = zone_of(zone), parsed(local, "start")
    try:
        at, rule = _instant(shown, where)
    except OverflowError as error:
        raise RecurrenceInvalid(
            field="start", problem=Wording("the year is out of range")
        ) from error
    return Moment(local=local, zone=zone, tzdb=EDITION, at=at, rule=rule)


def _instant(shown: datetime, zone: ZoneInfo) -> tuple[datetime, TimeRule]:
    first = shown.replace(tzinfo=zone, fold=0).astimezone(UTC)
    second = shown.replace(tzinfo=zone, fold=1).astimezone(UTC)
    if first == second:
        return first, "schedule.local_time"
    if first < second:
        return first, "schedule.doubled_time"
    # Skipped: the offset before the change gives a later instant, the offset after it an earlier.
    return _change_between(second, first, zone), "schedule.skipped_time"


def _change_between(early: datetime, late: datetime, zone: ZoneInfo) -> datetime:
    """Return the first second from *early* to *late* at which clocks show another offset."""
    before = early.astimezone(zone).utcoffset()
    low, high = 0, int((late - early).total_seconds())
    while high - low > 1:
        middle = (low + high) // 2
        if (early + middle * _SECOND).astimezone(zone).utcoffset() == before:
            low = middle
        else:
            high = middle
    return early + high * _SECOND
