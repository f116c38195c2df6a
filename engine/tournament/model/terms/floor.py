"""Terms of the floor: balance of tables, breaks, and the end of play."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

import msgspec

from engine.errors import Wording

TOLERANCE_MAX = 3
SHORT_MIN = 2


class BreakAfter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A break of ``seconds`` when ``level`` is over."""

    level: int
    """The number of the level after which the break comes."""

    seconds: int
    """The length of the break."""


class HandsDrawn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The range of last hands, of which one number is drawn."""

    low: int
    """The smallest number of hands."""

    high: int
    """The largest number of hands."""


class HandForHandTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The start and the rules of hand-for-hand play."""

    at_bubble: bool = False
    """True if it starts automatically when one entrant more than the paid places is left."""

    at_left: int | None = None
    """The number of entrants at which it starts automatically, or null for none."""

    ties: Literal["shared", "stack_at_start"] = "shared"
    """The placing of entrants who bust at several tables in the same hand of hand-for-hand play."""

    clock_seconds: int = 120
    """The seconds that one hand takes from the level clock, which otherwise stands."""


class FloorTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Terms of the floor: balance of tables, breaks, and the end of play."""

    size_tolerance: int = 1
    """The largest difference between table sizes before a player moves."""

    final_table_size: int | None = None
    """The number of entrants at which two tables become one. Null is the seats of one table."""

    redraw_at: tuple[int, ...] = ()
    """The numbers of tables at which all seats are drawn again. 1 is the final table."""

    halt_when_short: int | None = None
    """
    A table that has this many players fewer than the largest stops before a blind is missed.
    Null is never.
    """

    breaks: tuple[BreakAfter, ...] = ()
    """Breaks in ascending order of level. They need levels by the clock."""

    last_hands_at: datetime | None = None
    """The instant from which no hand opens, or only as many as are drawn."""

    last_hands: HandsDrawn | None = None
    """The range to draw from at that instant, or null if the hands in play are the last."""

    hand_for_hand: HandForHandTerms = HandForHandTerms()
    """The start of hand-for-hand play, and its rules."""


def problems(
    floor: FloorTerms, *, table_seats: int, seats_max: int, levels: int
) -> Iterable[tuple[str, bool, Wording]]:
    """
    Return each demand on the terms: the field, whether it is met, and the text.

    Args:
        seats_max: The largest number of seats at one table of the game.
        levels: The number of levels of the clock, or 0 if there is no clock.
    """
    return (*_of_tables(floor, table_seats, seats_max), *_of_course(floor, levels))


def _of_tables(
    floor: FloorTerms, table_seats: int, seats_max: int
) -> tuple[tuple[str, bool, Wording], ...]:
    final, short = floor.final_table_size, floor.halt_when_short
    return (
        (
            "floor.size_tolerance",
            1 <= floor.size_tolerance <= TOLERANCE_MAX,
            Wording(f"must be 1 to {TOLERANCE_MAX}"),
        ),
        (
            "floor.final_table_size",
            final is None or (table_seats - 2 <= final <= seats_max and final >= 2),
            Wording(f"must be {max(2, table_seats - 2)} to {seats_max}"),
        ),
        (
            "floor.redraw_at",
            all(each > 0 for each in floor.redraw_at)
            and list(floor.redraw_at) == sorted(set(floor.redraw_at), reverse=True),
            Wording("must name numbers of tables, descending"),
        ),
        (
            "floor.halt_when_short",
            short is None or short > max(SHORT_MIN, floor.size_tolerance),
            Wording("must be more than table sizes may lie apart, and 3 at least"),
        ),
    )


def _of_course(floor: FloorTerms, levels: int) -> tuple[tuple[str, bool, Wording], ...]:
    drawn, rounds = floor.last_hands, floor.hand_for_hand
    after = [each.level for each in floor.breaks]
    return (
        (
            "floor.breaks",
            after == sorted(set(after)) and all(1 <= level < levels for level in after),
            Wording("must follow levels of the clock, ascending, and never the last level"),
        ),
        (
            "floor.breaks",
            all(each.seconds > 0 for each in floor.breaks),
            Wording("must last a second at least"),
        ),
        (
            "floor.last_hands",
            drawn is None or 1 <= drawn.low <= drawn.high,
            Wording("low must be 1 at least, and not above high"),
        ),
        (
            "floor.hand_for_hand",
            (rounds.at_left is None or rounds.at_left > 1) and rounds.clock_seconds >= 0,
            Wording("at_left must be 2 at least, and clock_seconds not negative"),
        ),
    )
