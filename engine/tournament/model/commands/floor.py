"""The commands of directors, of the clock and of tables while a tournament runs."""

from datetime import datetime

import msgspec

from engine.tournament.model.values import Candidate, Draw, Move
from engine.values import Chips, EntrantId, PlayerId, Seat, TableId, TextRef


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class _Ruling(_Command, frozen=True, kw_only=True):
    """The director who decided, and the reason as a stored text."""

    by: PlayerId
    reason: TextRef
    now: datetime


class OrderMove(_Ruling, frozen=True, kw_only=True, tag="order_move"):
    """Move an entrant to another table as soon as both are between hands."""

    entrant: EntrantId
    to_table: TableId
    to_seat: Seat | None = None
    """None means the worst legal seat there."""


class ChangeBreakingOrder(_Ruling, frozen=True, kw_only=True, tag="change_breaking_order"):
    """Change the order in which the open tables break."""

    order: tuple[int, ...]
    """Numbers of all open tables. The first one breaks first."""


class HoldOneTable(_Ruling, frozen=True, kw_only=True, tag="hold_one_table"):
    """Stop one table, even during a hand."""

    table: TableId


class ReleaseTable(_Ruling, frozen=True, kw_only=True, tag="release_table"):
    """Let a held table play on."""

    table: TableId


class Warn(_Ruling, frozen=True, kw_only=True, tag="warn"):
    """Warn an entrant, for the record."""

    entrant: EntrantId


class Penalise(_Ruling, frozen=True, kw_only=True, tag="penalise"):
    """Make an entrant sit out a number of hands, or of penalty rounds."""

    entrant: EntrantId
    hands: int | None = None
    rounds: int | None = None
    """
    Instead of ``hands``. A penalty round is as many hands as the table has players now.
    """


class Disqualify(_Ruling, frozen=True, kw_only=True, tag="disqualify"):
    """Eliminate an entrant. The chips leave play."""

    entrant: EntrantId


class RecordRemoval(_Command, frozen=True, kw_only=True, tag="record_removal"):
    """Record that the chips of disqualified entrants have been taken from one table."""

    table: TableId
    stacks: tuple[tuple[EntrantId, Chips], ...]
    now: datetime


class RecordRedraw(_Command, frozen=True, kw_only=True, tag="record_redraw"):
    """Record that everybody takes the seat that was drawn. All tables are idle."""

    moves: tuple[Move, ...]
    """The moves of all entrants who change seats."""
    rule: str
    candidates: tuple[Candidate, ...]
    draw: Draw
    now: datetime


class SetClock(_Ruling, frozen=True, kw_only=True, tag="set_clock"):
    """Go to a level of the clock, or change the time that is left."""

    level: int | None = None
    """The level to go to, which begins whole. None keeps the level in force."""
    seconds: int = 0
    """Seconds to add to the time left. A negative number takes time."""


class AnnounceBreak(_Ruling, frozen=True, kw_only=True, tag="announce_break"):
    """Begin a break now, or plan one for the end of a level."""

    seconds: int
    """0 cancels the break planned after ``after_level``."""

    after_level: int | None = None
    """None means at once. Hands in play go on to their end, and their time counts."""


class EndBreak(_Ruling, frozen=True, kw_only=True, tag="end_break"):
    """End a break before its time."""


class EndDueBreak(_Command, frozen=True, kw_only=True, tag="end_due_break"):
    """End the break that is due. If it has ended, or another one runs, nothing happens."""

    begun_by: int
    now: datetime


class CallLastHands(_Command, frozen=True, kw_only=True, tag="call_last_hands"):
    """Call the last hands, at the announced time or by a director. The number may be 0."""

    by: PlayerId | None = None
    """None at the announced time."""
    reason: TextRef | None = None
    now: datetime


class CountLastHands(_Command, frozen=True, kw_only=True, tag="count_last_hands"):
    """Count the last hands of a table from the hand that was opened last."""

    table: TableId
    hand_number: int
    now: datetime


class StartHandForHand(_Ruling, frozen=True, kw_only=True, tag="start_hand_for_hand"):
    """Begin hand-for-hand play, once the hands in play are over."""


class EndHandForHand(_Ruling, frozen=True, kw_only=True, tag="end_hand_for_hand"):
    """End hand-for-hand play and place everyone who busted in its present hand."""


class OpenRound(_Command, frozen=True, kw_only=True, tag="open_round"):
    """Let each table open its next hand of hand-for-hand play. All tables are between hands."""

    now: datetime


class CloseRound(_Command, frozen=True, kw_only=True, tag="close_round"):
    """Place everyone who busted in this hand of hand-for-hand play. All tables have played it."""

    now: datetime


Command = (
    OrderMove
    | ChangeBreakingOrder
    | HoldOneTable
    | ReleaseTable
    | Warn
    | Penalise
    | Disqualify
    | RecordRemoval
    | RecordRedraw
    | SetClock
    | AnnounceBreak
    | EndBreak
    | EndDueBreak
    | CallLastHands
    | CountLastHands
    | StartHandForHand
    | EndHandForHand
    | OpenRound
    | CloseRound
)
