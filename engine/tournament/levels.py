"""
The level clock: the length of each level, the stops of the clock, and the raises that are due.

A level lasts its length of running time. The level in force is the one in the log. A level may be
raised late but never early, and a hand in play is finished at its own level. Levels by hands are in
``engine.table.model.levels``.

Source: TDA rule 23, rulebook ``levels``.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from engine.rulesets import Amounts, Levels, LevelStep, Ruleset
from engine.tournament.model.commands import RaiseLevels
from engine.tournament.model.events import ClockStarted, ClockStopped, Event, LevelRaised
from engine.tournament.model.events.floor import BreakStarted
from engine.tournament.model.state import Running
from engine.tournament.model.values import LevelClock

_MICROSECOND = timedelta(microseconds=1)


def structure_of(ruleset: Ruleset) -> tuple[LevelStep, ...]:
    """Return the levels that the clock goes through, or none if levels do not go by the clock."""
    escalation = ruleset.escalation
    if isinstance(escalation, Levels) and escalation.by == "clock":
        return escalation.levels
    return ()


def following(state: Running) -> Amounts | None:
    """Return the forced bets of the level after the one in force, or None if there is none."""
    steps = structure_of(state.terms.ruleset)
    if state.clock is None or state.clock.level >= len(steps):
        return None
    return steps[state.clock.level].amounts


def started(ruleset: Ruleset, now: datetime) -> tuple[Event, ...]:
    """Return the event that starts the clock with play, or nothing without a clock."""
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
    """Return the event that stops the clock for a pause. The time left in the level is kept."""
    if clock is None or clock.due is None:
        return ()
    return (_stopped(clock.level, now, clock.due, "paused"),)


def resumed(state: Running, now: datetime) -> tuple[Event, ...]:
    """
    Return the event that restarts the clock after a pause, unless it stands for another reason.
    """
    if state.floor.rest is not None or state.floor.hand_for_hand is not None:
        return ()
    return _going_on(state.clock, now, rule="levels.paused")


def rested(
    clock: LevelClock | None, now: datetime, *, rule: str = "levels.break"
) -> tuple[Event, ...]:
    """
    Return the event that stops the clock for a break within a level, or for hand-for-hand play.
    """
    if clock is None or clock.due is None:
        return ()
    return (_stopped(clock.level, now, clock.due, "paused", rule=rule),)


def released(state: Running, now: datetime) -> tuple[Event, ...]:
    """Return the event that restarts the clock after hand-for-hand play, unless it has to stand."""
    if state.paused or state.floor.rest is not None:
        return ()
    return _going_on(state.clock, now, rule="hand_for_hand.clock")


def after_break(state: Running, now: datetime) -> tuple[Event, ...]:
    """Return the events for the clock at the end of a break: the next level, if one was over."""
    clock, rest = state.clock, state.floor.rest
    stands = state.paused or state.floor.hand_for_hand is not None
    if clock is None or rest is None:
        return ()
    if rest.after_level != clock.level:
        return () if stands else _going_on(clock, now, rule="levels.break")
    step = structure_of(state.terms.ruleset)[clock.level]
    due = _after(now, step.length)
    raised = LevelRaised(
        level=clock.level + 1, amounts=step.amounts, at=now, due=due, rule="levels.clock"
    )
    if not stands or due is None:
        return (raised,)
    return raised, _stopped(raised.level, now, due, "paused", rule="levels.break")


def sliced(state: Running, seconds: int, now: datetime) -> tuple[Event, ...]:
    """
    Return the events that take the time of one hand of hand-for-hand play from the stopped clock.
    """
    clock, rule = state.clock, "hand_for_hand.clock"
    if clock is None or clock.left_microseconds is None or not seconds:
        return ()
    left = timedelta(microseconds=clock.left_microseconds) - timedelta(seconds=seconds)
    if left > timedelta():
        return (_stopped(clock.level, now, now + left, "paused", rule=rule),)
    course = _Course(clock, structure_of(state.terms.ruleset), breaks_of(state), due=now)
    course.raise_until(now, now)
    return (*course.events, *course.standing(now, left, rule=rule))


def breaks_of(state: Running) -> Mapping[int, int]:
    """Return the seconds of each break, by the level that it follows."""
    breaks = {each.level: each.seconds for each in state.terms.floor.breaks}
    breaks |= {each.level: each.seconds for each in state.floor.planned}
    return {level: seconds for level, seconds in breaks.items() if seconds}


class ComingBreak(NamedTuple):
    """A break that the terms or a director have planned and that has not begun."""

    after_level: int
    """The number of the level that it follows."""

    seconds: int
    """The length of the break."""

    due: datetime | None
    """The instant at which it begins if the clock keeps running, or None while the clock stands."""

    left_seconds: int | None
    """The playing time until it begins, or None while the clock runs."""


def coming_break(state: Running) -> ComingBreak | None:
    """Return the next break after a level, or None if none is planned."""
    clock, steps = state.clock, structure_of(state.terms.ruleset)
    if clock is None:
        return None
    planned = breaks_of(state)
    levels = (level for level in sorted(planned) if level >= clock.level)
    level = next((each for each in levels if not on_break_after(state, each)), None)
    if level is None:
        return None
    between = sum(step.length or 0 for step in steps[clock.level : level])
    due = None if clock.due is None else clock.due + timedelta(seconds=between)
    left = clock.left_microseconds
    return ComingBreak(
        after_level=level,
        seconds=planned[level],
        due=due,
        left_seconds=None if left is None else left // 1_000_000 + between,
    )


def on_break_after(state: Running, level: int) -> bool:
    """Return whether the break after *level* has begun."""
    return state.floor.rest is not None and state.floor.rest.after_level == level


def _going_on(clock: LevelClock | None, now: datetime, *, rule: str) -> tuple[Event, ...]:
    if clock is None or clock.left_microseconds is None:
        return ()
    return (
        ClockStarted(
            level=clock.level,
            amounts=clock.amounts,
            at=now,
            due=now + clock.left_microseconds * _MICROSECOND,
            cause="resumed",
            rule=rule,
        ),
    )


def raise_levels(state: Running, command: RaiseLevels) -> tuple[Event, ...]:
    """
    Return the clock's events for elapsed time and outages, in the order in which they came.

    Late levels are raised one by one. An outage gives its time back to the level it fell into.
    """
    if state.clock is None:
        return ()
    course = _Course(state.clock, structure_of(state.terms.ruleset), breaks_of(state))
    for outage in sorted(command.outages, key=lambda each: each.since):
        since = max(outage.since, course.since)
        if since < outage.until <= command.now:
            course.raise_until(since, command.now)
            course.interrupt(since, outage.until)
    course.raise_until(command.now, command.now)
    return tuple(course.events)


class _Course:
    """The course of a clock, as far as it has been followed."""

    def __init__(
        self,
        clock: LevelClock,
        steps: tuple[LevelStep, ...],
        breaks: Mapping[int, int],
        *,
        due: datetime | None = None,
    ) -> None:
        self._level, self._amounts, self._due = clock.level, clock.amounts, due or clock.due
        self._steps, self._breaks = steps, breaks
        self.since = clock.since
        self.events: list[Event] = []

    def raise_until(self, instant: datetime, now: datetime) -> None:
        """
        Raise every level that was due at *instant* or before, with one event for each.

        A break that is due stops the clock, and nothing after it is raised.
        """
        while self._due is not None and self._due <= instant:
            if self._level in self._breaks:
                self._rest(self._due, now)
                return
            step = self._steps[self._level]
            self._level, self._amounts = self._level + 1, step.amounts
            self._due = _after(self._due, step.length)
            raised = LevelRaised(
                level=self._level, amounts=step.amounts, at=now, due=self._due, rule="levels.clock"
            )
            self.events.append(raised)

    def _rest(self, level_ends: datetime, now: datetime) -> None:
        """Begin the full break after the level, from the instant at which it is noticed."""
        started = BreakStarted(
            after_level=self._level,
            at=now,
            due=now + timedelta(seconds=self._breaks[self._level]),
            cause="schedule",
            rule="levels.break",
        )
        stopped = _stopped(self._level, level_ends, level_ends, "paused", rule="levels.break")
        self.events += [started, stopped]
        self._due = None

    def standing(self, now: datetime, over: timedelta, *, rule: str) -> tuple[Event, ...]:
        """
        Return the event that stops the clock again after a raise.

        Args:
            over: The time past the end of the level before, as a duration of 0 or less.
        """
        if self._due is None:
            return ()
        return (_stopped(self._level, now, self._due + over, "paused", rule=rule),)

    def interrupt(self, since: datetime, until: datetime) -> None:
        """Stop a running clock from *since* to *until*."""
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
    level: int,
    at: datetime,
    due: datetime,
    cause: Literal["paused", "outage"],
    *,
    rule: str | None = None,
) -> ClockStopped:
    # A level that was due and has not been raised yet is due at once when the clock goes on.
    left = max(due - at, timedelta()) // _MICROSECOND
    return ClockStopped(
        level=level,
        at=at,
        left_microseconds=left,
        cause=cause,
        rule=f"levels.{cause}" if rule is None else rule,
    )


def _after(instant: datetime, seconds: int | None) -> datetime | None:
    return None if seconds is None else instant + timedelta(seconds=seconds)
