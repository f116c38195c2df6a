"""How tables are kept even, when play breaks, and how it ends together."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

import msgspec

TOLERANCE_MAX = 3
SHORT_MIN = 2


class BreakAfter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A break when ``level`` is over, ``seconds`` long."""

    level: int
    seconds: int


class HandsDrawn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From how many to how many hands a table may still play at the end; one number is drawn."""

    low: int
    high: int


class HandForHandTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When all tables begin to wait for each other after every hand, and what that means."""

    at_bubble: bool = False
    """Whether by itself as soon as one entrant too many is left for the paid places."""

    at_left: int | None = None
    """Whether by itself when so many are left; none for no number."""

    ties: Literal["shared", "stack_at_start"] = "shared"
    """How those are placed who go out at several tables in one round."""

    clock_seconds: int = 120
    """What one round takes from the level clock, which stands otherwise."""


class FloorTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How tables are kept even, when play breaks, and how it ends together."""

    size_tolerance: int = 1
    """How far table sizes may lie apart before somebody is moved."""

    final_table_size: int | None = None
    """With how many left one table is made of two; none for the seats of a table."""

    redraw_at: tuple[int, ...] = ()
    """When so many tables are left all seats are drawn anew; 1 is the final table."""

    halt_when_short: int | None = None
    """A table so many short of the fullest stops before a blind is missed; none for never."""

    breaks: tuple[BreakAfter, ...] = ()
    """Where levels go by the clock, ascending by level."""

    last_hands_at: datetime | None = None
    """From when on no hand is opened, or only as many as are drawn."""

    last_hands: HandsDrawn | None = None
    """What is drawn from then; none: hands in play are the last."""

    hand_for_hand: HandForHandTerms = HandForHandTerms()


def problems(
    floor: FloorTerms, *, table_seats: int, seats_max: int, levels: int
) -> Iterable[tuple[str, bool, str]]:
    """
    Return each demand on the terms: the field, whether it is met, and what it says.

    Args:
        seats_max: How many the game can seat at one table.
        levels: How many levels the clock goes through; 0 where it has no say.
    """
    return (*_of_tables(floor, table_seats, seats_max), *_of_course(floor, levels))


def _of_tables(
    floor: FloorTerms, table_seats: int, seats_max: int
) -> tuple[tuple[str, bool, str], ...]:
    final, short = floor.final_table_size, floor.halt_when_short
    return (
        (
            "floor.size_tolerance",
            1 <= floor.size_tolerance <= TOLERANCE_MAX,
            f"must be 1 to {TOLERANCE_MAX}",
        ),
        (
            "floor.final_table_size",
            final is None or (table_seats - 2 <= final <= seats_max and final >= 2),
            f"must be {max(2, table_seats - 2)} to {seats_max}",
        ),
        (
            "floor.redraw_at",
            all(each > 0 for each in floor.redraw_at)
            and list(floor.redraw_at) == sorted(set(floor.redraw_at), reverse=True),
            "must name numbers of tables, descending",
        ),
        (
            "floor.halt_when_short",
            short is None or short > max(SHORT_MIN, floor.size_tolerance),
            "must be more than table sizes may lie apart, and 3 at least",
        ),
    )


def _of_course(floor: FloorTerms, levels: int) -> tuple[tuple[str, bool, str], ...]:
    drawn, rounds = floor.last_hands, floor.hand_for_hand
    after = [each.level for each in floor.breaks]
    return (
        (
            "floor.breaks",
            after == sorted(set(after)) and all(1 <= level < levels for level in after),
            "must come after levels of the clock that another follows, ascending",
        ),
        (
            "floor.breaks",
            all(each.seconds > 0 for each in floor.breaks),
            "must last a second at least",
        ),
        (
            "floor.last_hands",
            drawn is None or 1 <= drawn.low <= drawn.high,
            "must be drawn from 1 on",
        ),
        (
            "floor.hand_for_hand",
            (rounds.at_left is None or rounds.at_left > 1) and rounds.clock_seconds >= 0,
            "must begin with two left at least, and cost no negative time",
        ),
    )
