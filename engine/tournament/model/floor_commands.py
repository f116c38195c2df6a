"""What a director can ask of the floor, and what time and tables ask of it."""

from datetime import datetime

import msgspec

from engine.tournament.model.values import Candidate, Draw, Move
from engine.values import Chips, EntrantId, PlayerId, Seat, TableId, TextRef


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class _Ruling(_Command, frozen=True, kw_only=True):
    """By whom, and why, in the words that are kept."""

    by: PlayerId
    reason: TextRef
    now: datetime


class OrderMove(_Ruling, frozen=True, kw_only=True, tag="order_move"):
    """Move an entrant to another table as soon as both are between hands."""

    entrant: EntrantId
    to_table: TableId
    to_seat: Seat | None = None
    """None for the worst legal seat there."""


class ChangeBreakingOrder(_Ruling, frozen=True, kw_only=True, tag="change_breaking_order"):
    """Have the open tables break in another order."""

    order: tuple[int, ...]
    """Numbers of all open tables, the first to break first."""


class HoldOneTable(_Ruling, frozen=True, kw_only=True, tag="hold_one_table"):
    """Stop one table, in the middle of a hand too."""

    table: TableId


class ReleaseTable(_Ruling, frozen=True, kw_only=True, tag="release_table"):
    """Let a table go on."""

    table: TableId


class Warn(_Ruling, frozen=True, kw_only=True, tag="warn"):
    """Warn an entrant, for the record."""

    entrant: EntrantId


class Penalise(_Ruling, frozen=True, kw_only=True, tag="penalise"):
    """Have an entrant miss hands, or rounds of the table."""

    entrant: EntrantId
    hands: int | None = None
    rounds: int | None = None
    """One of the two; a round is as many hands as the table has players now."""


class Disqualify(_Ruling, frozen=True, kw_only=True, tag="disqualify"):
    """Put an entrant out; the chips leave play."""

    entrant: EntrantId


class RecordRemoval(_Command, frozen=True, kw_only=True, tag="record_removal"):
    """The chips of those who were disqualified have been taken from one table."""

    table: TableId
    stacks: tuple[tuple[EntrantId, Chips], ...]
    now: datetime


class RecordRedraw(_Command, frozen=True, kw_only=True, tag="record_redraw"):
    """All tables are idle, and everybody takes the seat that was drawn."""

    moves: tuple[Move, ...]
    """Of everyone whose seat changes."""
    rule: str
    candidates: tuple[Candidate, ...]
    draw: Draw
    now: datetime


class AnnounceBreak(_Ruling, frozen=True, kw_only=True, tag="announce_break"):
    """Begin a break now, or plan one for the end of a level."""

    seconds: int
    """0, for a level to come: no break there after all."""

    after_level: int | None = None
    """None: as soon as the hands in play are over."""


class EndBreak(_Ruling, frozen=True, kw_only=True, tag="end_break"):
    """End a break before its time."""


class EndDueBreak(_Command, frozen=True, kw_only=True, tag="end_due_break"):
    """End the break that is due; one that has ended, or another, is left alone."""

    begun_by: int
    now: datetime


class CallLastHands(_Command, frozen=True, kw_only=True, tag="call_last_hands"):
    """Open no more hands than are drawn, or none: the hour has come, or a director says so."""

    by: PlayerId | None = None
    """None when it is the hour that was announced."""
    reason: TextRef | None = None
    now: datetime


class CountLastHands(_Command, frozen=True, kw_only=True, tag="count_last_hands"):
    """Count the last hands of a table from the one that was opened last."""

    table: TableId
    hand_number: int
    now: datetime


class StartHandForHand(_Ruling, frozen=True, kw_only=True, tag="start_hand_for_hand"):
    """Have all tables wait for each other after every hand, from the hands in play on."""


class EndHandForHand(_Ruling, frozen=True, kw_only=True, tag="end_hand_for_hand"):
    """Have no table wait for others any more; who went out in this round is placed now."""


class OpenRound(_Command, frozen=True, kw_only=True, tag="open_round"):
    """All tables are between hands: each opens one hand of the next round."""

    now: datetime


class CloseRound(_Command, frozen=True, kw_only=True, tag="close_round"):
    """All tables have played their hand of the round: place who went out in it."""

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
