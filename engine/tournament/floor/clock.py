"""
The level clock as staff set it: more or less time, or another level.

Source: rulebook ``levels.set``.
"""

from datetime import timedelta

from engine.rulesets import LevelStep
from engine.tournament import levels
from engine.tournament.model.commands.floor import SetClock
from engine.tournament.model.errors.floor import OwnClock, RulingNotPossible
from engine.tournament.model.events.floor import ClockSet
from engine.tournament.model.state import Running
from engine.tournament.model.values import LevelClock
from engine.values import PlayerId

_SECOND = 1_000_000
"""In microseconds."""

LEFT_MAX = 7 * 86_400 * _SECOND
"""A week. Time added beyond it is a mistake. A level of the terms may be longer by itself."""


def set_clock(state: Running, command: SetClock) -> tuple[ClockSet, ...]:
    """
    Return the clock with another level or another time, or nothing if it stays as it is.

    Raises:
        RulingNotPossible: If there is no clock or no such level, the break after the level is on,
            the last level has no end to change, or no time would be left.
        OwnClock: If the author plays, and would do more than add time.
    """
    if (command.level is not None or command.seconds < 0) and plays(state, command.by):
        raise OwnClock
    clock, steps, rest = state.clock, levels.structure_of(state.terms.ruleset), state.floor.rest
    if clock is None:
        raise RulingNotPossible(reason="no_clock")
    if levels.on_break_after(state, clock.level):
        raise RulingNotPossible(reason="break")
    level = clock.level if command.level is None else command.level
    if not 1 <= level <= len(steps):
        raise RulingNotPossible(reason="level")
    if level == clock.level and not command.seconds:
        return ()
    left = _left(clock, steps[level - 1], command)
    if left is None and command.seconds:
        raise RulingNotPossible(reason="last_level")
    if left is not None:
        left += command.seconds * _SECOND
        if left <= 0 or (command.seconds > 0 and left > LEFT_MAX):
            raise RulingNotPossible(reason="time")
    stands = state.paused or rest is not None or state.floor.hand_for_hand is not None
    due = None if left is None or stands else command.now + timedelta(microseconds=left)
    return (
        ClockSet(
            by=command.by,
            reason=command.reason,
            rule="levels.set",
            level=level,
            amounts=steps[level - 1].amounts,
            seconds=command.seconds,
            at=command.now,
            due=due,
            left_microseconds=left if stands else None,
        ),
    )


def plays(state: Running, player: PlayerId) -> bool:
    """Return whether *player* has entered, or may still get in."""
    entering = state.entering
    outside = (*entering.waiting, *entering.applicants)
    inside = any(each.player == player for each in state.entrants)
    return inside or any(each.player == player for each in outside)


def _left(clock: LevelClock, step: LevelStep, command: SetClock) -> int | None:
    """Return the microseconds left before the change, or None at a level without an end."""
    if command.level is not None and command.level != clock.level:
        return None if step.length is None else step.length * _SECOND
    if clock.due is None:
        return clock.left_microseconds
    # A level that is over and has not been raised yet has no time left.
    return max(clock.due - command.now, timedelta()) // timedelta(microseconds=1)
