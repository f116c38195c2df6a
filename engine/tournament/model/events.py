"""
What can have happened to a tournament.

The tag of an event is its name in storage.  It is written out, never derived
from the class name, and never changes once an event with it has been stored.
"""

from datetime import datetime
from typing import Literal

import msgspec

from engine.rulesets import Amounts
from engine.tournament.model import correcting_events as correcting
from engine.tournament.model import entering_events as entering
from engine.tournament.model import fairness_events as fairness
from engine.tournament.model import floor_events as floor
from engine.tournament.model import freezing_events as freezing
from engine.tournament.model import heads_events as heads
from engine.tournament.model import money_events as of_money
from engine.tournament.model import rounds_events as rounds
from engine.tournament.model.terms_announced import Terms
from engine.tournament.model.values import (
    Candidate,
    Draw,
    Move,
    Payout,
    Placing,
    SeatAssignment,
)
from engine.values import (
    Chips,
    EntrantId,
    HexDigest,
    PlayerId,
    Sealed,
    Seat,
    TableId,
    TextRef,
)


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class TournamentAnnounced(Terms, frozen=True, kw_only=True, tag="tournament_announced"):
    """The terms, whole; a state keeps this event as its terms."""


class RegistrationOpened(_Event, frozen=True, kw_only=True, tag="registration_opened"):
    """Both masters are committed to before anyone has entered; rulebook 2.5."""

    cards_commitment: HexDigest
    open_commitment: HexDigest
    cards: Sealed[str]
    open: Sealed[str]


class EntrantRegistered(_Event, frozen=True, kw_only=True, tag="entrant_registered"):
    entrant: EntrantId
    player: PlayerId
    bot: bool
    number: int
    """Order of registration, from 1; numbers of the withdrawn are not used again."""


class EntrantWithdrawn(_Event, frozen=True, kw_only=True, tag="entrant_withdrawn"):
    entrant: EntrantId


class RegistrationClosed(_Event, frozen=True, kw_only=True, tag="registration_closed"):
    entrants: int


class SeatsDrawn(_Event, frozen=True, kw_only=True, tag="seats_drawn"):
    """The draw's outcome, and in which order tables will break."""

    rule: str
    draw: Draw
    assignments: tuple[SeatAssignment, ...]
    breaking_order: tuple[int, ...]
    """Table numbers, the first to break first."""


class PlayStarted(_Event, frozen=True, kw_only=True, tag="play_started"):
    tables: tuple[TableId, ...]
    entrants: int


class TournamentPaused(_Event, frozen=True, kw_only=True, tag="tournament_paused"):
    reason: str
    """A slug, or the id of a text."""
    words: TextRef | None = None
    """The words that ``reason`` names; null for a slug, and in version 1."""


class TournamentResumed(_Event, frozen=True, kw_only=True, tag="tournament_resumed"):
    pass


class ClockStarted(_Event, frozen=True, kw_only=True, tag="clock_started"):
    """The level clock runs, for the first time or again; ``amounts`` are in force."""

    level: int
    amounts: Amounts
    at: datetime
    """From when it counts as running: the end of an outage lies before the event."""

    due: datetime | None
    """When the next level comes if nothing stops the clock; none at the last level."""

    cause: Literal["play_started", "resumed", "outage"]
    rule: str


class ClockStopped(_Event, frozen=True, kw_only=True, tag="clock_stopped"):
    """The level clock stands: what is left of the level is kept."""

    level: int
    at: datetime
    """From when it counts as standing: the last heartbeat before an outage."""

    left_microseconds: int
    cause: Literal["paused", "outage"]
    rule: str


class LevelRaised(_Event, frozen=True, kw_only=True, tag="level_raised"):
    """In force for every hand opened from now on; a hand in play is finished at its own level."""

    level: int
    amounts: Amounts
    at: datetime
    due: datetime | None
    """When the next level comes: counted from when this one was due, however late it is."""

    rule: str


class EntrantBusted(_Event, frozen=True, kw_only=True, tag="entrant_busted"):
    entrant: EntrantId
    table: TableId
    hand: int
    round: int
    stack_at_start: Chips


class EntrantEliminated(_Event, frozen=True, kw_only=True, tag="entrant_eliminated"):
    """Somebody is out for good: at the bust, or when its window has closed."""

    entrant: EntrantId
    player: PlayerId
    place: int
    shared: int
    rule: str


class RebuyDeclared(_Event, frozen=True, kw_only=True, tag="rebuy_declared"):
    """A new stack is owed, and comes when the last chip goes."""

    entrant: EntrantId
    rule: str


