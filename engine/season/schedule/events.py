"""The events of a season's schedule. Their tags are names in storage and never change."""

from datetime import datetime

import msgspec

from engine.season.schedule.values import Local, Moment, Plan, RecurrenceId, Withdrawn
from engine.values import TournamentId


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class FixturesPlanned(_Event, frozen=True, kw_only=True, tag="fixtures_planned"):
    """A recurrence was planned. It announces a tournament for each occurrence."""

    recurrence: RecurrenceId
    plan: Plan
    not_before: datetime
    """There are no occurrences before this instant."""


class FixturesReplanned(_Event, frozen=True, kw_only=True, tag="fixtures_replanned"):
    """
    A new plan holds from ``since`` on. Changes to single occurrences from then on are dropped.
    """

    recurrence: RecurrenceId
    since: Local
    plan: Plan
    not_before: datetime
    withdrawn: tuple[Withdrawn, ...]
    """The append also cancels the tournaments named here. The new plan announces them again."""

    rule: str


class FixturesEnded(_Event, frozen=True, kw_only=True, tag="fixtures_ended"):
    """The recurrence has no occurrences from ``since`` on."""

    recurrence: RecurrenceId
    since: Local
    withdrawn: tuple[Withdrawn, ...]
    rule: str


class FixtureChanged(_Event, frozen=True, kw_only=True, tag="fixture_changed"):
    """One occurrence was changed. A null member keeps what the plan says."""

    recurrence: RecurrenceId
    occurrence: Local
    moment: Moment | None
    body: str | None
    skipped: bool
    withdrawn: tuple[Withdrawn, ...]
    rule: str


class FixtureMaterialised(_Event, frozen=True, kw_only=True, tag="fixture_materialised"):
    """An occurrence became a tournament, announced in the same append."""

    recurrence: RecurrenceId
    occurrence: Local
    tournament: TournamentId
    moment: Moment
    rule: str


class FixtureMissed(_Event, frozen=True, kw_only=True, tag="fixture_missed"):
    """An occurrence will not be played."""

    recurrence: RecurrenceId
    occurrence: Local
    moment: Moment
    refused: str | None
    """The refusal's code if the terms could not be announced. Null if the time had passed."""

    rule: str


class SeasonScheduled(_Event, frozen=True, kw_only=True, tag="season_scheduled"):
    """The season closes by itself at this instant. Null leaves its closing to the staff."""

    closes_at: datetime | None


Event = (
    FixturesPlanned
    | FixturesReplanned
    | FixturesEnded
    | FixtureChanged
    | FixtureMaterialised
    | FixtureMissed
    | SeasonScheduled
)
