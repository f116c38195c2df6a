"""The directives that a tournament can give a table between two hands."""

from typing import Literal

import msgspec

from engine.tournament.model.values import (
    Candidate,
    Draw,
    FinishRule,
    LevelClock,
    Move,
    Promised,
    Standing,
)
from engine.tournament.model.values.rounds import TableEnd
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
    """Open the next hand, at least ``wait_seconds`` after the last was settled."""

    last: bool
    """True if this is the last hand by a fixed number of hands, or breaks a tie."""

    wait_seconds: int
    until_all_dealt: bool = False
    """True if this is also the last hand if everybody has dealt after it."""

    only: tuple[EntrantId, ...] = ()
    """In a sudden-death hand, the entrants who are tied for the first place."""

    clock: LevelClock | None = None
    """The level in force, if levels go by the clock."""

    round: int = 1
    """The number of the hand in hand-for-hand play, or 1 outside it."""


class LetGo(msgspec.Struct, frozen=True, kw_only=True):
    """Entrants who leave a casino give up their seats."""

    entrants: tuple[EntrantId, ...]


class BringIn(msgspec.Struct, frozen=True, kw_only=True):
    """Promised chips come to the table."""

    promised: tuple[Promised, ...]


class Purge(msgspec.Struct, frozen=True, kw_only=True):
    """Seated no-shows are out, and their stacks leave play."""

    entrants: tuple[EntrantId, ...]


class CloseRebuys(msgspec.Struct, frozen=True, kw_only=True):
    """Entrants who did not rebuy are out, ``wait_seconds`` after the last hand was settled."""

    wait_seconds: int


class Remove(msgspec.Struct, frozen=True, kw_only=True):
    """The chips of disqualified entrants leave play."""

    entrants: tuple[EntrantId, ...]


class CountHands(msgspec.Struct, frozen=True, kw_only=True):
    """The last hands are counted from the hand that was opened last."""

    hand_number: int


class NextRound(msgspec.Struct, frozen=True, kw_only=True):
    """Every table opens one more hand, and then waits for the others."""


class EndRound(msgspec.Struct, frozen=True, kw_only=True):
    """Every table has played its hand of hand-for-hand play, at least ``wait_seconds`` ago."""

    wait_seconds: int
    since: tuple[TableId, ...] = ()
    """Tables with an open window. ``wait_seconds`` counts from the last hand of each."""


class Redraw(msgspec.Struct, frozen=True, kw_only=True):
    """Everybody takes the seat that was drawn. All tables are between hands."""

    moves: tuple[Move, ...]
    rule: str
    candidates: tuple[Candidate, ...]
    draw: Draw


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    reason: HoldReason


class MoveOut(msgspec.Struct, frozen=True, kw_only=True):
    table: TableId
    """The table that gives entrants: the one that asks, or another idle table."""
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

    rule: FinishRule
    stacks: tuple[Standing, ...]


class Close(msgspec.Struct, frozen=True, kw_only=True):
    """The table has nothing left to play for."""

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