class RebuyWindowOpened(_Event, frozen=True, kw_only=True, tag="rebuy_window_opened"):
    """A bust is no elimination yet: until the table's next hand it may be bought back."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    hand: int
    stack_at_start: Chips
    buys: bool
    """Whether by a rebuy; else only by staking a thing."""
    rule: str


class RebuyTaken(_Event, frozen=True, kw_only=True, tag="rebuy_taken"):
    """A starting stack was bought; in the same append it is brought to the table."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    chips: Chips
    number: int
    """Of this entrant's rebuys, from 1."""
    rule: str


class ItemStaked(_Event, frozen=True, kw_only=True, tag="item_staked"):
    """A thing went into escrow; its value in chips is brought to the table."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    item: str
    value: Chips
    rule: str


class ItemPassed(_Event, frozen=True, kw_only=True, tag="item_passed"):
    """Who had staked a thing is broke again; it belongs to the winner of the main pot."""

    item: str
    value: Chips
    giver: EntrantId
    taker: EntrantId
    rule: str


class ItemReturned(_Event, frozen=True, kw_only=True, tag="item_returned"):
    """A thing left escrow for its value in chips, which leave the table."""

    entrant: EntrantId
    table: TableId
    item: str
    value: Chips
    rule: str


class ChipsPromised(_Event, frozen=True, kw_only=True, tag="chips_promised"):
    """Somebody sits down, or brings more chips, before the next hand is opened."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    chips: Chips
    newcomer: bool
    rule: str


class ChipsBrought(_Event, frozen=True, kw_only=True, tag="chips_brought"):
    """What was promised has come to the table in the same append."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    chips: Chips
    rule: str


class LeaveDeclared(_Event, frozen=True, kw_only=True, tag="leave_declared"):
    """Somebody leaves as soon as no hand is in play."""

    entrant: EntrantId
    table: TableId
    rule: str


class EntrantCashedOut(_Event, frozen=True, kw_only=True, tag="entrant_cashed_out"):
    """Somebody has left, and taken *stack* away."""

    entrant: EntrantId
    table: TableId
    stack: Chips
    rule: str


class PlayClosing(_Event, frozen=True, kw_only=True, tag="play_closing"):
    """No further hand is opened."""

    rule: str


class EntrantsMoved(_Event, frozen=True, kw_only=True, tag="entrants_moved"):
    table: TableId
    """The table that was between hands: the movers come from it."""
    hand: int
    moves: tuple[Move, ...]
    rule: str
    candidates: tuple[Candidate, ...]
    draw: Draw | None


class TableBroken(_Event, frozen=True, kw_only=True, tag="table_broken"):
    table: TableId
    hand: int
    moves: tuple[Move, ...]
    carry_to: TableId
    """Who inherits what the table carried from hand to hand."""
    rule: str
    candidates: tuple[Candidate, ...]
    draw: Draw | None
    final: bool


class TournamentFinished(_Event, frozen=True, kw_only=True, tag="tournament_finished"):
    """The result; ``open_master`` lets anyone repeat every die and draw."""

    placings: tuple[Placing, ...]
    """By place, the winner first."""
    payouts: tuple[Payout, ...]
    currency: str | None
    rule: str
    open_master: HexDigest


class TournamentCancelled(_Event, frozen=True, kw_only=True, tag="tournament_cancelled"):
    reason: str
    """A slug, or the id of a text."""
    rule: str
    words: TextRef | None = None
    """The words that ``reason`` names; null for a slug, and in version 1."""


Event = (
    TournamentAnnounced
    | RegistrationOpened
    | EntrantRegistered
    | EntrantWithdrawn
    | RegistrationClosed
    | SeatsDrawn
    | PlayStarted
    | TournamentPaused
    | TournamentResumed
    | ClockStarted
    | ClockStopped
    | LevelRaised
    | EntrantBusted
    | EntrantEliminated
    | RebuyDeclared
    | RebuyWindowOpened
    | RebuyTaken
    | ItemStaked
    | ItemPassed
    | ItemReturned
    | ChipsPromised
    | ChipsBrought
    | LeaveDeclared
    | EntrantCashedOut
    | PlayClosing
    | EntrantsMoved
    | TableBroken
    | TournamentFinished
    | TournamentCancelled
    | correcting.Event
    | heads.Event
    | freezing.Event
    | rounds.Event
    | fairness.Event
    | of_money.Event
    | floor.Event
    | entering.Event
)
