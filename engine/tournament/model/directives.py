"""What a tournament can have a table do between two hands."""

from typing import Literal

import msgspec

from engine.tournament.model.rounds_values import TableEnd
from engine.tournament.model.values import Candidate, Draw, LevelClock, Move, Promised, Standing
from engine.values import EntrantId, TableId

HoldReason = Literal[
    "not_started",
    "hand_in_play",
    "paused",
    "waiting_for_entrants",
    "breaking",
    "balancing",
    "hands_max",
    "closing",
    "round_over",
    "held",
    "break",
    "ordered_move",
    "hand_for_hand",
    "redraw",
    "short",
    "players_away",
]


class Open(msgspec.Struct, frozen=True, kw_only=True):
    """Open the next hand, ``wait_seconds`` after the last was settled at the earliest."""

    last: bool
    """Whether it is the last by a number of hands, or breaks a tie."""

    wait_seconds: int
    until_all_dealt: bool = False
    """Whether it is the last too if nobody has still to deal after it."""

    only: tuple[EntrantId, ...] = ()
    """In a sudden-death hand: those who are tied for the first place."""

    clock: LevelClock | None = None
    """The level in force, where levels go by the clock."""

    round: int = 1
    """Of hand-for-hand play; 1 outside it."""


class LetGo(msgspec.Struct, frozen=True, kw_only=True):
    """Who leaves a casino gives up the seat."""

    entrants: tuple[EntrantId, ...]


class BringIn(msgspec.Struct, frozen=True, kw_only=True):
    """What was promised comes to the table."""

    promised: tuple[Promised, ...]


class Purge(msgspec.Struct, frozen=True, kw_only=True):
    """Who was seated absent and never came is out, and the stacks leave play."""

    entrants: tuple[EntrantId, ...]


class CloseRebuys(msgspec.Struct, frozen=True, kw_only=True):
    """Who has not come back is out, ``wait_seconds`` after the last hand was settled."""

    wait_seconds: int


class Remove(msgspec.Struct, frozen=True, kw_only=True):
    """The chips of who was disqualified leave play."""

    entrants: tuple[EntrantId, ...]


class CountHands(msgspec.Struct, frozen=True, kw_only=True):
    """The last hands are counted from the one that was opened last."""

    hand_number: int


class NextRound(msgspec.Struct, frozen=True, kw_only=True):
    """Every table opens one hand more, and then waits for the others."""


class EndRound(msgspec.Struct, frozen=True, kw_only=True):
    """Every table has played its hand of the round, ``wait_seconds`` ago at least."""

    wait_seconds: int
    since: tuple[TableId, ...] = ()
    """Tables with a window: so long each of them must have been done."""


class Redraw(msgspec.Struct, frozen=True, kw_only=True):
    """Everybody takes the seat that was drawn; all tables are between hands."""

    moves: tuple[Move, ...]
    rule: str
    candidates: tuple[Candidate, ...]
    draw: Draw


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    reason: HoldReason


class MoveOut(msgspec.Struct, frozen=True, kw_only=True):
    table: TableId
    """Who gives: the table that asks, or another idle one of which it takes."""
    moves: tuple[Move, ...]
    rule: str
    candidates: tuple[Candidate, ...]
    draw: Draw | None


class Break(msgspec.Struct, frozen=True, kw_only=True):
    table: TableId
    moves: tuple[Move, ...]
    carry_to: TableId
    rule: str
    candidates: tuple[Candidate, ...]
    draw: Draw | None
    final: bool


class Finish(msgspec.Struct, frozen=True, kw_only=True):
    """Every table has played its last hand."""

    rule: Literal[
        "finish.hands_max",
        "finish.each_dealt_once",
        "finish.too_few_stacks",
        "finish.closed",
        "finish.deal",
        "finish.last_hands",
    ]
    stacks: tuple[Standing, ...]


class Close(msgspec.Struct, frozen=True, kw_only=True):
    """The table has no more to play for."""

    reason: Literal["finished", "cancelled", "broken"]


class RoundOver(msgspec.Struct, frozen=True, kw_only=True):
    """Every table has played its hands of a scheduled round."""

    round: int
    tables: tuple[TableEnd, ...]


Directive = (
    RoundOver
    | LetGo
    | BringIn
    | Purge
    | CloseRebuys
    | Remove
    | CountHands
    | NextRound
    | EndRound
    | Redraw
    | Open
    | Hold
    | MoveOut
    | Break
    | Finish
    | Close
)
