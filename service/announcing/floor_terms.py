"""The terms of the floor: as a director writes them, and as the log holds them."""

from datetime import datetime, timedelta
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from engine.tournament.model.terms.floor import (
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
            "The numbers of tables at which all seats are redrawn, descending. 1 is the final "
            "table. The default is `[1]` in a freezeout for several tables, otherwise `[]`, "
            "which means never."
        )
    ),
]


class BreakTerms(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A break at the end of a level of the level clock."""

    level: Count
    """The number of the level after which the break comes."""

    seconds: Seconds
    """The length of the break."""


class LastHandsDrawn(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The range from which the number of last hands of each table is drawn."""

    low: Count
    """The smallest number of hands."""

    high: Count
    """The largest number of hands."""


class RoundTerms(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The conditions under which hand-for-hand play begins, and its rules."""

    at_bubble: bool = False
    """True if hand-for-hand play begins by itself with one entrant more than paid places."""

    at_left: Annotated[int, Meta(ge=2, le=100_000)] | None = None
    """The number of remaining entrants at which hand-for-hand play begins by itself."""

    ties: Literal["shared", "stack_at_start"] = "shared"
    """The placing of entrants who bust at several tables in the same hand of hand-for-hand play."""

    clock_seconds: Annotated[int, Meta(ge=0, le=3600)] = 120
    """The seconds that each hand takes from the level clock, which is otherwise stopped."""


class FloorWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The rules for balancing tables, for breaks, and for the end of play."""

    size_tolerance: Annotated[int, Meta(ge=1, le=3)] = 1
    """The largest difference between table sizes before an entrant is moved."""

    final_table_size: Annotated[int, Meta(ge=2, le=12)] | None = None
    """The number of entrants at which two tables become one. Null means the seats of a table."""

    redraw_at: Redraws | None = None

    halt_when_short: Annotated[int, Meta(ge=3, le=12)] | None = None
    """A table this many entrants short of the fullest stops before a blind is missed."""

    breaks: tuple[BreakTerms, ...] = ()
    """Breaks for levels by the level clock, ascending by level."""

    last_hands_at: Instant | None = None
    """The instant after which no hand is opened, or only the drawn number of hands."""

    last_hands_after_minutes: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    """The minutes from the announced start to that instant. `last_hands_at` takes precedence."""

    last_hands: LastHandsDrawn | None = None
    """The range for the draw of the last hands. Null means that hands in play are the last."""

    hand_for_hand: RoundTerms = msgspec.field(default_factory=RoundTerms)
    """The start of hand-for-hand play, and its rules."""

    def __post_init__(self) -> None:
        """Convert the instant to UTC, as the log holds it."""
        self.last_hands_at = None if self.last_hands_at is None else in_utc(self.last_hands_at)


def floor_terms(
    wanted: FloorWanted, *, starts_at: datetime, time_scale: int, final_table: bool
) -> FloorTerms:
    """
    Return the terms that *wanted* asks for. In a sandbox, breaks are scaled.

    Args:
      final_table: True if tables merge into a final one, for which seats are redrawn by default.
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
