"""Breaks at the end of a level, or by order of a director. Source: rulebook ``levels.break``."""

from datetime import timedelta

from engine.tournament import levels
from engine.tournament.model.commands.floor import AnnounceBreak, EndBreak, EndDueBreak
from engine.tournament.model.errors.floor import RulingNotPossible
from engine.tournament.model.events import Event
from engine.tournament.model.events.floor import BreakAnnounced, BreakEnded, BreakStarted
from engine.tournament.model.state import Running

BREAK_MAX = 86_400
"""In seconds: a day. Anything longer is a pause."""


def announce(state: Running, command: AnnounceBreak) -> tuple[Event, ...]:
    """
    Return the events that plan a break for the end of a level, or begin one now.

    Raises:
        RulingNotPossible: If a break is on, the level is over or no level follows it, or the length
            is not allowed.
    """
    seconds, after = command.seconds, command.after_level
    if not 0 <= seconds <= BREAK_MAX or (after is None and not seconds):
        raise RulingNotPossible(reason="length")
    announced = BreakAnnounced(
        by=command.by,
        reason=command.reason,
        rule="levels.break",
        after_level=after,
        seconds=seconds,
    )
    if after is not None:
        clock, last = state.clock, len(levels.structure_of(state.terms.ruleset))
        if clock is None or not clock.level <= after < last or levels.on_break_after(state, after):
            raise RulingNotPossible(reason="level")
        return (announced,)
    if state.floor.rest is not None:
        raise RulingNotPossible(reason="break")
    started = BreakStarted(
        after_level=None,
        at=command.now,
        due=command.now + timedelta(seconds=seconds),
        cause="director",
        rule="levels.break",
    )
    return (announced, started, *levels.rested(state.clock, command.now))


def end(state: Running, command: EndBreak) -> tuple[Event, ...]:
    """
    Return the events that end a break before its time.

    Raises:
        RulingNotPossible: If there is no break.
    """
    if state.floor.rest is None:
        raise RulingNotPossible(reason="no_break")
    ended = BreakEnded(
        at=command.now,
        cause="director",
        by=command.by,
        reason=command.reason,
        rule="levels.break",
    )
    return (ended, *levels.after_break(state, command.now))


def end_due_break(state: Running, command: EndDueBreak) -> tuple[Event, ...]:
    """Return the events that end a due break. If the command is late, the break lasts longer."""
    rest = state.floor.rest
    if rest is None or rest.begun_by != command.begun_by or command.now < rest.due:
        return ()
    ended = BreakEnded(at=command.now, cause="due", by=None, reason=None, rule="levels.break")
    return (ended, *levels.after_break(state, command.now))
