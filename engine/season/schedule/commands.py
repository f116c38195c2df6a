"""
The commands of a season's schedule.

The caller has expanded the rule and looked up the zone, because the engine has neither a
calendar nor a time zone database.
"""

from datetime import datetime

import msgspec

from engine.season.schedule.values import Entered, Local, Moment, Plan, RecurrenceId
from engine.values import TournamentId


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class PlanFixtures(_Command, frozen=True, kw_only=True, tag="plan_fixtures"):
    """Plan a recurrence from now on. Past occurrences are not part of it."""

    recurrence: RecurrenceId
    plan: Plan
    now: datetime


class ReplanFixtures(_Command, frozen=True, kw_only=True, tag="replan_fixtures"):
    """Replace the plan of all occurrences from a local time on."""

    recurrence: RecurrenceId
    since: Local
    plan: Plan
    entered: tuple[Entered, ...]
    """The state of every tournament announced for that time or later."""

    now: datetime


class EndFixtures(_Command, frozen=True, kw_only=True, tag="end_fixtures"):
    """End a recurrence from a local time on."""

    recurrence: RecurrenceId
    since: Local
    entered: tuple[Entered, ...]
    now: datetime


class ChangeFixture(_Command, frozen=True, kw_only=True, tag="change_fixture"):
    """Move one occurrence, change its terms, or skip it."""

    recurrence: RecurrenceId
    occurrence: Local
    """The local time of the occurrence by its rule, even if it was moved."""

    moment: Moment | None
    """The new time. None keeps the planned time."""

    body: str | None
    """The complete announcement. None keeps the planned one."""

    skipped: bool
    entered: tuple[Entered, ...]
    now: datetime


class PlaceFixture(_Command, frozen=True, kw_only=True, tag="place_fixture"):
    """Announce an occurrence that is due."""

    recurrence: RecurrenceId
    occurrence: Local
    tournament: TournamentId
    moment: Moment
    refused: str | None = None
    """The code of the refusal, if its terms can no longer be announced."""

    now: datetime


class ScheduleClose(_Command, frozen=True, kw_only=True, tag="schedule_close"):
    """Set or remove the instant at which the season closes automatically."""

    closes_at: datetime | None
    now: datetime


Command = PlanFixtures | ReplanFixtures | EndFixtures | ChangeFixture | PlaceFixture | ScheduleClose
