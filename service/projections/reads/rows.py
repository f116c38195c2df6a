"""The structs that the read functions return: one for each kind of row, with no hidden values."""

from datetime import datetime
from typing import Literal

import msgspec

from engine.dispute import state as disputes
from engine.dispute.values import Kind, Outcome
from engine.league.roles import Role
from engine.tournament.model.state import Phase
from engine.tournament.model.values import BotRule
from engine.values import Visibility
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
    role: Role
    sandbox: bool


class TournamentRow(msgspec.Struct, frozen=True, kw_only=True):
    league: str
    """The league, `lge_…`."""

    tournament: str
    season: str | None
    """The season that counts the tournament, or null."""

    name: str
    """As shown to everybody."""

    state: Phase
    """The phase of the tournament."""

    ruleset_name: str
    """The preset that the announcement named."""

    ruleset_hash: str
    """SHA-256 over all parameters, in hexadecimal. Equal hashes mean equal games."""

    table_seats: int
    """The most players at a table."""

    starting_stack: int
    """Chips of every entrant at the start, or 0 for a game without chips."""

    entrants_min: int
    """With fewer entrants the tournament does not start."""

    entrants_max: int
    """The number of places for entrants."""

    entrants: int
    """Number of entrants now."""
    bots: BotRule
    """The rule for bots: they may enter, must not, or are the only entrants."""

    prize_pool: int
    """Minor units of ``currency``."""
    currency: str | None
    """The currency (ISO 4217), or null if no money is played for."""

    starts_at: datetime | None
    """The planned start. A postponed start replaces it."""

    registration_opens_at: datetime | None
    """The instant at which registration opens, or null if the announcement opens it."""

    decision_seconds: int
    """The time that a table gives for a decision."""

    announced_at: datetime
    """The time of the announcement, or of the draft."""

    started_at: datetime | None
    """The time at which play started, or null."""

    finished_at: datetime | None
    """The time at which the tournament finished or was cancelled, or null."""

    announced_position: int
    """The position of the announcement in the league's log."""

    last_position: int
    """The position of the tournament's last change in the league's log."""

    visibility: Visibility | None
    """The people who may see the tournament, or null until a rebuild has read the terms again."""

    place: str | None
    """The venue, as free text, or null."""

    length_seconds: int | None
    """The planned length of the tournament, or null."""

    terms_changes: int | None
    """The number of changes to the terms and the start, or null until a rebuild has counted."""


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
    """As shown to everybody."""

    state: Literal["open", "closed"]
    """`open` or `closed`."""

    opened_at: datetime
    """The time at which the season was opened."""

    closed_at: datetime | None
    """The time at which it was closed, or null."""

    terms: Document
    """The rules for points, totals and tie-breaks, as fixed when the season opened."""

    lots: list[Document]
    """The lots drawn when the season closed, each with its rank, its candidates and its order."""


class StandingRow(msgspec.Struct, frozen=True, kw_only=True):
    season: str
    rank: int
    """Players who are level in points and in every tie-break share a rank."""

    shared: bool
    """True if other players have the same rank."""

    player: str
    points: str
    """Decimal, at the season's scale."""

    qualified: bool
    """True if the player has played enough games. All other players rank below."""

    played: int
    """Tournaments that the player has played."""

    counted: int
    """Number of results that the points come from."""

    wins: int
    """Tournaments won outright."""

    best: str | None
    """Points of the best single result, or null if there is no result."""

    best_placing: int | None
    """The best place in a counted tournament, or null without one."""

    decided_by: str | None
    """The tie-break that separated this player from others with equal points."""


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
    """The place in the tournament."""

    mu: str
    """The estimated strength after the tournament."""

    sigma: str
    """The uncertainty of `mu`."""

    ordinal: str
    """`mu` minus three `sigma`."""


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
    kind: Kind
    """The kind of thing in dispute."""

    tournament: str | None
    """The disputed tournament, or null for a standing."""

    season: str | None
    """The season of the dispute, or null."""

    hand: str | None
    """The disputed hand, or null for another subject."""

    claimant: str
    """The player who opened the dispute."""

    state: disputes.Phase
    """The phase of the dispute."""

    outcome: Outcome | None
    """The latest ruling, `for` or `against` the claimant, or null before the first."""

    frozen: bool
    """True while the dispute blocks prizes, points and the season's end."""

    opened_at: datetime
    """The time of the claim."""

    opened_position: int
    """The position of the claim in the league's log."""


class OpeningRow(msgspec.Struct, frozen=True, kw_only=True):
    """One opening of sealed values, with the right that allowed it."""

    league: str
    position: int
    """The position of the opening in the league's log."""

    at: datetime
    """The time of the opening."""

    by: str
    """The player who looked."""

    what: Literal["hand", "masters"]
    """``hand``, or ``masters`` of a tournament."""
    subject: str
    """The hand or the tournament whose values were opened."""

    right: Literal["office", "dispute"]
    """``office`` if the reader's office allows it, ``dispute`` if a referee disclosed it."""
    dispute: str | None
    """The dispute whose referee disclosed the values, or null."""

    until: datetime
    """The end of the right to look."""
