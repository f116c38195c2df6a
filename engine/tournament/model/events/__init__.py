"""
The events of a tournament.

The tag of an event is its name in storage. It is written out, never derived from the class
name, and never changes after an event with it has been stored.
"""

from datetime import datetime
from typing import Literal

import msgspec

from engine.rulesets import Amounts
from engine.tournament.model.events import (
    correcting,
    entering,
    fairness,
    floor,
    freezing,
    heads,
    rounds,
)
from engine.tournament.model.events import money as of_money
from engine.tournament.model.terms.announced import Terms
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
    """
    The tournament was announced with its complete terms. A state keeps this event as its terms.
    """


class RegistrationOpened(_Event, frozen=True, kw_only=True, tag="registration_opened"):
    """Registration opened. Both masters are committed to before anyone has entered."""

    cards_commitment: HexDigest
    open_commitment: HexDigest
    cards: Sealed[str]
    open: Sealed[str]


class EntrantRegistered(_Event, frozen=True, kw_only=True, tag="entrant_registered"):
    entrant: EntrantId
    player: PlayerId
    bot: bool
    number: int
    """The order of registration, from 1. Numbers of withdrawn entrants are not used again."""
    by: PlayerId | None
    """The member of staff who did it for the player. Null if the player or the house did."""


class EntrantWithdrawn(_Event, frozen=True, kw_only=True, tag="entrant_withdrawn"):
    entrant: EntrantId
    by: PlayerId | None
    """The member of staff who did it for the player. Null if the player or the house did."""


class RegistrationClosed(_Event, frozen=True, kw_only=True, tag="registration_closed"):
    entrants: int


class SeatsDrawn(_Event, frozen=True, kw_only=True, tag="seats_drawn"):
    """The seats were drawn, and the order in which tables will break is set."""

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
    """A slug, or the identifier of a text."""
    words: TextRef | None = None
    """The words that ``reason`` names, or null for a slug, and in version 1."""


class TournamentResumed(_Event, frozen=True, kw_only=True, tag="tournament_resumed"):
    pass


class ClockStarted(_Event, frozen=True, kw_only=True, tag="clock_started"):
    """The level clock started or resumed. ``amounts`` are in force."""

    level: int
    amounts: Amounts
    at: datetime
    """The instant from which the clock counts. The end of an outage lies before the event."""

    due: datetime | None
    """The instant of the next level if nothing stops the clock, or null at the last level."""

    cause: Literal["play_started", "resumed", "outage"]
    rule: str


class ClockStopped(_Event, frozen=True, kw_only=True, tag="clock_stopped"):
    """The level clock stopped. It keeps the rest of the level."""

    level: int
    at: datetime
    """The instant at which the clock stopped. Before an outage it is the last heartbeat."""

    left_microseconds: int
    cause: Literal["paused", "outage"]
    rule: str


class LevelRaised(_Event, frozen=True, kw_only=True, tag="level_raised"):
    """A new level is in force for every hand opened from now on. A hand in play keeps its level."""

    level: int
    amounts: Amounts
    at: datetime
    due: datetime | None
    """
    The instant of the next level, counted from the due time of this one, even if it came late.
    """

    rule: str


class EntrantBusted(_Event, frozen=True, kw_only=True, tag="entrant_busted"):
    entrant: EntrantId
    table: TableId
    hand: int
    round: int
    stack_at_start: Chips


class EntrantEliminated(_Event, frozen=True, kw_only=True, tag="entrant_eliminated"):
    """An entrant was eliminated, by a bust or when its rebuy window closed."""

    entrant: EntrantId
    player: PlayerId
    place: int
    shared: int
    rule: str


class RebuyDeclared(_Event, frozen=True, kw_only=True, tag="rebuy_declared"):
    """An entrant declared a rebuy. The new stack comes when the last chip is lost."""

    entrant: EntrantId
    by: PlayerId | None
    """The member of staff who did it for the player. Null if the player or the house did."""
    rule: str


class RebuyWindowOpened(_Event, frozen=True, kw_only=True, tag="rebuy_window_opened"):
    """A bust opened a rebuy window. Until the table's next hand the entrant may come back."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    hand: int
    stack_at_start: Chips
    buys: bool
    """True if a rebuy is allowed. Otherwise only a staked item brings the entrant back."""
    rule: str


class RebuyTaken(_Event, frozen=True, kw_only=True, tag="rebuy_taken"):
    """A starting stack was bought. It comes to the table in the same append."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    chips: Chips
    number: int
    """The number of this entrant's rebuys, from 1."""
    by: PlayerId | None
    """The member of staff who did it for the player. Null if the player or the house did."""
    rule: str


class ItemStaked(_Event, frozen=True, kw_only=True, tag="item_staked"):
    """An item went into escrow. Its value in chips comes to the table."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    item: str
    value: Chips
    rule: str


class ItemPassed(_Event, frozen=True, kw_only=True, tag="item_passed"):
    """
    An entrant who had staked an item lost the chips. The item belongs to the winner of the
    main pot.
    """

    item: str
    value: Chips
    giver: EntrantId
    taker: EntrantId
    rule: str


class ItemReturned(_Event, frozen=True, kw_only=True, tag="item_returned"):
    """An item left escrow in exchange for its value in chips, which leave the table."""

    entrant: EntrantId
    table: TableId
    item: str
    value: Chips
    rule: str


class ChipsPromised(_Event, frozen=True, kw_only=True, tag="chips_promised"):
    """Chips were promised to a seat before the next hand opens, for a new or a seated player."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    chips: Chips
    newcomer: bool
    rule: str


class ChipsBrought(_Event, frozen=True, kw_only=True, tag="chips_brought"):
    """Promised chips came to the table in the same append."""

    entrant: EntrantId
    table: TableId
    seat: Seat
    chips: Chips
    rule: str


class LeaveDeclared(_Event, frozen=True, kw_only=True, tag="leave_declared"):
    """A player declared to leave between hands."""

    entrant: EntrantId
    table: TableId
    rule: str


class EntrantCashedOut(_Event, frozen=True, kw_only=True, tag="entrant_cashed_out"):
    """A player left and took *stack* away."""

    entrant: EntrantId
    table: TableId
    stack: Chips
    rule: str


class PlayClosing(_Event, frozen=True, kw_only=True, tag="play_closing"):
    """The tournament is closing. No further hand opens."""

    rule: str


class EntrantsMoved(_Event, frozen=True, kw_only=True, tag="entrants_moved"):
    table: TableId
    """The table that was between hands. The entrants come from it."""
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
    """The table that takes over the carry."""
    rule: str
    candidates: tuple[Candidate, ...]
    draw: Draw | None
    final: bool


class TournamentFinished(_Event, frozen=True, kw_only=True, tag="tournament_finished"):
    """
    The tournament finished with its result. With ``open_master`` anyone can repeat every die
    and draw.
    """

    placings: tuple[Placing, ...]
    """The placings, the winner first."""
    payouts: tuple[Payout, ...]
    currency: str | None
    rule: str
    open_master: HexDigest


class TournamentCancelled(_Event, frozen=True, kw_only=True, tag="tournament_cancelled"):
    reason: str
    """A slug, or the identifier of a text."""
    rule: str
    words: TextRef | None = None
    """The words that ``reason`` names, or null for a slug, and in version 1."""


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
