"""
What happens at a table by itself, from one decision to the next.

``advance`` lets the game take its steps until somebody has to decide or the hand
is settled.  A settled hand never opens the next (rulebook ``phases.settled``).
"""

from datetime import datetime

from engine.table.course import Course
from engine.table.games import game_of
from engine.table.settling import settle_by_folds


def advance(course: Course, now: datetime) -> None:
    """Play on until a decision is open or the hand is settled."""
    step = game_of(course.table.ruleset).step
    while not course.ended and course.hand.decision is None:
        if course.table.contested():
            step(course, now)
        else:
            settle_by_folds(course, now)
