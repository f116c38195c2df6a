"""
What can be asked of a season's schedule.

Whoever asks has expanded the rule and looked up the zone: the engine has neither a
calendar nor a time zone database.
"""

from datetime import datetime

import msgspec

from engine.season.schedule.values import Entered, Local, Moment, Plan, RecurrenceId
from engine.values import TournamentId


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class PlanFixtures(_Command, frozen=True, kw_only=True, tag="plan_fixtures"):
    """Let a tournament recur from now on; occurrences that are past already are none of it."""

    recurrence: RecurrenceId
    plan: Plan
    now: datetime


class ReplanFixtures(_Command, frozen=True, kw_only=True, tag="replan_fixtures"):
    """Let all occurrences from a local time on be as another plan has them."""

    recurrence: RecurrenceId
    since: Local
    plan: Plan
    entered: tuple[Entered, ...]
    """Of every fixture announced for that time and later."""

    now: datetime


class EndFixtures(_Command, frozen=True, kw_only=True, tag="end_fixtures"):
    """Let there be no occurrence from a local time on."""

    recurrence: RecurrenceId
    since: Local
    entered: tuple[Entered, ...]
    now: datetime


class ChangeFixture(_Command, frozen=True, kw_only=True, tag="change_fixture"):
    """Let one occurrence be at another time, on other terms, or not at all."""

    recurrence: RecurrenceId
    occurrence: Local
    """What the rule says, wherever it was moved to."""

    moment: Moment | None
    """Where it is moved to; none leaves it at its time."""

    body: str | None
    """The whole announcement; none leaves it as it is planned."""

    skipped: bool
    entered: tuple[Entered, ...]
    now: datetime


class PlaceFixture(_Command, frozen=True, kw_only=True, tag="place_fixture"):
    """The time has come to announce an occurrence."""

    recurrence: RecurrenceId
    occurrence: Local
    tournament: TournamentId
    moment: Moment
    refused: str | None = None
    """Code of the refusal, if its terms cannot be announced any more."""

    now: datetime


class ScheduleClose(_Command, frozen=True, kw_only=True, tag="schedule_close"):
    """Let the season close by itself, or no longer."""

    closes_at: datetime | None
    now: datetime


Command = PlanFixtures | ReplanFixtures | EndFixtures | ChangeFixture | PlaceFixture | ScheduleClose
