"""The state of a season's schedule."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal, Never

import msgspec
from msgspec.structs import replace

from engine.decider import Cases
from engine.season.schedule.events import (
    Event,
    FixtureChanged,
    FixtureMaterialised,
    FixtureMissed,
    FixturesEnded,
    FixturesPlanned,
    FixturesReplanned,
    SeasonScheduled,
)
from engine.season.schedule.values import Local, Moment, Plan, RecurrenceId, Withdrawn
from engine.values import TournamentId


class Stretch(msgspec.Struct, frozen=True, kw_only=True):
    """A plan with the local times between which it applies."""

    plan: Plan
    not_before: datetime
    since: Local | None = None
    until: Local | None = None
    """The end of the stretch, exclusive."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """The changes to one occurrence."""

    occurrence: Local
    moment: Moment | None
    body: str | None
    skipped: bool


class Fixture(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one occurrence. A withdrawn one will be announced again."""

    occurrence: Local
    moment: Moment
    tournament: TournamentId | None
    became: Literal["announced", "missed", "withdrawn"]
    attempt: int
    """The number of the announcement of this occurrence, from 1."""


class Recurrence(msgspec.Struct, frozen=True, kw_only=True):
    """A recurrence with its plans, changes and fixtures."""

    recurrence: RecurrenceId
    stretches: tuple[Stretch, ...]
    """In order of planning. The newest stretch takes precedence."""

    changes: tuple[Change, ...] = ()
    fixtures: tuple[Fixture, ...] = ()
    """The newest fixture of each occurrence."""

    edits: int = 0
    """The number of edits to the recurrence."""

    def fixture_of(self, occurrence: Local) -> Fixture | None:
        """Return the newest fixture of *occurrence*, or None."""
        return next((each for each in self.fixtures if each.occurrence == occurrence), None)

    def announced_from(self, since: Local) -> tuple[Fixture, ...]:
        """Return the announced fixtures from *since* on."""
        return tuple(
            each
            for each in self.fixtures
            if each.occurrence >= since and each.became == "announced"
        )

    def attempt_at(self, occurrence: Local) -> int:
        """Return the number of the next announcement of *occurrence*, from 1."""
        known = self.fixture_of(occurrence)
        return 1 if known is None else known.attempt + 1


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """A season's recurrences in order of planning, and the instant of its automatic end."""

    recurrences: tuple[Recurrence, ...] = ()
    closes_at: datetime | None = None

    def of(self, recurrence: RecurrenceId) -> Recurrence | None:
        """Return one recurrence, or None."""
        return next((each for each in self.recurrences if each.recurrence == recurrence), None)


def evolved(schedule: Schedule, event: Event) -> Schedule:
    """Return *schedule* after *event*, which must name a known recurrence."""
    if isinstance(event, SeasonScheduled):
        return replace(schedule, closes_at=event.closes_at)
    if isinstance(event, FixturesPlanned):
        stretch = Stretch(plan=event.plan, not_before=event.not_before)
        made = Recurrence(recurrence=event.recurrence, stretches=(stretch,))
        return replace(schedule, recurrences=(*schedule.recurrences, made))
    return replace(
        schedule,
        recurrences=tuple(
            _OF_ONE[type(event)](each, event) if each.recurrence == event.recurrence else each
            for each in schedule.recurrences
        ),
    )


def _replanned(recurrence: Recurrence, event: FixturesReplanned) -> Recurrence:
    shorter = _cut(_withdrawn(recurrence, event.withdrawn), event.since)
    stretch = Stretch(plan=event.plan, not_before=event.not_before, since=event.since)
    return replace(shorter, stretches=(*shorter.stretches, stretch), edits=recurrence.edits + 1)


def _ended(recurrence: Recurrence, event: FixturesEnded) -> Recurrence:
    ended = _cut(_withdrawn(recurrence, event.withdrawn), event.since)
    return replace(ended, edits=recurrence.edits + 1)


def _changed(recurrence: Recurrence, event: FixtureChanged) -> Recurrence:
    change = Change(
        occurrence=event.occurrence,
        moment=event.moment,
        body=event.body,
        skipped=event.skipped,
    )
    others = (each for each in recurrence.changes if each.occurrence != event.occurrence)
    return replace(
        _withdrawn(recurrence, event.withdrawn),
        changes=(*others, change),
        edits=recurrence.edits + 1,
    )


def _materialised(recurrence: Recurrence, event: FixtureMaterialised) -> Recurrence:
    return _placed(recurrence, event, event.tournament, "announced")


def _missed(recurrence: Recurrence, event: FixtureMissed) -> Recurrence:
    return _placed(recurrence, event, None, "missed")


def _placed(
    recurrence: Recurrence,
    event: FixtureMaterialised | FixtureMissed,
    tournament: TournamentId | None,
    became: Literal["announced", "missed"],
) -> Recurrence:
    fixture = Fixture(
        occurrence=event.occurrence,
        moment=event.moment,
        tournament=tournament,
        became=became,
        attempt=recurrence.attempt_at(event.occurrence),
    )
    others = (each for each in recurrence.fixtures if each.occurrence != event.occurrence)
    return replace(recurrence, fixtures=(*others, fixture))


def _withdrawn(recurrence: Recurrence, withdrawn: Iterable[Withdrawn]) -> Recurrence:
    taken = {each.occurrence for each in withdrawn}
    return replace(
        recurrence,
        fixtures=tuple(
            replace(each, became="withdrawn") if each.occurrence in taken else each
            for each in recurrence.fixtures
        ),
    )


def _cut(recurrence: Recurrence, since: Local) -> Recurrence:
    return replace(
        recurrence,
        stretches=tuple(
            each if each.until is not None and each.until <= since else replace(each, until=since)
            for each in recurrence.stretches
        ),
        changes=tuple(each for each in recurrence.changes if each.occurrence < since),
    )


_OF_ONE = (
    Cases[Recurrence, Never, Recurrence]()
    .on(FixturesReplanned, _replanned)
    .on(FixturesEnded, _ended)
    .on(FixtureChanged, _changed)
    .on(FixtureMaterialised, _materialised)
    .on(FixtureMissed, _missed)
)
