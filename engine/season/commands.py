"""The commands of a season."""

from datetime import datetime

import msgspec

from engine.season import freezing
from engine.season.events import TournamentHead
from engine.season.schedule import commands as schedule
from engine.season.tiebreaks import TIE_BREAKS
from engine.season.values import (
    Adjustment,
    Aggregation,
    Bonus,
    Count,
    Finish,
    MinorUnits,
    Outlook,
    PlacesFromEnd,
    Points,
    PointsRule,
)
from engine.values import (
    AdjustmentId,
    HexDigest,
    LeagueId,
    PlayerId,
    SeasonId,
    TextRef,
    TournamentId,
)


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class OpenSeason(_Command, frozen=True, kw_only=True, tag="open_season"):
    season: SeasonId
    league: LeagueId
    name: str
    points: PointsRule = PlacesFromEnd()
    scale: int = 2
    """Fraction digits of every number of points in this season."""

    aggregation: Aggregation = Aggregation()
    minimum_games: int = 0
    """Players with fewer games rank behind all others: rulebook ``standings.minimum_games``."""

    overall: str | None = None
    """An expression of ``total``, ``average`` and ``played``: rulebook ``standings.overall``."""

    bonuses: tuple[Bonus, ...] = ()
    tie_breaks: tuple[str, ...] = TIE_BREAKS
    master: HexDigest
    """The master from which every lot of this season is derived."""

    salt: HexDigest
    """The salt of the sealed master."""

    now: datetime


class AwardPoints(_Command, frozen=True, kw_only=True, tag="award_points"):
    """Count one finished tournament. A repeated command changes nothing."""

    tournament: TournamentId
    placings: tuple[Finish, ...]
    """The results of all entries of the tournament."""

    buy_in: MinorUnits = 0
    pool: MinorUnits = 0
    money_digits: int = 2
    entries: Count = 0
    """The number of buy-ins. If it is below the number of placings, that number counts."""

    now: datetime


class ReviseAward(_Command, frozen=True, kw_only=True, tag="revise_award"):
    """Count a tournament again with its present result. The earlier award stays in the log."""

    award: AwardPoints
    reason: TextRef
    author: PlayerId
    now: datetime


class RevokeAward(_Command, frozen=True, kw_only=True, tag="revoke_award"):
    """Stop counting a tournament. :class:`ReviseAward` counts it again."""

    tournament: TournamentId
    reason: TextRef
    author: PlayerId
    now: datetime


class AdjustPoints(_Command, frozen=True, kw_only=True, tag="adjust_points"):
    adjustment: Adjustment
    reason: TextRef
    author: PlayerId
    now: datetime


class VoidAdjustment(_Command, frozen=True, kw_only=True, tag="void_adjustment"):
    """Void one bonus or adjustment. A repeated command changes nothing."""

    adjustment: AdjustmentId
    reason: TextRef
    author: PlayerId
    now: datetime


class MergeResults(_Command, frozen=True, kw_only=True, tag="merge_results"):
    """Count the results of ``player`` for ``into``, as the league does from now on."""

    player: PlayerId
    into: PlayerId
    author: PlayerId
    reason: TextRef
    now: datetime


class StatedResult(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place and its points, as a list states them."""

    player: PlayerId
    place: int
    points: Points


class StatedTournament(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tournament, as a list states it."""

    name: str
    played_on: str | None
    results: tuple[StatedResult, ...]


class ImportResults(_Command, frozen=True, kw_only=True, tag="import_results"):
    """State the results of tournaments that were not played here. The newest list counts."""

    tournaments: tuple[StatedTournament, ...]
    digest: HexDigest
    """SHA-256 of the list as it was sent."""

    author: PlayerId
    now: datetime


class AddTournament(_Command, frozen=True, kw_only=True, tag="add_tournament"):
    """Note a tournament that is announced for this season. A repeated command changes nothing."""

    tournament: TournamentId
    now: datetime


class LeaveOut(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tournaments to leave out when the season closes. They give no points."""

    tournaments: tuple[TournamentId, ...]
    reason: TextRef
    author: PlayerId


class CloseSeason(_Command, frozen=True, kw_only=True, tag="close_season"):
    """Close the season. Every tournament must be counted or left out."""

    tournaments: tuple[Outlook, ...] = ()
    """Every tournament that was ever announced for the season."""

    leave_out: LeaveOut | None = None
    now: datetime


class RecordTournaments(_Command, frozen=True, kw_only=True, tag="record_tournaments"):
    """Record the head of each counted tournament's log, once."""

    tournaments: tuple[TournamentHead, ...]
    now: datetime


Command = (
    OpenSeason
    | AwardPoints
    | ReviseAward
    | RevokeAward
    | AdjustPoints
    | VoidAdjustment
    | MergeResults
    | ImportResults
    | AddTournament
    | CloseSeason
    | RecordTournaments
    | schedule.Command
    | freezing.Command
)
