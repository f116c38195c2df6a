"""The parts of a running tournament's state that directors and last hands change."""

from datetime import datetime

import msgspec

from engine.values import Chips, EntrantId, Seat, TableId


class OrderedMove(msgspec.Struct, frozen=True, kw_only=True):
    """A move that a director ordered. It waits until both tables are between hands."""

    entrant: EntrantId
    to_table: TableId
    to_seat: Seat | None


class Removal(msgspec.Struct, frozen=True, kw_only=True):
    """Chips of a disqualified entrant that still lie on a table."""

    entrant: EntrantId
    table: TableId


class Rest(msgspec.Struct, frozen=True, kw_only=True):
    """A break that has begun. No hand is opened until it has ended."""

    after_level: int | None
    """The level before the break, or None if a director began the break during a level."""

    since: datetime
    due: datetime
    """The end as the break began. The house ends it later if nobody could act meanwhile."""

    begun_by: int
    """The version of the event that began the break."""


class PlannedBreak(msgspec.Struct, frozen=True, kw_only=True):
    """A break that a director announced for the end of a level. 0 seconds means no break there."""

    level: int
    seconds: int


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """The last hand that a table plays after last hands have been called."""

    table: TableId
    last_hand: int


class LastHands(msgspec.Struct, frozen=True, kw_only=True):
    """The number of hands that each table still plays, and the tables counted so far."""

    hands: int
    counted: tuple[Counted, ...] = ()


class OutInRound(msgspec.Struct, frozen=True, kw_only=True):
    """An entrant who busted in the hand of hand-for-hand play that is not yet closed."""

    entrant: EntrantId
    table: TableId
    stack_at_start: Chips


class HandForHand(msgspec.Struct, frozen=True, kw_only=True):
    """Hand-for-hand play: all tables wait for each other after every hand."""

    playing: bool = False
    """True if every table may open a hand. If not, the hands in play are finished first."""

    out: tuple[OutInRound, ...] = ()


class FloorState(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a running tournament's state that directors and last hands change."""

    ordered: tuple[OrderedMove, ...] = ()
    held: tuple[TableId, ...] = ()
    """Tables that a director has stopped."""

    moved: tuple[EntrantId, ...] = ()
    """The entrants who have been moved, once for each move."""

    redrawn: tuple[int, ...] = ()
    """The numbers of tables at which seats have been redrawn."""

    disqualified: tuple[EntrantId, ...] = ()
    removing: tuple[Removal, ...] = ()

    planned: tuple[PlannedBreak, ...] = ()
    rest: Rest | None = None
    """The break that has begun, if any."""

    last_hands: LastHands | None = None
    round: int = 1
    """The number of the hand in hand-for-hand play, or 1 before it first began."""

    hand_for_hand: HandForHand | None = None
    bubble_played: bool = False
    """True if hand-for-hand play has begun by itself. It does so only once."""

    def last_hand_of(self, table: TableId) -> int | None:
        """Return the number of the last hand of *table*, or None if it has not been counted."""
        known = () if self.last_hands is None else self.last_hands.counted
        return next((each.last_hand for each in known if each.table == table), None)

    def ordered_for(self, entrant: EntrantId) -> OrderedMove | None:
        """Return the order to move *entrant*, or None."""
        return next((each for each in self.ordered if each.entrant == entrant), None)
