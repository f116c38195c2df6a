"""
The small things of a season's schedule.

Local times are written to the minute, without an offset: what a wall clock in the
zone shows.  Which instant that is depends on the edition of the time zone database,
so every place where it was looked up says which one that was.
"""

from datetime import datetime
from typing import Annotated, Literal, NewType

import msgspec

from engine.values import TournamentId

RecurrenceId = NewType("RecurrenceId", str)
"""``rec_<32 hex>``; it has no stream of its own."""

Local = Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d$")]
"""A local time, ``2026-11-23T19:00``; in this form their order is that of the text."""

TimeRule = Literal["schedule.local_time", "schedule.skipped_time", "schedule.doubled_time"]
"""How a local time became an instant."""


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What recurs, and how the tournaments are announced."""

    rrule: str
    """RFC 5545's value of RRULE, by local time."""

    zone: str
    """Of the IANA, ``Europe/Berlin``."""

    start: Local
    """The first occurrence; the rule counts from here."""

    tzdb: str
    """Edition of the time zone database that knew the zone, ``2026f``."""

    ahead_hours: int
    """So long before its start a tournament is announced."""

    body: str
    """The announcement as the API takes it, in canonical JSON, without season and times."""


class Moment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A local time with the instant it stands for, and how that was found."""

    local: Local
    zone: str
    tzdb: str
    at: datetime
    rule: TimeRule


class Entered(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How it stands with a tournament that an edit would withdraw."""

    tournament: TournamentId
    open: bool
    """Whether it waits for its start; else it has been played, is being played, or cancelled."""

    cancelled: bool
    entrants: int


class Withdrawn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fixture whose tournament an edit has taken back before anybody had entered."""

    occurrence: Local
    tournament: TournamentId
