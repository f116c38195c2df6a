"""What can be asked of a season: to open, to award points for a tournament, to close."""

from datetime import datetime

import msgspec

from engine.season.schedule import commands as schedule
from engine.season.values import Finish, PlacesFromEnd, PointsRule
from engine.values import LeagueId, SeasonId, TournamentId


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class OpenSeason(_Command, frozen=True, kw_only=True, tag="open_season"):
    season: SeasonId
    league: LeagueId
    name: str
    points: PointsRule = PlacesFromEnd()
    scale: int = 2
    """Fraction digits of every number of points in this season."""
    now: datetime


class AwardPoints(_Command, frozen=True, kw_only=True, tag="award_points"):
    """Count one finished tournament; asking twice changes nothing."""

    tournament: TournamentId
    placings: tuple[Finish, ...]
    """Every entry of the tournament."""
    now: datetime


class CloseSeason(_Command, frozen=True, kw_only=True, tag="close_season"):
    now: datetime


Command = OpenSeason | AwardPoints | CloseSeason | schedule.Command
