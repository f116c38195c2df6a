"""A league: its description, its next evenings, the standings of the season."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import msgspec
from msgspec.structs import replace

from service.api.http.reading.paging import Page as ApiPage
from service.api.http.shell import shell_of
from service.api.league.leagues import LeagueShown
from service.api.league.members import MemberShown
from service.api.public.leagues import PublicLeague, PublicSchedule
from service.api.season.calendars import Schedule
from service.api.tournament.entering import AnnouncementListed
from service.base.letters import by_name
from service.console.asking import Ask, seen_by
from service.console.declaring import page
from service.console.listing import everything
from service.console.pages import Page
from service.console.screens.league.schedules import Evening, Scheduled, evening_of, parted
from service.console.screens.league.seasons import (
    SeasonListed,
    league_seasons,
    public_seasons,
    running,
)

_AHEAD = timedelta(days=60)
_BEHIND = timedelta(days=30)
_EVENINGS_MAX = 5
_PAST_MAX = 5
_NOTICES_OF = 3
"""The number of evenings whose notices are read."""

_NOTICES_MAX = 3
OFFICES = ("owner", "director", "referee", "scorer", "auditor")
_STANDINGS_MAX = 10


class Officer(msgspec.Struct, kw_only=True):
    """A member with an office."""

    player: str
    name: str | None
    role: str


class Notice(msgspec.Struct, kw_only=True):
    """A notice of staff about an evening under way."""

    tournament: str
    evening: str
    text: str
    at: datetime


class Season(msgspec.Struct, kw_only=True):
    """The season under way, or the last one between two seasons."""

    id: str
    name: str
    open: bool


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
    past: tuple[Evening, ...]
    """The latest evenings that are over, newest first."""

    notices: tuple[Notice, ...]
    """Newest first."""

    season: Season | None
    standings: tuple[Line, ...]
    staff: tuple[Officer, ...]
    """Empty for a stranger."""


@page("/leagues/{league:str}", open=True)
async def league(ask: Ask, league: str) -> Page:
    """Show the league as the reader may see it."""
    return Page("league/league.html", await seen_by(ask, _as_member, _as_stranger, league))


async def _as_member(ask: Ask, league: str) -> LeagueScreen:
    now = shell_of(ask.request).now()
    span = {"from": (now - _BEHIND).isoformat(), "to": (now + _AHEAD).isoformat()}
    path = f"/v1/leagues/{league}"
    shown, schedule, seasons, members = await asyncio.gather(
        ask.api.get(path, LeagueShown),
        ask.api.get(f"{path}/schedule", Schedule, **span),
        league_seasons(ask, league),
        everything(ask, f"{path}/members", ApiPage[MemberShown], office="true"),
    )
    screen = await _screen(ask, shown, schedule.items, seasons, "/v1/seasons")
    return replace(
        screen,
        role=shown.role,
        notices=await _notices(ask, screen.evenings),
        staff=_staff(members),
    )


async def _as_stranger(ask: Ask, league: str) -> LeagueScreen:
    shown, schedule, seasons = await asyncio.gather(
        ask.api.get(f"/v1/public/leagues/{league}", PublicLeague),
        ask.api.get(f"/v1/public/leagues/{league}/schedule", PublicSchedule),
        public_seasons(ask, league),
    )
    return await _screen(ask, shown, schedule.items, seasons, "/v1/public/seasons")


async def _screen(
    ask: Ask,
    shown: LeagueShown | PublicLeague,
    items: Sequence[Scheduled],
    seasons: Sequence[SeasonListed],
    path: str,
) -> LeagueScreen:
    """Return the page as strangers see it. *path* leads to the seasons of the API."""
    now = shell_of(ask.request).now()
    coming, past = parted([evening_of(each) for each in items], now)
    current = running(seasons)
    lines = ApiPage[Line](items=())
    if current is not None:
        path = f"{path}/{current.season}/standings"
        lines = await ask.api.get(path, ApiPage[Line], limit=_STANDINGS_MAX)
    return LeagueScreen(
        id=shown.id,
        name=shown.name,
        description=shown.description,
        place=shown.place,
        url=shown.url,
        sandbox=shown.sandbox,
        role=None,
        evenings=tuple(coming[:_EVENINGS_MAX]),
        past=tuple(past[:_PAST_MAX]),
        notices=(),
        season=None
        if current is None
        else Season(id=current.season, name=current.name, open=current.state == "open"),
        standings=tuple(lines.items),
        staff=(),
    )


async def _notices(ask: Ask, evenings: Sequence[Evening]) -> tuple[Notice, ...]:
    """Return the staff's notices about the next evenings, newest first."""
    announced = [each for each in evenings if each.tournament][:_NOTICES_OF]
    listed = await asyncio.gather(
        *(
            ask.api.get(
                f"/v1/tournaments/{each.tournament}/announcements", ApiPage[AnnouncementListed]
            )
            for each in announced
        )
    )
    found = [
        Notice(tournament=each.tournament or "", evening=each.name, text=said.text, at=said.at)
        for each, some in zip(announced, listed, strict=True)
        for said in some.items
        if said.text is not None
    ]
    return tuple(sorted(found, key=lambda each: each.at, reverse=True)[:_NOTICES_MAX])


def _staff(members: Iterable[MemberShown]) -> tuple[Officer, ...]:
    """Return the members with an office, the owners first."""
    found = [each for each in members if each.role in OFFICES]
    return tuple(
        Officer(player=each.player, name=each.name, role=each.role)
        for each in sorted(found, key=lambda each: (OFFICES.index(each.role), by_name(each.name)))
    )
