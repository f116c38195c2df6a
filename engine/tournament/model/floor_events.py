"""What can have happened on the floor: rulings of a director, and what the floor did by itself."""

from datetime import datetime
from typing import Literal

import msgspec

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
    """An entrant is to be moved as soon as both tables are between hands."""

    entrant: EntrantId
    from_table: TableId
    from_seat: Seat
    to_table: TableId
    to_seat: Seat | None
    """None for the worst legal seat at that time."""
    candidates: tuple[Seat, ...]
    """Seats that were free there when it was ordered."""


class BreakingOrderChanged(_Ruling, frozen=True, kw_only=True, tag="breaking_order_changed"):
    before: tuple[int, ...]
    order: tuple[int, ...]
    """Table numbers, the first to break first."""


class TableHoldOrdered(_Ruling, frozen=True, kw_only=True, tag="table_hold_ordered"):
    """One table stands; in the same append it stops, in the middle of a hand too."""

    table: TableId


class TableReleased(_Ruling, frozen=True, kw_only=True, tag="table_released"):
    table: TableId


class EntrantWarned(_Ruling, frozen=True, kw_only=True, tag="entrant_warned"):
    entrant: EntrantId
    table: TableId


class PenaltyGiven(_Ruling, frozen=True, kw_only=True, tag="penalty_given"):
    """Hands to be missed; in the same append the table takes note of them."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    hands: int
    """In all, beside what is still to be served of earlier ones."""
    rounds: int | None
    players: int
    """At the table when it was given, the offender included."""


class EntrantDisqualified(_Ruling, frozen=True, kw_only=True, tag="entrant_disqualified"):
    """Somebody is out at once; a hand in play is folded and the stack leaves play after it."""

    entrant: EntrantId
    player: PlayerId
    table: TableId | None
    """None for somebody who had no seat any more and might still have bought one."""
    seat: Seat | None


class StackRemoved(_Event, frozen=True, kw_only=True, tag="stack_removed"):
    """The chips of somebody who was disqualified have left play."""

    entrant: EntrantId
    table: TableId
    chips: Chips
    rule: str


class SeatsRedrawn(_Event, frozen=True, kw_only=True, tag="seats_redrawn"):
    """Everybody drew a new seat; who drew the own one is not among the moves."""

    tables: int
    moves: tuple[Move, ...]
    rule: str
    candidates: tuple[Candidate, ...]
    draw: Draw


class BreakAnnounced(_Ruling, frozen=True, kw_only=True, tag="break_announced"):
    """A director wants a break, or none where there would be one."""

    after_level: int | None
    """None: as soon as the hands in play are over."""
    seconds: int


class BreakStarted(_Event, frozen=True, kw_only=True, tag="break_started"):
    """No hand is opened until it ends; hands in play go on to their end."""

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
    """A number drawn from ``low`` to ``high``: use ``draws``, table 0, hand ``number``, ``lot``."""

    number: int
    low: int
    high: int
    drawn: int


class LastHandsCalled(_Event, frozen=True, kw_only=True, tag="last_hands_called"):
    """Every table plays ``hands`` more hands after the one in play; nobody is moved any more."""

    hands: int
    draw: LotDrawn | None
    at: datetime
    by: PlayerId | None
    reason: TextRef | None
    rule: str


class LastHandsCounted(_Event, frozen=True, kw_only=True, tag="last_hands_counted"):
    """A table was between hands for the first time since: which hand will be its last."""

    table: TableId
    hand: int
    """The hand opened last."""
    last_hand: int
    rule: str


class HandForHandStarted(_Event, frozen=True, kw_only=True, tag="hand_for_hand_started"):
    """From the hands in play on, all tables wait for each other."""

    left: int
    paid: int
    cause: Literal["bubble", "left", "director"]
    by: PlayerId | None
    reason: TextRef | None
    rule: str


class RoundOpened(_Event, frozen=True, kw_only=True, tag="hand_for_hand_round_opened"):
    """Each of the tables opens one hand; it bears the number of the round."""

    round: int
    tables: tuple[TableId, ...]
    rule: str


class RoundClosed(_Event, frozen=True, kw_only=True, tag="hand_for_hand_round_closed"):
    """Every table has played its hand; who went out in it has been placed."""

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
