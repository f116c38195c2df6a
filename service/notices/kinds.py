"""The kinds of notices that a person can choose. Their names are public and never renamed."""

from datetime import timedelta
from typing import Final, Literal, get_args

Kind = Literal[
    "check_in_open",
    "start_changed",
    "seat_drawn",
    "place_offered",
    "your_turn",
    "result",
    "dispute",
    "audit_failed",
]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

GOOD_FOR: Final[dict[Kind, timedelta]] = {
    "check_in_open": timedelta(hours=12),
    "start_changed": timedelta(hours=12),
    "seat_drawn": timedelta(hours=12),
    "place_offered": timedelta(days=7),
    "your_turn": timedelta(days=30),
    "result": timedelta(days=2),
    "dispute": timedelta(days=2),
    "audit_failed": timedelta(days=2),
}
"""
The time after an event in which a notice about it may still be sent.

Offers and turns have an end of their own, which is usually earlier.
"""

SLOW: Final = timedelta(minutes=10)
"""
A decision with at least this much time gives a notice.

In faster games people watch the table.
"""

URGENT: Final[tuple[Kind, ...]] = ("your_turn", "place_offered", "start_changed")
"""The kinds that may wake a sleeping device."""
