"""
The events of a season.

The tag of an event is its name in storage. It is written out, never derived from the class
name, and never changes after an event with it has been stored.
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
    ImportedTournament,
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
    """The tie-break that settled this rank among equal points, or null if there was none."""


class SeasonOpened(_Event, frozen=True, kw_only=True, tag="season_opened"):
    """A season opened. It counts points by these terms until it closes."""

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
    """Rule slugs, in the order they are tried. Players who are still level share the rank."""

    master_commitment: HexDigest | None
    """The commitment to the master of the lots. Null in seasons opened before lots existed."""

    master: Sealed[str] | None


class PointsAwarded(_Event, frozen=True, kw_only=True, tag="points_awarded"):
    tournament: TournamentId
    field: Field | None
    """The numbers of the field, for formulas. Null in awards made before formulas existed."""

    awards: tuple[Award, ...]
    """By place, one award for each player."""

    rule: str


class BonusesAwarded(_Event, frozen=True, kw_only=True, tag="bonuses_awarded"):
    """The season gave the points of its terms that do not depend on the place."""

    tournament: TournamentId
    bonuses: tuple[Adjustment, ...]
    rule: str


class AwardRevised(_Event, frozen=True, kw_only=True, tag="award_revised"):
    """The points of a tournament were changed. The event holds only the awards that differ."""

    tournament: TournamentId
    field: Field
    changes: tuple[AwardChange, ...]
    reason: TextRef
    author: PlayerId
    rule: str


class AwardRevoked(_Event, frozen=True, kw_only=True, tag="award_revoked"):
    """A tournament no longer counts, as if nobody had played it."""

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


class ResultsMerged(_Event, frozen=True, kw_only=True, tag="results_merged"):
    """
    The league merged two players. The season counts the results of ``player`` for ``into``.

    This includes results and adjustments that the season counts later.
    """

    player: PlayerId
    into: PlayerId
    author: PlayerId
    reason: TextRef
    rule: str


class ResultsImported(_Event, frozen=True, kw_only=True, tag="results_imported"):
    """
    An owner stated the results of tournaments that were not played here.

    They count before all others, in this order. An earlier list of the season no longer counts.
    """

    tournaments: tuple[ImportedTournament, ...]
    """The tournaments in the order in which they were played."""

    digest: HexDigest
    """SHA-256 of the list as it was sent."""

    author: PlayerId
    rule: str


class LotsDrawn(_Event, frozen=True, kw_only=True, tag="lots_drawn"):
    """A draw put the players in order who were level in every tie-break."""

    rank: int
    """The rank that they would share."""

    draw: LotDraw
    rule: str


class TournamentAdded(_Event, frozen=True, kw_only=True, tag="tournament_added"):
    """A tournament was announced for this season in the same append."""

    tournament: TournamentId


class SeasonClosed(_Event, frozen=True, kw_only=True, tag="season_closed"):
    """The season closed with these standings. With ``master`` anybody can repeat every lot."""

    standings: tuple[FinalStanding, ...]
    master: HexDigest | None
    fates: tuple[Fate, ...] | None
    """
    The fate of each tournament announced for the season, in ascending order of tournament. Null in
    seasons closed before fates existed.
    """


class TournamentHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last event in a tournament's log."""

    tournament: TournamentId
    version: int
    hash: HexDigest


class TournamentsRecorded(_Event, frozen=True, kw_only=True, tag="tournaments_recorded"):
    """
    The season recorded the head of each tournament's log after its close. If a tournament is
    missing from a copy of the log, its readers now notice.
    """

    tournaments: tuple[TournamentHead, ...]
    """Every tournament that was ever counted, in the order it was first counted."""
    at: datetime


Event = (
    SeasonOpened
    | PointsAwarded
    | BonusesAwarded
    | AwardRevised
    | AwardRevoked
    | PointsAdjusted
    | AdjustmentVoided
    | ResultsMerged
    | ResultsImported
    | LotsDrawn
    | TournamentAdded
    | SeasonClosed
    | TournamentsRecorded
    | schedule.Event
    | freezing.Event
)
