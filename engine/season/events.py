"""
What can have happened to a season.

The tag of an event is its name in storage.  It is written out, never derived
from the class name, and never changes once an event with it has been stored.
"""

from datetime import datetime

import msgspec

from engine.season import freezing
from engine.season.schedule import events as schedule
from engine.season.values import (
    Adjustment,
    Aggregation,
    Award,
    AwardChange,
    Bonus,
    Fate,
    Field,
    LotDraw,
    Points,
    PointsRule,
)
from engine.values import (
    AdjustmentId,
    HexDigest,
    LeagueId,
    PlayerId,
    Sealed,
    SeasonId,
    TextRef,
    TournamentId,
)


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class FinalStanding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    rank: int
    player: PlayerId
    points: Points
    decided_by: str | None
    """The tie-break that settled this rank among equal points; null where there were none."""


class SeasonOpened(_Event, frozen=True, kw_only=True, tag="season_opened"):
    """The terms; points are counted by them to the end."""

    season: SeasonId
    league: LeagueId
    name: str
    points: PointsRule
    scale: int
    aggregation: Aggregation
    minimum_games: int
    overall: str | None
    bonuses: tuple[Bonus, ...]
    tie_breaks: tuple[str, ...]
    """Rule slugs, in the order they are tried; who is still level shares the rank."""

    master_commitment: HexDigest | None
    """Null in seasons that were opened before there were lots."""

    master: Sealed[str] | None


class PointsAwarded(_Event, frozen=True, kw_only=True, tag="points_awarded"):
    tournament: TournamentId
    field: Field | None
    """Null in awards that were made before formulas."""

    awards: tuple[Award, ...]
    """By place, one for each player."""

    rule: str


class BonusesAwarded(_Event, frozen=True, kw_only=True, tag="bonuses_awarded"):
    """What the season's terms give besides the placings of a tournament."""

    tournament: TournamentId
    bonuses: tuple[Adjustment, ...]
    rule: str


class AwardRevised(_Event, frozen=True, kw_only=True, tag="award_revised"):
    """A tournament is counted otherwise from now on; only what differs stands here."""

    tournament: TournamentId
    field: Field
    changes: tuple[AwardChange, ...]
    reason: TextRef
    author: PlayerId
    rule: str


class AwardRevoked(_Event, frozen=True, kw_only=True, tag="award_revoked"):
    """A tournament counts no more, as if it had not been played."""

    tournament: TournamentId
    reason: TextRef
    author: PlayerId
    rule: str


class PointsAdjusted(_Event, frozen=True, kw_only=True, tag="points_adjusted"):
    adjustment: Adjustment
    reason: TextRef
    author: PlayerId
    rule: str


class AdjustmentVoided(_Event, frozen=True, kw_only=True, tag="adjustment_voided"):
    adjustment: AdjustmentId
    reason: TextRef
    author: PlayerId
    rule: str


class LotsDrawn(_Event, frozen=True, kw_only=True, tag="lots_drawn"):
    """Who were level in everything else have an order now."""

    rank: int
    """That they would share."""

    draw: LotDraw
    rule: str


class TournamentAdded(_Event, frozen=True, kw_only=True, tag="tournament_added"):
    """A tournament was announced for this season, in the same append."""

    tournament: TournamentId


class SeasonClosed(_Event, frozen=True, kw_only=True, tag="season_closed"):
    """The final standings; ``master`` lets anyone repeat every lot."""

    standings: tuple[FinalStanding, ...]
    master: HexDigest | None
    fates: tuple[Fate, ...] | None
    """
    One for each tournament that was ever announced for the season, ascending by tournament.
    Null in seasons that were closed before there were fates.
    """


class TournamentHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How far the log of a tournament had come."""

    tournament: TournamentId
    version: int
    hash: HexDigest


class TournamentsRecorded(_Event, frozen=True, kw_only=True, tag="tournaments_recorded"):
    """After the close: a tournament that is missing from the log is missed now."""

    tournaments: tuple[TournamentHead, ...]
    """Every one that was ever counted, in the order in which it first was."""
    at: datetime


Event = (
    SeasonOpened
    | PointsAwarded
    | BonusesAwarded
    | AwardRevised
    | AwardRevoked
    | PointsAdjusted
    | AdjustmentVoided
    | LotsDrawn
    | TournamentAdded
    | SeasonClosed
    | TournamentsRecorded
    | schedule.Event
    | freezing.Event
)
