"""What can have happened to a season's schedule; tags are names in storage, for ever."""

from datetime import datetime

import msgspec

from engine.season.schedule.values import Local, Moment, Plan, RecurrenceId, Withdrawn
from engine.values import TournamentId


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class FixturesPlanned(_Event, frozen=True, kw_only=True, tag="fixtures_planned"):
    """A tournament recurs."""

    recurrence: RecurrenceId
    plan: Plan
    not_before: datetime
    """Occurrences before this instant are none."""


class FixturesReplanned(_Event, frozen=True, kw_only=True, tag="fixtures_replanned"):
    """From ``since`` on another plan holds; single changes of those occurrences are gone."""

    recurrence: RecurrenceId
    since: Local
    plan: Plan
    not_before: datetime
    withdrawn: tuple[Withdrawn, ...]
    """Their tournaments are cancelled in the same append, and announced anew by the new plan."""

    rule: str


class FixturesEnded(_Event, frozen=True, kw_only=True, tag="fixtures_ended"):
    """There are no occurrences from ``since`` on."""

    recurrence: RecurrenceId
    since: Local
    withdrawn: tuple[Withdrawn, ...]
    rule: str


class FixtureChanged(_Event, frozen=True, kw_only=True, tag="fixture_changed"):
    """One occurrence is otherwise than planned; what is none is as planned."""

    recurrence: RecurrenceId
    occurrence: Local
    moment: Moment | None
    body: str | None
    skipped: bool
    withdrawn: tuple[Withdrawn, ...]
    rule: str


class FixtureMaterialised(_Event, frozen=True, kw_only=True, tag="fixture_materialised"):
    """An occurrence has become a tournament, announced in the same append."""

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
    """Code of the refusal, if its terms could not be announced; else it was over."""

    rule: str


class SeasonScheduled(_Event, frozen=True, kw_only=True, tag="season_scheduled"):
    """When the season closes by itself; none if only somebody closes it."""

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
