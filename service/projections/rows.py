"""The structs that the read functions return: one for each kind of row, with no hidden values."""

from datetime import datetime
from typing import Literal, NotRequired, TypedDict

import msgspec

from service.base.documents import Document

UNANNOUNCED = ("draft", "discarded")
"""States of tournaments that only staff can see."""


class LeagueRow(msgspec.Struct, frozen=True, kw_only=True):
    league: str
    name: str
    owner: str
    sandbox: bool
    created_at: datetime


class Membership(msgspec.Struct, frozen=True, kw_only=True):
    """A league of a player, with the player's role there."""

    league: str
    name: str
    role: str
    sandbox: bool


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """One of a league's players."""

    league: str
    player: str
    role: str
    since_at: datetime


class TournamentRow(msgspec.Struct, frozen=True, kw_only=True):
    league: str
    tournament: str
    season: str | None
    name: str
    state: str
    ruleset_name: str
    ruleset_hash: str
    table_seats: int
    starting_stack: int
    entrants_min: int
    entrants_max: int
    entrants: int
    """Number of entrants now."""
    bots: str
    prize_pool: int
    """Minor units of ``currency``."""
    currency: str | None
    starts_at: datetime | None
    registration_opens_at: datetime | None
    decision_seconds: int
    announced_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    announced_position: int
    last_position: int


class EntrantRow(msgspec.Struct, frozen=True, kw_only=True):
    league: str
    tournament: str
    entrant: str
    player: str
    bot: bool
    number: int
    """Order of registration, from 1."""
    state: str
    placing: int | None
    payout: int | None
    registered_at: datetime
    table: str | None
    seat: int | None
    stack: int | None


class SeatRow(msgspec.Struct, frozen=True, kw_only=True):
    seat: int
    entrant: str
    stack: int


class TableRow(msgspec.Struct, frozen=True, kw_only=True):
    league: str
    table: str
    tournament: str
    number: int
    state: str
    ruleset_hash: str
    seat_count: int
    hand_number: int
    hand: str | None
    carry: int
    sabacc_pot: int
    opened_at: datetime
    closed_at: datetime | None
    version: int
    seats: tuple[SeatRow, ...]


class HandSeat(TypedDict):
    """A seat of a hand. ``cards`` and ``total`` are null until the hand is shown."""

    seat: int
    entrant: str
    stack: int
    dealt: bool
    final_stack: int | None
    cards: list[str] | None
    total: int | None


class HandShare(TypedDict):
    """The chips a seat won of a pot."""

    seat: int
    chips: int


class HandPot(TypedDict):
    """A pot of a hand. ``remainder`` and ``rule`` are added when the pot is awarded."""

    pot: int | Literal["sabacc"]
    chips: int
    eligible: list[int]
    shares: list[HandShare]
    remainder: NotRequired[int]
    rule: NotRequired[str]


class HandWinner(TypedDict):
    """A seat that won the main pot, with its chips from all pots."""

    seat: int
    entrant: str
    chips: int


class HandRow(msgspec.Struct, frozen=True, kw_only=True):
    hand: str
    league: str
    tournament: str
    table: str
    number: int
    deal: int
    level: int | None
    button: int | None
    target: int | None
    suit: str | None
    state: str
    seats: list[HandSeat]
    pots: list[HandPot]
    winners: list[HandWinner]
    opened_at: datetime
    settled_at: datetime | None
    first_position: int
    last_position: int


class SeatOf(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of a player in a tournament that is not over, with the seat if there is one."""

    league: str
    tournament: str
    tournament_name: str
    entrant: str
    state: str
    table: str | None
    seat: int | None
    stack: int | None


class SeasonRow(msgspec.Struct, frozen=True, kw_only=True):
    league: str
    season: str
    name: str
    state: str
    opened_at: datetime
    closed_at: datetime | None
    terms: Document
    """The rules for points, totals and tie-breaks, as fixed when the season opened."""

    lots: list[Document]
    """The lots drawn when the season closed, each with its rank, its candidates and its order."""


class StandingRow(msgspec.Struct, frozen=True, kw_only=True):
    season: str
    rank: int
    """Players who are level in points and in every tie-break share a rank."""

    shared: bool
    player: str
    points: str
    """Decimal, at the season's scale."""

    qualified: bool
    """True if the player has played enough games. All other players rank below."""

    played: int
    counted: int
    """Number of results that the points come from."""

    wins: int
    """Tournaments won outright."""

    best: str | None
    """Points of the best single result, or null if there is no result."""

    best_placing: int | None
    decided_by: str | None
    """The tie-break that separated this player from others with equal points."""


class LedgerRow(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a season's ledger. ``points`` is added to the player's entries before it."""

    position: int
    part: int
    at: datetime
    kind: str
    player: str
    points: str
    tournament: str | None
    place: int | None
    shared: int | None
    adjustment: str | None
    rule: str
    failure: str | None
    """The reason why the formula had no value, so that the award is 0."""

    reason: str | None
    """The text of the reason, at ``GET /v1/texts/{id}``."""

    author: str | None


class RatingRow(msgspec.Struct, frozen=True, kw_only=True):
    """A player's rating, as decimals with six digits after the point."""

    player: str
    mu: str
    sigma: str
    ordinal: str
    """``mu`` minus three times ``sigma``. Players are ordered by it."""

    played: int


class RatingChange(msgspec.Struct, frozen=True, kw_only=True):
    """A player's rating after one tournament."""

    league: str
    tournament: str
    place: int
    mu: str
    sigma: str
    ordinal: str


class ReportRow(msgspec.Struct, frozen=True, kw_only=True):
    """One audit: requested, running or done."""

    id: str
    league: str
    scope: str
    state: str
    progress: float
    requested_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    report: Document | None


class DisputeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A dispute in a list."""

    dispute: str
    league: str
    kind: str
    tournament: str | None
    season: str | None
    hand: str | None
    claimant: str
    state: str
    outcome: str | None
    frozen: bool
    opened_at: datetime
    opened_position: int


class OpeningRow(msgspec.Struct, frozen=True, kw_only=True):
    """One opening of sealed values, with the right that allowed it."""

    league: str
    position: int
    at: datetime
    by: str
    what: str
    """``hand``, or ``masters`` of a tournament."""
    subject: str
    right: str
    """``office`` if the reader's office allows it, ``dispute`` if a referee disclosed it."""
    dispute: str | None
    until: datetime
