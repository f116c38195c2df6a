"""The occurrences of a recurrence, each with its instant, its terms and its fixture."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import msgspec

from engine.season.schedule.errors import OccurrenceUnknown, RecurrenceInvalid
from engine.season.schedule.state import Change, Fixture, Recurrence, Stretch
from engine.season.schedule.values import Local, Moment, Plan
from service.schedule.expansion import Budget
from service.schedule.rules import STORED_STEPS, expanded
from service.schedule.zones import moment_of, parsed, written

_ZONES_SPAN = timedelta(days=2)
"""Local times lie within a day of UTC. One more day allows for a change of zone."""


class Occurrence(msgspec.Struct, frozen=True, kw_only=True):
    """One time that a rule names."""

    label: Local
    """The local time by the rule, even if the occurrence was moved. It is a permanent name."""

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
        """True if an edit skipped the occurrence."""
        return self.change is not None and self.change.skipped

    @property
    def open(self) -> bool:
        """True if the occurrence is still to be announced."""
        settled = self.fixture is not None and self.fixture.became != "withdrawn"
        return not self.skipped and not settled

    @property
    def announced_from(self) -> datetime:
        """The instant from which the occurrence is due to be announced."""
        return self.moment.at - timedelta(hours=self.plan.ahead_hours)


def walked(
    recurrence: Recurrence,
    stretch: Stretch,
    skip: Callable[[Local], bool] = lambda _: False,
    *,
    since: datetime | None = None,
    budget: Budget,
) -> Iterator[Occurrence]:
    """
    Yield the occurrences of one stretch in the rule's order. There may be very many.

    Args:
      skip: True if the occurrence of this name is not needed. Its instant is not computed.
      since: Occurrences before this local time are not needed.

    Raises:
      RecurrenceInvalid: If *budget* is spent.
    """
    plan = stretch.plan
    first = _local(stretch.not_before)
    since = first if since is None else max(first, since)
    changes = {each.occurrence: each for each in recurrence.changes}
    fixtures = {each.occurrence: each for each in recurrence.fixtures}
    for local in expanded(plan, since, budget=budget):
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
    Return the occurrences to announce by *now*, and the instant of the next one.

    Returns:
      The occurrences, earliest first. The instant is None if there are no more.

    Raises:
      RecurrenceInvalid: If the recurrence takes more steps than any accepted one.
    """
    budget = Budget(STORED_STEPS)
    found: list[Occurrence] = []
    later: list[datetime] = []
    changed_to = max((each.occurrence for each in recurrence.changes), default="")
    settled = {each.occurrence for each in recurrence.fixtures if each.became != "withdrawn"}
    for stretch in recurrence.stretches:
        for each in walked(recurrence, stretch, settled.__contains__, budget=budget):
            if not each.open:
                continue
            if each.announced_from <= now:
                found.append(each)
                continue
            later.append(each.announced_from)
            # Only a change can move a later occurrence before this one.
            if each.label > changed_to:
                break
    found.sort(key=lambda each: (each.moment.at, each.label))
    return found, min(later, default=None)


def between(
    recurrence: Recurrence, since: datetime, until: datetime, budget: Budget
) -> list[Occurrence]:
    """
    Return the occurrences that begin from *since* to before *until*, in order.

    Raises:
      RecurrenceInvalid: If *budget* is spent.
    """
    found = []
    changed = {each.occurrence for each in recurrence.changes}
    changed_to = max(changed, default="")
    early = _local(since)
    name = written(early)
    # A moved occurrence may begin later than its name says.
    first = min((early, *(parsed(each, "occurrence") for each in changed)))
    for stretch in recurrence.stretches:
        for each in walked(
            recurrence,
            stretch,
            lambda it: it < name and it not in changed,
            since=first,
            budget=budget,
        ):
            if since <= each.moment.at < until:
                found.append(each)
            if each.moment.at >= until and each.label > changed_to:
                break
    return sorted(found, key=lambda each: (each.moment.at, each.label))


def named(recurrence: Recurrence, label: Local) -> Occurrence:
    """
    Return the occurrence that *label* names.

    Raises:
      OccurrenceUnknown: If the rule has no occurrence at that time.
    """
    try:
        since = parsed(label, "occurrence")
    except RecurrenceInvalid:
        raise OccurrenceUnknown(occurrence=label) from None
    for stretch in recurrence.stretches:
        for each in walked(
            recurrence, stretch, label.__gt__, since=since, budget=Budget(STORED_STEPS)
        ):
            if each.label == label:
                return each
            break
    raise OccurrenceUnknown(occurrence=label)


def coming(recurrence: Recurrence, now: datetime) -> Iterator[Occurrence]:
    """
    Yield the occurrences that begin after *now* and are not skipped.

    Raises:
      RecurrenceInvalid: If the recurrence takes more steps than any accepted one.
    """
    budget, early = Budget(STORED_STEPS), _local(now)
    for stretch in recurrence.stretches:
        for each in walked(recurrence, stretch, since=early, budget=budget):
            if each.moment.at > now and not each.skipped:
                yield each


def first_from(recurrence: Recurrence, since: Local) -> Local:
    """Return the newest plan's first occurrence from *since* on, or *since* if there is none."""
    found = walked(
        recurrence,
        recurrence.stretches[-1],
        since.__gt__,
        since=parsed(since, "since"),
        budget=Budget(STORED_STEPS),
    )
    return next((each.label for each in found), since)


def _local(at: datetime) -> datetime:
    """Return a local time that every zone shows before the instant *at*."""
    shown = at.replace(tzinfo=None)
    return shown - min(_ZONES_SPAN, shown - datetime(1, 1, 1))  # noqa: DTZ001 - a local time
