"""What the read functions answer: one struct per kind of row, JSON-ready, nothing hidden in any."""

from datetime import datetime
from typing import Literal, NotRequired, TypedDict

import msgspec

from service.base.documents import Document

UNANNOUNCED = ("draft", "discarded")
"""States of tournaments that the staff alone sees."""


class LeagueRow(msgspec.Struct, frozen=True, kw_only=True):
    league: str
    name: str
    owner: str
    sandbox: bool
    created_at: datetime


class Membership(msgspec.Struct, frozen=True, kw_only=True):
    """One of a player's leagues."""

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
    """How many are entered now."""
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
    """A seat of a hand; its cards and their total are there once they were shown."""

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
    """A pot of a hand; ``remainder`` and ``rule`` are there once it was awarded."""

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
    """Where a player sits, for "my seats"."""

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
    """How points, totals and ties are settled here, as the season was opened."""

    lots: list[Document]
    """The draws at its close, each with its number, its candidates and its order."""


class StandingRow(msgspec.Struct, frozen=True, kw_only=True):
    season: str
    rank: int
    """Who is level in points and every tie-break shares it."""

    shared: bool
    player: str
    points: str
    """Decimal, at the season's scale."""

    qualified: bool
    """Whether enough games were played; who is not stands behind all who are."""

    played: int
    counted: int
    """How many results the points come from."""

    wins: int
    """Tournaments won outright."""

    best: str | None
    """Points of the best single result; null without any."""

    best_placing: int | None
    decided_by: str | None
    """The tie-break that told this player from others with equal points."""


class LedgerRow(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a season's ledger; ``points`` are added to all before it."""

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
    """Why the formula had no value: the award is 0."""

    reason: str | None
    """The text that says why, ``GET /v1/texts/{id}``."""

    author: str | None


class RatingRow(msgspec.Struct, frozen=True, kw_only=True):
    """How strong a player is taken to be; decimals with six digits."""

    player: str
    mu: str
    sigma: str
    ordinal: str
    """``mu`` less three ``sigma``: what players are ordered by."""

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
    """One audit, asked for, running or done."""

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
    """That somebody opened sealed values, by which right."""

    league: str
    position: int
    at: datetime
    by: str
    what: str
    """``hand``, or a tournament's ``masters``."""
    subject: str
    right: str
    """``office``: an opening of one's own; ``dispute``: what a referee disclosed."""
    dispute: str | None
    until: datetime
