"""
Automatic play at a table, from one decision to the next.

``advance`` lets the game take its steps until a decision opens or the hand
is settled. A settled hand never opens the next (rulebook ``phases.settled``).

A dry run gets a hand with withheld hidden values. This hand takes no step, because the
choice of the next step could reveal a selection that nobody has seen.
"""

from datetime import datetime

from engine.table.games.course import Course
from engine.table.games.registry import game_of
from engine.table.games.settling import settle_by_folds


def advance(course: Course, now: datetime) -> None:
    """Play until a decision opens, the hand is settled, or the next step needs hidden values."""
    while (hand := course.table.hand) is not None and hand.decision is None:
        if not course.table.contested():
            settle_by_folds(course, now)
        elif hand.withheld:
            return
        else:
            game_of(course.table.ruleset).step(course, now)
