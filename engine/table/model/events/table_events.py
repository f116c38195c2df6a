"""The events of a table between its hands, and those that open a hand."""

from datetime import datetime
from typing import Literal

from engine.kit.beacon import Chain, Count, Pulse
from engine.rulesets import Amounts, Ruleset
from engine.table.model.commands import (
    Arrival,
    LevelFloor,
    Omission,
    Opening,
    Penalty,
    Placed,
    Seeds,
)
from engine.table.model.events.event_parts import Part
from engine.values import (
    Chips,
    EntrantId,
    HandId,
    HexDigest,
    Sealed,
    TableId,
    TournamentId,
)


class TableOpened(Part, frozen=True, kw_only=True, tag="table_opened"):
    table: TableId
    tournament: TournamentId
    number: int
    ruleset: Ruleset
    ruleset_hash: HexDigest
    decision_seconds: int
    grace_seconds: int
    seats: tuple[Placed, ...]
    seat_count: int
    at: datetime


class SeatBooks(Part, frozen=True, kw_only=True):
    """The facts of one seat that a hand and its successors need, before the forced bets."""

    seat: int
    entrant: EntrantId
    stack: Chips
    dealt: bool
    away: bool = False
    timeouts: int = 0
    waiting: bool = False
    """
    True if a newcomer between the button and the small blind waits until the button has passed.
    """

    penalty: int = 0
    """The penalty hands that the seat still has to sit out, this hand included."""

    time_bank: int = 0
    """Seconds left. No ruleset grants any yet."""

    rebuy_declared: bool = False
    hands_won: int = 0
    pots_won: int = 0


class DrawnCard(Part, frozen=True, kw_only=True):
    """An open card drawn for a seat."""

    seat: int
    card: str


class Level(Part, frozen=True, kw_only=True):
    """A step of the escalation, the amounts in force, and the event that put them into force."""

    number: int
    amounts: Amounts
    since_hand: int
    """The first hand of this table at this level."""

    set_by: int | None = None
    """
    Version, in the tournament's stream, of the clock's event that set the level. Null if the
    table counts its own levels.
    """


class Commitments(Part, frozen=True, kw_only=True):
    """The hashes of the deal's three seeds."""

    cards: HexDigest
    dice: HexDigest
    draws: HexDigest


class HandOpened(Part, frozen=True, kw_only=True, tag="hand_opened"):
    """
    A hand was opened with the complete books of the table. To read the hand, nothing before is
    needed except ``table_opened``.
    """

    hand: HandId
    number: int
    deal: int
    stage: int
    """1, or 2 if players who are tied for the first place play one more hand (``finish.ties``)."""

    round: int
    """The number in hand-for-hand play, or 1 outside it."""

    seats: tuple[SeatBooks, ...]
    dealers_left: tuple[int, ...]
    """Seats that sat at the first hand and have not dealt yet."""

    button: int
    starter: int
    """The first seat left of the button."""

    small_blind: int | None
    big_blind: int | None
    first_dealer: int
    first_dealer_draws: tuple[DrawnCard, ...] = ()
    """The draw for the first dealer, if this hand made one."""

    orbits: int
    """The number of times that the button has come back to the first dealer's seat."""

    level: Level
    base: Amounts
    """The amounts from which the level is computed."""

    carry: Chips
    sabacc_pot: Chips = 0
    escrow: Chips = 0
    seeds: Sealed[Seeds]
    commitments: Commitments
    deck_root: HexDigest
    openings: tuple[Opening, ...]
    omissions: tuple[Omission, ...]
    penalties: tuple[Penalty, ...]
    tournament_version: int
    tournament_head: str
    ruleset_hash: HexDigest
    decision_seconds: int
    grace_seconds: int
    last: bool
    at: datetime


class TableBeaconAwaited(Part, frozen=True, kw_only=True, tag="table_beacon_awaited"):
    """The openings for the next deal are fixed. The named pulse completes its deck."""

    hand_number: int
    deal: int
    chain: Chain
    round: Count
    openings: tuple[Opening, ...]
    omissions: tuple[Omission, ...]
    at: datetime
    rule: str


class TableBeaconMixed(Part, frozen=True, kw_only=True, tag="table_beacon_mixed"):
    """The beacon's pulse arrived. It is part of every draw in the hand opened just before."""

    chain: Chain
    pulse: Pulse
    rule: str


class SeatWentAway(Part, frozen=True, kw_only=True, tag="seat_went_away"):
    seat: int
    entrant: EntrantId
    cause: Literal["timeouts", "stepped_away"]
    rule: str


class SeatCameBack(Part, frozen=True, kw_only=True, tag="seat_came_back"):
    seat: int
    entrant: EntrantId


class SeatsVacated(Part, frozen=True, kw_only=True, tag="seats_vacated"):
    departures: tuple[Placed, ...]
    """
    The entrants with their own stacks. The last entrants also take the carry, which is not
    included here.
    """

    to_table: TableId | None
    carry: Chips
    """The carry if it leaves with the last entrants, otherwise 0."""

    sabacc_pot: Chips = 0
    at: datetime


class ArrivalsSeated(Part, frozen=True, kw_only=True, tag="arrivals_seated"):
    arrivals: tuple[Arrival, ...]
    carry: Chips
    sabacc_pot: Chips = 0
    floor: LevelFloor | None
    restart: bool
    at: datetime


class TableHeld(Part, frozen=True, kw_only=True, tag="table_held"):
    reason: str


class TableResumed(Part, frozen=True, kw_only=True, tag="table_resumed"):
    at: datetime
    deadline: datetime | None
    """The new deadline of the open decision, with its full time, or null without a decision."""


class TableWaiting(Part, frozen=True, kw_only=True, tag="table_waiting"):
    hand_number: int
    """The number of the hand that the table waits for."""

    reason: str
    tournament_version: int


class TableClosed(Part, frozen=True, kw_only=True, tag="table_closed"):
    reason: str
    at: datetime
