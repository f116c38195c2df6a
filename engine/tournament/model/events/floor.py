"""The events of the floor: a director's orders, and their consequences."""

from datetime import datetime
from typing import Literal

import msgspec

from engine.rulesets import Amounts
from engine.tournament.model.values import Candidate, Draw, Move
from engine.values import Chips, EntrantId, PlayerId, Seat, TableId, TextRef


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class _Ruling(_Event, frozen=True, kw_only=True):
    by: PlayerId
    """The director."""
    reason: TextRef
    rule: str


class MoveOrdered(_Ruling, frozen=True, kw_only=True, tag="move_ordered"):
    """A move was scheduled for when both tables are between hands."""

    entrant: EntrantId
    from_table: TableId
    from_seat: Seat
    to_table: TableId
    to_seat: Seat | None
    """Null for the worst legal seat at the time of the move."""
    candidates: tuple[Seat, ...]
    """The seats that were free when the move was ordered."""


class BreakingOrderChanged(_Ruling, frozen=True, kw_only=True, tag="breaking_order_changed"):
    before: tuple[int, ...]
    order: tuple[int, ...]
    """Table numbers, the first to break first."""


class TableHoldOrdered(_Ruling, frozen=True, kw_only=True, tag="table_hold_ordered"):
    """A director holds one table. It stops in the same append, even during a hand."""

    table: TableId


class TableReleased(_Ruling, frozen=True, kw_only=True, tag="table_released"):
    table: TableId


class EntrantWarned(_Ruling, frozen=True, kw_only=True, tag="entrant_warned"):
    entrant: EntrantId
    table: TableId


class PenaltyGiven(_Ruling, frozen=True, kw_only=True, tag="penalty_given"):
    """A director gave penalty hands. The table records them in the same append."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    hands: int
    """The number of penalty hands in this order, without those still to be served."""
    rounds: int | None
    players: int
    """The players at the table at that time, the offender included."""


class EntrantDisqualified(_Ruling, frozen=True, kw_only=True, tag="entrant_disqualified"):
    """An entrant was disqualified. A hand in play is folded, and the stack leaves play after it."""

    entrant: EntrantId
    player: PlayerId
    table: TableId | None
    """Null for an entrant without a seat who could still have rebought."""
    seat: Seat | None


class StackRemoved(_Event, frozen=True, kw_only=True, tag="stack_removed"):
    """The chips of a disqualified entrant left play."""

    entrant: EntrantId
    table: TableId
    chips: Chips
    rule: str


class SeatsRedrawn(_Event, frozen=True, kw_only=True, tag="seats_redrawn"):
    """All seats were drawn again. The moves leave out entrants who drew their own seat."""

    tables: int
    moves: tuple[Move, ...]
    rule: str
    candidates: tuple[Candidate, ...]
    draw: Draw


class ClockSet(_Ruling, frozen=True, kw_only=True, tag="clock_set"):
    """Staff set the level clock. ``amounts`` are in force from the next hand."""

    level: int
    amounts: Amounts
    seconds: int
    """The seconds that were added to the time left. Negative if they were taken."""
    at: datetime
    due: datetime | None
    """The instant of the next level. Null while the clock stands, and at the last level."""
    left_microseconds: int | None
    """The time left while the clock stands. Null while it runs, and at the last level."""


class BreakAnnounced(_Ruling, frozen=True, kw_only=True, tag="break_announced"):
    """A director called a break, or called off a planned one."""

    after_level: int | None
    """Null for a break at once, while hands in play go on to their end."""
    seconds: int


class BreakStarted(_Event, frozen=True, kw_only=True, tag="break_started"):
    """A break started. No hand opens until it ends, and hands in play are finished."""

    after_level: int | None
    at: datetime
    due: datetime
    cause: Literal["schedule", "director"]
    rule: str


class BreakEnded(_Event, frozen=True, kw_only=True, tag="break_ended"):
    at: datetime
    cause: Literal["due", "director"]
    by: PlayerId | None
    reason: TextRef | None
    rule: str


class LotDrawn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    A number was drawn from ``low`` to ``high``. Its seed has the use ``draws``, table 0, hand
    ``number``, label ``lot``.
    """

    number: int
    low: int
    high: int
    drawn: int


class LastHandsCalled(_Event, frozen=True, kw_only=True, tag="last_hands_called"):
    """
    Last hands were called. Every table plays ``hands`` more after the hand in play, and nobody
    moves any more.
    """

    hands: int
    draw: LotDrawn | None
    at: datetime
    by: PlayerId | None
    reason: TextRef | None
    rule: str


class LastHandsCounted(_Event, frozen=True, kw_only=True, tag="last_hands_counted"):
    """
    A table was between hands for the first time since last hands were called. Its last hand is
    now known.
    """

    table: TableId
    hand: int
    """The last hand that was opened."""
    last_hand: int
    rule: str


class HandForHandStarted(_Event, frozen=True, kw_only=True, tag="hand_for_hand_started"):
    """Hand-for-hand play started. After the hands in play, all tables wait for each other."""

    left: int
    paid: int
    cause: Literal["bubble", "left", "director"]
    by: PlayerId | None
    reason: TextRef | None
    rule: str


class RoundOpened(_Event, frozen=True, kw_only=True, tag="hand_for_hand_round_opened"):
    """In hand-for-hand play each of the tables opens one hand, with this number."""

    round: int
    tables: tuple[TableId, ...]
    rule: str


class RoundClosed(_Event, frozen=True, kw_only=True, tag="hand_for_hand_round_closed"):
    """
    Every table has played its hand of hand-for-hand play. Everyone who busted in it is placed.
    """

    round: int
    out: tuple[EntrantId, ...]
    rule: str


class HandForHandEnded(_Event, frozen=True, kw_only=True, tag="hand_for_hand_ended"):
    left: int
    cause: Literal["in_the_money", "one_table", "director"]
    by: PlayerId | None
    reason: TextRef | None
    rule: str


Event = (
    MoveOrdered
    | BreakingOrderChanged
    | TableHoldOrdered
    | TableReleased
    | EntrantWarned
    | PenaltyGiven
    | EntrantDisqualified
    | StackRemoved
    | SeatsRedrawn
    | ClockSet
    | BreakAnnounced
    | BreakStarted
    | BreakEnded
    | LastHandsCalled
    | LastHandsCounted
    | HandForHandStarted
    | RoundOpened
    | RoundClosed
    | HandForHandEnded
)
