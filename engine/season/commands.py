"""What can be asked of a season: to open, to award points, to correct them, to close."""

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
    """Who has played fewer is ranked behind who has not: rulebook ``standings.minimum_games``."""

    overall: str | None = None
    """Of ``total``, ``average`` and ``played``, what results come to: ``standings.overall``."""

    bonuses: tuple[Bonus, ...] = ()
    tie_breaks: tuple[str, ...] = TIE_BREAKS
    master: HexDigest
    """What every lot of this season is derived from."""

    salt: HexDigest
    """Of the sealed master."""

    now: datetime


class AwardPoints(_Command, frozen=True, kw_only=True, tag="award_points"):
    """Count one finished tournament; asking twice changes nothing."""

    tournament: TournamentId
    placings: tuple[Finish, ...]
    """Every entry of the tournament."""

    buy_in: MinorUnits = 0
    pool: MinorUnits = 0
    money_digits: int = 2
    entries: Count = 0
    """How often was bought in; never fewer than there are placings."""

    now: datetime


class ReviseAward(_Command, frozen=True, kw_only=True, tag="revise_award"):
    """Count a tournament as it is now; what was counted before stays in the log."""

    award: AwardPoints
    reason: TextRef
    author: PlayerId
    now: datetime


class RevokeAward(_Command, frozen=True, kw_only=True, tag="revoke_award"):
    """Count a tournament no more; :class:`ReviseAward` counts it again."""

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
    """Take back one bonus or adjustment; asking twice changes nothing."""

    adjustment: AdjustmentId
    reason: TextRef
    author: PlayerId
    now: datetime


class AddTournament(_Command, frozen=True, kw_only=True, tag="add_tournament"):
    """Note a tournament that is announced for this season; asking twice changes nothing."""

    tournament: TournamentId
    now: datetime


class LeaveOut(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Close without these tournaments: none of them gives points."""

    tournaments: tuple[TournamentId, ...]
    reason: TextRef
    author: PlayerId


class CloseSeason(_Command, frozen=True, kw_only=True, tag="close_season"):
    """End the season; refused while a tournament of it is neither counted nor left out."""

    tournaments: tuple[Outlook, ...] = ()
    """Every tournament that was ever announced for the season."""

    leave_out: LeaveOut | None = None
    now: datetime


class RecordTournaments(_Command, frozen=True, kw_only=True, tag="record_tournaments"):
    """Write down, once, how far each counted tournament's log has come."""

    tournaments: tuple[TournamentHead, ...]
    now: datetime


Command = (
    OpenSeason
    | AwardPoints
    | ReviseAward
    | RevokeAward
    | AdjustPoints
    | VoidAdjustment
    | AddTournament
    | CloseSeason
    | RecordTournaments
    | schedule.Command
    | freezing.Command
)
