"""
The parts of a season's schedule.

Local times are written to the minute, without an offset, as a wall clock in the zone shows
them. The instant depends on the edition of the time zone database, so each look-up records its
edition.
"""

from datetime import datetime
from typing import Annotated, Literal, NewType

import msgspec

from engine.values import TournamentId

RecurrenceId = NewType("RecurrenceId", str)
"""``rec_<32 hex>``. A recurrence has no stream of its own."""

Local = Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d$")]
"""A local time such as ``2026-11-23T19:00``. Sorted as text, local times are in order."""

TimeRule = Literal["schedule.local_time", "schedule.skipped_time", "schedule.doubled_time"]
"""The rule that turned a local time into an instant."""


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The recurrence, and the announcement of its tournaments."""

    rrule: str
    """The value of RRULE from RFC 5545, in local time."""

    zone: str
    """The IANA name of the time zone, such as ``Europe/Berlin``."""

    start: Local
    """The first occurrence. The rule counts from here."""

    tzdb: str
    """The edition of the time zone database that was used, such as ``2026f``."""

    ahead_hours: int
    """A tournament is announced this many hours before its start."""

    body: str
    """The announcement as the API takes it, in canonical JSON, without season and times."""


class Moment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A local time with its instant, and the rule that connects them."""

    local: Local
    """The local time, as a clock in the zone shows it."""

    zone: str
    """The IANA name of the time zone."""

    tzdb: str
    """The edition of the time zone database that was used."""

    at: datetime
    """The instant of the local time."""

    rule: TimeRule
    """The rule that decided, in particular for local times that are skipped or come twice."""


class Entered(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The state of a tournament that an edit would withdraw."""

    tournament: TournamentId
    open: bool
    """
    True if the tournament still waits for its start.

    Otherwise it runs, is over or was cancelled.
    """

    cancelled: bool
    entrants: int


class Withdrawn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fixture that an edit withdrew before anybody had entered its tournament."""

    occurrence: Local
    tournament: TournamentId
