"""What a recurrence comes to: each occurrence with its instant, its terms and what became of it."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import msgspec

from engine.season.schedule.errors import OccurrenceUnknown
from engine.season.schedule.state import Change, Fixture, Recurrence, Stretch
from engine.season.schedule.values import Local, Moment, Plan
from service.schedule.rules import YEARS_MAX, expanded
from service.schedule.zones import moment_of, parsed, written

_FAR = timedelta(days=366 * YEARS_MAX)


class Occurrence(msgspec.Struct, frozen=True, kw_only=True):
    """One time that a rule names."""

    label: Local
    """What the rule says, wherever the occurrence was moved to: its name for ever."""

    plan: Plan
    moment: Moment
    planned_at: datetime
    change: Change | None
    fixture: Fixture | None

    @property
    def body(self) -> str:
        """The announcement, without season and times."""
        changed = None if self.change is None else self.change.body
        return changed or self.plan.body

    @property
    def skipped(self) -> bool:
        """Whether somebody took it out."""
        return self.change is not None and self.change.skipped

    @property
    def open(self) -> bool:
        """Whether it is still to be announced."""
        settled = self.fixture is not None and self.fixture.became != "withdrawn"
        return not self.skipped and not settled

    @property
    def announced_from(self) -> datetime:
        """The instant at which it is to be announced."""
        return self.moment.at - timedelta(hours=self.plan.ahead_hours)


def walked(
    recurrence: Recurrence, stretch: Stretch, skip: Callable[[Local], bool] = lambda _: False
) -> Iterator[Occurrence]:
    """
    Yield the occurrences of one stretch in the rule's order; there may be very many.

    Args:
        skip: Whether nobody asks for the one of this name; its instant is not looked up.
    """
    plan = stretch.plan
    changes = {each.occurrence: each for each in recurrence.changes}
    fixtures = {each.occurrence: each for each in recurrence.fixtures}
    for local in expanded(plan, parsed(plan.start, "start") + _FAR):
        label = written(local)
        if stretch.until is not None and label >= stretch.until:
            return
        if skip(label):
            continue
        planned = moment_of(label, plan.zone)
        if planned.at < stretch.not_before:
            continue
        change = changes.get(label)
        moved = None if change is None else change.moment
        yield Occurrence(
            label=label,
            plan=plan,
            moment=moved or planned,
            planned_at=stretch.not_before,
            change=change,
            fixture=fixtures.get(label),
        )


def due(recurrence: Recurrence, now: datetime) -> tuple[list[Occurrence], datetime | None]:
    """
    Return the occurrences to be announced by *now*, and when the next one is.

    Returns:
        The earliest first; no next instant if there is no further occurrence.
    """
    found: list[Occurrence] = []
    later: list[datetime] = []
    changed_to = max((each.occurrence for each in recurrence.changes), default="")
    settled = {each.occurrence for each in recurrence.fixtures if each.became != "withdrawn"}
    for stretch in recurrence.stretches:
        for each in walked(recurrence, stretch, settled.__contains__):
            if not each.open:
                continue
            if each.announced_from <= now:
                found.append(each)
                continue
            later.append(each.announced_from)
            # A later occurrence may have been moved before this one, by a change only.
            if each.label > changed_to:
                break
    found.sort(key=lambda each: (each.moment.at, each.label))
    return found, min(later, default=None)


def between(recurrence: Recurrence, since: datetime, until: datetime) -> list[Occurrence]:
    """Return the occurrences that begin from *since* to before *until*, in order."""
    found = []
    changed = {each.occurrence for each in recurrence.changes}
    changed_to = max(changed, default="")
    # Local times lie within a day of UTC's.
    early = written(since - timedelta(days=2))
    for stretch in recurrence.stretches:
        for each in walked(recurrence, stretch, lambda it: it < early and it not in changed):
            if since <= each.moment.at < until:
                found.append(each)
            if each.moment.at >= until and each.label > changed_to:
                break
    return sorted(found, key=lambda each: (each.moment.at, each.label))


def named(recurrence: Recurrence, label: Local) -> Occurrence:
    """
    Return the occurrence that *label* names.

    Raises:
        OccurrenceUnknown: If the rule has none then.
    """
    for stretch in recurrence.stretches:
        for each in walked(recurrence, stretch, label.__gt__):
            if each.label == label:
                return each
            break
    raise OccurrenceUnknown(label)
