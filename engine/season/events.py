"""
What can have happened to a season.

The tag of an event is its name in storage.  It is written out, never derived
from the class name, and never changes once an event with it has been stored.
"""

import msgspec

from engine.season.schedule import events as schedule
from engine.season.values import Award, Points, PointsRule
from engine.values import LeagueId, PlayerId, SeasonId, TournamentId


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class FinalStanding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    rank: int
    player: PlayerId
    points: Points


class SeasonOpened(_Event, frozen=True, kw_only=True, tag="season_opened"):
    """The terms; points are counted by them to the end."""

    season: SeasonId
    league: LeagueId
    name: str
    points: PointsRule
    scale: int
    tie_breaks: tuple[str, ...]
    """Rule slugs, in the order they are tried; who is still level shares the rank."""


class PointsAwarded(_Event, frozen=True, kw_only=True, tag="points_awarded"):
    tournament: TournamentId
    awards: tuple[Award, ...]
    """By place, one for each player."""
    rule: str


class SeasonClosed(_Event, frozen=True, kw_only=True, tag="season_closed"):
    standings: tuple[FinalStanding, ...]


Event = SeasonOpened | PointsAwarded | SeasonClosed | schedule.Event
