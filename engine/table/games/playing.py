"""
What happens at a table by itself, from one decision to the next.

``advance`` lets the game take its steps until somebody has to decide or the hand
is settled.  A settled hand never opens the next (rulebook ``phases.settled``).

A rehearsal gets a hand whose hidden values are withheld.  Such a hand takes no step: even
which step is next can follow from a selection that nobody has seen.
"""

from datetime import datetime

from engine.table.games.course import Course
from engine.table.games.registry import game_of
from engine.table.games.settling import settle_by_folds


def advance(course: Course, now: datetime) -> None:
    """Play on until a decision is open, the hand is settled, or it depends on hidden values."""
    step = game_of(course.table.ruleset).step
    while not course.ended and course.hand.decision is None:
        if not course.table.contested():
            settle_by_folds(course, now)
        elif course.hand.withheld:
            return
        else:
            step(course, now)
