"""A league: what it is, its next evenings, the standings of the season."""

import asyncio
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import islice
from typing import Protocol

import msgspec

from service.api.http.paging import Page as ApiPage
from service.api.http.shell import shell_of
from service.api.league.calendars import Schedule
from service.api.league.leagues import LeagueShown
from service.api.league.seasons import StandingShown
from service.api.public.leagues import (
    PublicLeague,
    PublicSchedule,
    PublicTournamentListed,
)
from service.api.public.results import PublicStanding
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.declaring import page
from service.console.pages import Page

_AHEAD = timedelta(days=60)
_BEHIND = timedelta(hours=12)
_EVENINGS_MAX = 10
_STANDINGS_MAX = 10


class _SeasonListed(msgspec.Struct):
    """What this page reads of a season in the list."""

    season: str
    name: str
    state: str


class _Scheduled(Protocol):
    """What this page reads of an item of either schedule."""

    @property
    def tournament(self) -> str | None: ...
    @property
    def name(self) -> str: ...
    @property
    def starts_at(self) -> datetime: ...
    @property
    def zone(self) -> str | None: ...
    @property
    def standing(self) -> str: ...


class Evening(msgspec.Struct, kw_only=True):
    """A tournament of the schedule."""

    tournament: str | None
    name: str
    starts_at: datetime
    zone: str | None
    standing: str


class Season(msgspec.Struct, kw_only=True):
    """The season that is being played."""

    id: str
    name: str | None
    """The season's name, or null for a stranger."""


class Line(msgspec.Struct, kw_only=True):
    """A line of the standings."""

    rank: int
    shared: bool
    player: str
    name: str | None
    points: str
    played: int
    wins: int


class LeagueScreen(msgspec.Struct, kw_only=True):
    """The page of a league."""

    id: str
    name: str
    description: str | None
    place: str | None
    url: str | None
    sandbox: bool
    role: str | None
    """The reader's role, or null for a stranger."""

    evenings: tuple[Evening, ...]
    season: Season | None
    standings: tuple[Line, ...]


@page("/leagues/{league:str}", open=True)
async def league(ask: Ask, league: str) -> Page:
    """Show the league as the reader may see it."""
    if ask.signed_in:
        try:
            return Page("leagues/league.html", await _as_member(ask, league))
        except Problem as problem:
            if problem.status != 404:
                raise
    return Page("leagues/league.html", await _as_stranger(ask, league))


async def _as_member(ask: Ask, league: str) -> LeagueScreen:
    now = shell_of(ask.request).now()
    span = {"from": (now - _BEHIND).isoformat(), "to": (now + _AHEAD).isoformat()}
    shown, schedule, seasons = await asyncio.gather(
        ask.api.get(f"/v1/leagues/{league}", LeagueShown),
        ask.api.get(f"/v1/leagues/{league}/schedule", Schedule, **span),
        ask.api.get(f"/v1/leagues/{league}/seasons", ApiPage[_SeasonListed]),
    )
    current = next((each for each in seasons.items if each.state == "open"), None)
    season, lines = None, ApiPage[StandingShown](items=())
    if current is not None:
        season = Season(id=current.season, name=current.name)
        path = f"/v1/seasons/{current.season}/standings"
        lines = await ask.api.get(path, ApiPage[StandingShown], limit=_STANDINGS_MAX)
    return LeagueScreen(
        id=league,
        name=shown.name,
        description=shown.description,
        place=shown.place,
        url=shown.url,
        sandbox=shown.sandbox,
        role=shown.role,
        evenings=_evenings(schedule.items),
        season=season,
        standings=tuple(_line(each) for each in lines.items),
    )


async def _as_stranger(ask: Ask, league: str) -> LeagueScreen:
    shown, schedule, tournaments = await asyncio.gather(
        ask.api.get(f"/v1/public/leagues/{league}", PublicLeague),
        ask.api.get(f"/v1/public/leagues/{league}/schedule", PublicSchedule),
        ask.api.get(f"/v1/public/leagues/{league}/tournaments", ApiPage[PublicTournamentListed]),
    )
    now = shell_of(ask.request).now() - _BEHIND
    current = next((each.season for each in tournaments.items if each.season is not None), None)
    season, lines = None, ApiPage[PublicStanding](items=())
    if current is not None:
        try:
            path = f"/v1/public/seasons/{current}/standings"
            lines = await ask.api.get(path, ApiPage[PublicStanding], limit=_STANDINGS_MAX)
            season = Season(id=current, name=None)
        except Problem as problem:
            if problem.status != 404:  # one of the season's tournaments is not public
                raise
    return LeagueScreen(
        id=league,
        name=shown.name,
        description=shown.description,
        place=shown.place,
        url=shown.url,
        sandbox=shown.sandbox,
        role=None,
        evenings=_evenings(each for each in schedule.items if each.starts_at >= now),
        season=season,
        standings=tuple(_line(each) for each in lines.items),
    )


def _evenings(items: Iterable[_Scheduled]) -> tuple[Evening, ...]:
    return tuple(
        Evening(
            tournament=each.tournament,
            name=each.name,
            starts_at=each.starts_at,
            zone=each.zone,
            standing=each.standing,
        )
        for each in islice(items, _EVENINGS_MAX)
    )


def _line(row: StandingShown | PublicStanding) -> Line:
    return Line(
        rank=row.rank,
        shared=row.shared,
        player=row.player,
        name=row.name,
        points=row.points,
        played=row.played,
        wins=row.wins,
    )
