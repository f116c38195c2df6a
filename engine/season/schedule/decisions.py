"""
The decisions of a season's schedule: the events that each command causes.

The caller turns local times into instants, and names the rule that applied:
``schedule.local_time``, ``schedule.skipped_time`` or ``schedule.doubled_time``.
"""

from datetime import datetime
from typing import Never

from engine.decider import Cases
from engine.errors import Wording
from engine.season.schedule.commands import (
    ChangeFixture,
    Command,
    EndFixtures,
    PlaceFixture,
    PlanFixtures,
    ReplanFixtures,
    ScheduleClose,
)
from engine.season.schedule.errors import (
    FixtureEntered,
    FixturePast,
    RecurrenceInvalid,
    RecurrenceUnknown,
)
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
from engine.season.schedule.state import Fixture, Recurrence, Schedule
from engine.season.schedule.values import Entered, Plan, RecurrenceId, Withdrawn

AHEAD_HOURS_MAX = 90 * 24
RECURRENCES_MAX = 100
STRETCHES_MAX = 100
"""The most plans that one recurrence may have in its lifetime."""

RRULE_LENGTH_MAX = 500
BODY_LENGTH_MAX = 64 * 1024

_EDIT = "schedule.edit_before_entries"


def decide(schedule: Schedule, command: Command) -> tuple[Event, ...]:
    """
    Return the events that *command* causes, or no events if nothing would change.

    Raises:
        CommandRejected: If the rules forbid the command.
    """
    if isinstance(command, PlanFixtures):
        return _plan(schedule, command)
    if isinstance(command, ScheduleClose):
        return _schedule_close(schedule, command)
    return _OF_ONE[type(command)](_of(schedule, command.recurrence), command)


def _of(schedule: Schedule, recurrence: RecurrenceId) -> Recurrence:
    found = schedule.of(recurrence)
    if found is None:
        raise RecurrenceUnknown(recurrence=recurrence)
    return found


def _plan(schedule: Schedule, command: PlanFixtures) -> tuple[Event, ...]:
    if schedule.of(command.recurrence) is not None:
        return ()
    if len(schedule.recurrences) >= RECURRENCES_MAX:
        raise RecurrenceInvalid(
            field="recurrence", problem=Wording(f"a season has at most {RECURRENCES_MAX}")
        )
    _check(command.plan)
    return (
        FixturesPlanned(recurrence=command.recurrence, plan=command.plan, not_before=command.now),
    )


def _check(plan: Plan) -> None:
    if not 1 <= plan.ahead_hours <= AHEAD_HOURS_MAX:
        raise RecurrenceInvalid(
            field="ahead_hours", problem=Wording(f"must be 1 to {AHEAD_HOURS_MAX}")
        )
    if len(plan.rrule) > RRULE_LENGTH_MAX:
        raise RecurrenceInvalid(field="rrule", problem=Wording("is too long"))
    if len(plan.body) > BODY_LENGTH_MAX:
        raise RecurrenceInvalid(field="tournament", problem=Wording("is too long"))


def _replan(recurrence: Recurrence, command: ReplanFixtures) -> tuple[Event, ...]:
    _check(command.plan)
    if len(recurrence.stretches) >= STRETCHES_MAX:
        raise RecurrenceInvalid(
            field="since",
            problem=Wording(f"has been planned {STRETCHES_MAX} times; plan a new recurrence"),
        )
    if command.plan.start < command.since:
        raise RecurrenceInvalid(field="start", problem=Wording("must not lie before since"))
    return (
        FixturesReplanned(
            recurrence=command.recurrence,
            since=command.since,
            plan=command.plan,
            not_before=command.now,
            withdrawn=_withdrawn(
                recurrence.announced_from(command.since), command.entered, command.now
            ),
            rule=_EDIT,
        ),
    )


def _end(recurrence: Recurrence, command: EndFixtures) -> tuple[Event, ...]:
    if all(each.until is not None and each.until <= command.since for each in recurrence.stretches):
        return ()
    return (
        FixturesEnded(
            recurrence=command.recurrence,
            since=command.since,
            withdrawn=_withdrawn(
                recurrence.announced_from(command.since), command.entered, command.now
            ),
            rule=_EDIT,
        ),
    )


def _change(recurrence: Recurrence, command: ChangeFixture) -> tuple[Event, ...]:
    if command.moment is not None and command.moment.at <= command.now:
        raise FixturePast(occurrence=command.occurrence)
    known = recurrence.fixture_of(command.occurrence)
    if known is not None and known.became == "missed":
        raise FixturePast(occurrence=command.occurrence)
    standing = (known,) if known is not None and known.became == "announced" else ()
    return (
        FixtureChanged(
            recurrence=command.recurrence,
            occurrence=command.occurrence,
            moment=command.moment,
            body=command.body,
            skipped=command.skipped,
            withdrawn=_withdrawn(standing, command.entered, command.now),
            rule=_EDIT,
        ),
    )


def _withdrawn(
    fixtures: tuple[Fixture, ...], entered: tuple[Entered, ...], now: datetime
) -> tuple[Withdrawn, ...]:
    """
    Return the tournaments that an edit withdraws: empty or cancelled ones.

    Raises:
        FixtureEntered: If a tournament has entrants, or no longer waits for its start.
    """
    known = {each.tournament: each for each in entered}
    found = []
    for fixture in fixtures:
        if fixture.tournament is None:
            continue
        standing = known.get(fixture.tournament)
        waits = standing is not None and standing.open and not standing.entrants
        cancelled = standing is not None and standing.cancelled
        if not cancelled and (not waits or fixture.moment.at <= now):
            raise FixtureEntered(occurrence=fixture.occurrence, tournament=fixture.tournament)
        found.append(Withdrawn(occurrence=fixture.occurrence, tournament=fixture.tournament))
    return tuple(found)


def _place(recurrence: Recurrence, command: PlaceFixture) -> tuple[Event, ...]:
    known = recurrence.fixture_of(command.occurrence)
    if known is not None and known.became != "withdrawn":
        return ()
    if command.refused is not None or command.moment.at <= command.now:
        over = command.moment.at <= command.now
        return (
            FixtureMissed(
                recurrence=command.recurrence,
                occurrence=command.occurrence,
                moment=command.moment,
                refused=None if over else command.refused,
                rule="schedule.missed" if over else "schedule.refused",
            ),
        )
    return (
        FixtureMaterialised(
            recurrence=command.recurrence,
            occurrence=command.occurrence,
            tournament=command.tournament,
            moment=command.moment,
            rule="schedule.once",
        ),
    )


def _schedule_close(schedule: Schedule, command: ScheduleClose) -> tuple[Event, ...]:
    if schedule.closes_at == command.closes_at:
        return ()
    if command.closes_at is not None and command.closes_at <= command.now:
        raise RecurrenceInvalid(field="closes_at", problem=Wording("must lie in the future"))
    return (SeasonScheduled(closes_at=command.closes_at),)


_OF_ONE = (
    Cases[Recurrence, Never, tuple[Event, ...]]()
    .on(ReplanFixtures, _replan)
    .on(EndFixtures, _end)
    .on(ChangeFixture, _change)
    .on(PlaceFixture, _place)
)
