"""The players of a league, the best rated first."""

import asyncio

import msgspec

from service.api.http.reading.paging import Page as ApiPage
from service.api.league.leagues import LeagueShown
from service.api.league.members import MemberShown
from service.api.league.ratings import RatingShown
from service.base.letters import by_name, holds
from service.console.asking import Ask
from service.console.declaring import page
from service.console.listing import everything
from service.console.pages import Page


class Listed(msgspec.Struct, kw_only=True):
    """A player in the list."""

    player: str
    name: str | None
    role: str | None
    """The role, or null for somebody who has left the league."""

    rating: str | None
    evenings: int
    me: bool


class PlayersScreen(msgspec.Struct, kw_only=True):
    """The players of a league."""

    league: str
    name: str
    wanted: str
    """The reader's search text."""

    players: tuple[Listed, ...]


@page("/leagues/{league:str}/players")
async def players(ask: Ask, league: str) -> Page:
    """List the players, the best rated first, or only those whose names match the search."""
    path = f"/v1/leagues/{league}"
    me, shown, members, ratings = await asyncio.gather(
        ask.me(),
        ask.api.get(path, LeagueShown),
        everything(ask, f"{path}/members", ApiPage[MemberShown]),
        everything(ask, f"{path}/ratings", ApiPage[RatingShown]),
    )
    roles = {each.player: each.role for each in members}
    found = [
        Listed(
            player=each.player,
            name=each.name,
            role=roles.pop(each.player, None),
            rating=each.ordinal,
            evenings=each.played,
            me=each.player == me.id,
        )
        for each in ratings
    ]
    unrated = [each for each in members if each.player in roles]
    found += [
        Listed(
            player=each.player,
            name=each.name,
            role=each.role,
            rating=None,
            evenings=0,
            me=each.player == me.id,
        )
        for each in sorted(unrated, key=lambda each: by_name(each.name))
    ]
    wanted = ask.query("q").strip()
    screen = PlayersScreen(
        league=league,
        name=shown.name,
        wanted=wanted,
        players=tuple(each for each in found if holds(each.name, wanted)),
    )
    return Page("league/players.html", screen)
