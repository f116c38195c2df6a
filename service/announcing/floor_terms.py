"""How a director writes the terms of the floor, and what the log is asked to hold of them."""

from datetime import datetime, timedelta
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from engine.tournament.model.terms_floor import (
    BreakAfter,
    FloorTerms,
    HandForHandTerms,
    HandsDrawn,
)
from service.announcing.inputs import Instant, in_utc

Seconds = Annotated[int, Meta(ge=1, le=86_400)]
Count = Annotated[int, Meta(ge=1, le=1000)]


Redraws = Annotated[
    tuple[Count, ...],
    Meta(
        description=(
            "When so many tables are left all seats are drawn again, descending; 1 is the final "
            "table.  Left out it is `[1]` in a freezeout for several tables; `[]` for never."
        )
    ),
]


class BreakTerms(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A break when a level of the clock is over."""

    level: Count
    seconds: Seconds


class LastHandsDrawn(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """From how many to how many hands a table may still play; one number is drawn."""

    low: Count
    high: Count


class RoundTerms(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """When all tables begin to wait for each other after every hand, and what that means."""

    at_bubble: bool = False
    """Whether by itself as soon as one entrant too many is left for the paid places."""

    at_left: Annotated[int, Meta(ge=2, le=100_000)] | None = None
    """Whether by itself when so many are left."""

    ties: Literal["shared", "stack_at_start"] = "shared"
    """How those are placed who go out at several tables in one round."""

    clock_seconds: Annotated[int, Meta(ge=0, le=3600)] = 120
    """What one round takes from the level clock, which stands otherwise."""


class FloorWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """How tables are kept even, when play breaks, and how it ends together."""

    size_tolerance: Annotated[int, Meta(ge=1, le=3)] = 1
    """How far table sizes may lie apart before somebody is moved."""

    final_table_size: Annotated[int, Meta(ge=2, le=12)] | None = None
    """With how many left one table is made of two; null for the seats of a table."""

    redraw_at: Redraws | None = None

    halt_when_short: Annotated[int, Meta(ge=3, le=12)] | None = None
    """A table so many short of the fullest stops before a blind is missed."""

    breaks: tuple[BreakTerms, ...] = ()
    """Where levels go by the clock, ascending by level."""

    last_hands_at: Instant | None = None
    """From when on no hand is opened, or only as many as are drawn."""

    last_hands_after_minutes: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    """The same, counted from the announced start; an instant goes before it."""

    last_hands: LastHandsDrawn | None = None
    """What is drawn from then; null: hands in play are the last."""

    hand_for_hand: RoundTerms = msgspec.field(default_factory=RoundTerms)

    def __post_init__(self) -> None:
        """Put the instant into UTC, as the log has it."""
        self.last_hands_at = None if self.last_hands_at is None else in_utc(self.last_hands_at)


def floor_terms(
    wanted: FloorWanted, *, starts_at: datetime, time_scale: int, final_table: bool
) -> FloorTerms:
    """
    Return what *wanted* says of a tournament that starts then; a sandbox's breaks are scaled.

    Args:
        final_table: Whether tables merge into a final one, whose seats are drawn by default.
    """
    ends = wanted.last_hands_at
    if ends is None and wanted.last_hands_after_minutes is not None:
        ends = starts_at + timedelta(minutes=wanted.last_hands_after_minutes) / time_scale
    drawn, rounds, redraws = wanted.last_hands, wanted.hand_for_hand, wanted.redraw_at
    if redraws is None:
        redraws = (1,) if final_table else ()
    return FloorTerms(
        size_tolerance=wanted.size_tolerance,
        final_table_size=wanted.final_table_size,
        redraw_at=redraws,
        halt_when_short=wanted.halt_when_short,
        breaks=tuple(
            BreakAfter(level=each.level, seconds=max(1, each.seconds // time_scale))
            for each in wanted.breaks
        ),
        last_hands_at=ends,
        last_hands=None if drawn is None else HandsDrawn(low=drawn.low, high=drawn.high),
        hand_for_hand=HandForHandTerms(
            at_bubble=rounds.at_bubble,
            at_left=rounds.at_left,
            ties=rounds.ties,
            clock_seconds=rounds.clock_seconds,
        ),
    )
