"""
Levels by the clock: how long each lasts, what stops the clock, and what is due.

A level lasts its length of running time.  The level in force is the one in the
log: whoever raises it does so late, never early, and a hand in play is finished
at its own.  Source: TDA rule 23; rulebook 9.
"""

from datetime import datetime, timedelta
from typing import Literal

from engine.rulesets import Amounts, Levels, LevelStep, Ruleset
from engine.tournament.commands import TendClock
from engine.tournament.events import ClockStarted, ClockStopped, Event, LevelRaised
from engine.tournament.state import Running
from engine.tournament.values import LevelClock

_MICROSECOND = timedelta(microseconds=1)


def structure_of(ruleset: Ruleset) -> tuple[LevelStep, ...]:
    """Return the levels that the clock goes through; none where it has no say."""
    escalation = ruleset.escalation
    if isinstance(escalation, Levels) and escalation.by == "clock":
        return escalation.levels
    return ()


def following(state: Running) -> Amounts | None:
    """Return the forced bets of the level after the one in force; None if there is none."""
    steps = structure_of(state.terms.ruleset)
    if state.clock is None or state.clock.level >= len(steps):
        return None
    return steps[state.clock.level].amounts


def started(ruleset: Ruleset, now: datetime) -> tuple[Event, ...]:
    """Return what the start of play means for the clock."""
    steps = structure_of(ruleset)
    if not steps:
        return ()
    return (
        ClockStarted(
            level=1,
            amounts=steps[0].amounts,
            at=now,
            due=_after(now, steps[0].length),
            cause="play_started",
            rule="levels.clock",
        ),
    )


def stopped(clock: LevelClock | None, now: datetime) -> tuple[Event, ...]:
    """Return what a pause means for the clock: what is left of the level is kept."""
    if clock is None or clock.due is None:
        return ()
    return (_stopped(clock.level, now, clock.due, "paused"),)


def resumed(clock: LevelClock | None, now: datetime) -> tuple[Event, ...]:
    """Return what the end of a pause means for the clock."""
    if clock is None or clock.left_microseconds is None:
        return ()
    return (
        ClockStarted(
            level=clock.level,
            amounts=clock.amounts,
            at=now,
            due=now + clock.left_microseconds * _MICROSECOND,
            cause="resumed",
            rule="levels.paused",
        ),
    )


def tended(state: Running, command: TendClock) -> tuple[Event, ...]:
    """
    Return what time and outages mean for the clock, in the order in which they came.

    Late levels come one by one; an outage takes its time from the level it fell into.
    """
    if state.clock is None:
        return ()
    course = _Course(state.clock, structure_of(state.terms.ruleset))
    for outage in sorted(command.outages, key=lambda each: each.since):
        since = max(outage.since, course.since)
        if since < outage.until <= command.now:
            course.raise_until(since, command.now)
            course.interrupt(since, outage.until)
    course.raise_until(command.now, command.now)
    return tuple(course.events)


class _Course:
    """How a clock ran, as far as it has been followed."""

    def __init__(self, clock: LevelClock, steps: tuple[LevelStep, ...]) -> None:
        self._level, self._amounts, self._due = clock.level, clock.amounts, clock.due
        self._steps = steps
        self.since = clock.since
        self.events: list[Event] = []

    def raise_until(self, instant: datetime, now: datetime) -> None:
        """Raise what was due at *instant*, at the latest, in one event for each level."""
        while self._due is not None and self._due <= instant:
            step = self._steps[self._level]
            self._level, self._amounts = self._level + 1, step.amounts
            self._due = _after(self._due, step.length)
            raised = LevelRaised(
                level=self._level, amounts=step.amounts, at=now, due=self._due, rule="levels.clock"
            )
            self.events.append(raised)

    def interrupt(self, since: datetime, until: datetime) -> None:
        """Let the clock stand from *since* to *until*, if it runs."""
        if self._due is None:
            return
        self.events.append(_stopped(self._level, since, self._due, "outage"))
        self._due, self.since = until + (self._due - since), until
        start = ClockStarted(
            level=self._level,
            amounts=self._amounts,
            at=until,
            due=self._due,
            cause="outage",
            rule="levels.outage",
        )
        self.events.append(start)


def _stopped(
    level: int, at: datetime, due: datetime, cause: Literal["paused", "outage"]
) -> ClockStopped:
    # A level that was due already, and not raised yet, is due at once when the clock goes on.
    left = max(due - at, timedelta()) // _MICROSECOND
    return ClockStopped(
        level=level, at=at, left_microseconds=left, cause=cause, rule=f"levels.{cause}"
    )


def _after(instant: datetime, seconds: int | None) -> datetime | None:
    return None if seconds is None else instant + timedelta(seconds=seconds)
