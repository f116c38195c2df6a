"""What a running tournament keeps of its floor beside who sits where."""

from datetime import datetime

import msgspec

from engine.values import Chips, EntrantId, Seat, TableId


class OrderedMove(msgspec.Struct, frozen=True, kw_only=True):
    """A move that a director wants and that waits for both tables to be between hands."""

    entrant: EntrantId
    to_table: TableId
    to_seat: Seat | None


class Removal(msgspec.Struct, frozen=True, kw_only=True):
    """Chips of somebody who was disqualified that still lie on a table."""

    entrant: EntrantId
    table: TableId


class Rest(msgspec.Struct, frozen=True, kw_only=True):
    """A break that has begun: no hand is opened until it has ended."""

    after_level: int | None
    """The level it follows; none if a director began it in the middle of one."""

    due: datetime
    begun_by: int
    """Version of the event that began it."""


class PlannedBreak(msgspec.Struct, frozen=True, kw_only=True):
    """A break that a director has announced for the end of a level; 0 seconds for none there."""

    level: int
    seconds: int


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """Up to which hand a table plays when the last hands have been called."""

    table: TableId
    last_hand: int


class LastHands(msgspec.Struct, frozen=True, kw_only=True):
    """How many hands each table still plays, and for which tables they have been counted."""

    hands: int
    counted: tuple[Counted, ...] = ()


class OutInRound(msgspec.Struct, frozen=True, kw_only=True):
    """Who went out in the round that is still being played."""

    entrant: EntrantId
    table: TableId
    stack_at_start: Chips


class HandForHand(msgspec.Struct, frozen=True, kw_only=True):
    """All tables wait for each other after every hand."""

    playing: bool = False
    """Whether every table may open a hand of this round; else the hands in play are finished."""

    out: tuple[OutInRound, ...] = ()


class FloorState(msgspec.Struct, frozen=True, kw_only=True):
    """What a running tournament keeps of its floor beside who sits where."""

    ordered: tuple[OrderedMove, ...] = ()
    held: tuple[TableId, ...] = ()
    """Tables that a director has stopped."""

    moved: tuple[EntrantId, ...] = ()
    """Who has been moved, once for each time."""

    redrawn: tuple[int, ...] = ()
    """At how many tables the seats have been drawn anew."""

    disqualified: tuple[EntrantId, ...] = ()
    removing: tuple[Removal, ...] = ()

    planned: tuple[PlannedBreak, ...] = ()
    rest: Rest | None = None
    """The break that is on."""

    last_hands: LastHands | None = None
    round: int = 1
    """Of hand-for-hand play; 1 before it first began."""

    hand_for_hand: HandForHand | None = None
    bubble_played: bool = False
    """Whether hand-for-hand play has begun by itself: it does so once."""

    def last_hand_of(self, table: TableId) -> int | None:
        """Return the number of the last hand of *table*; None if it has not been counted."""
        known = () if self.last_hands is None else self.last_hands.counted
        return next((each.last_hand for each in known if each.table == table), None)

    def ordered_for(self, entrant: EntrantId) -> OrderedMove | None:
        """Return the order to move *entrant*, or None."""
        return next((each for each in self.ordered if each.entrant == entrant), None)
