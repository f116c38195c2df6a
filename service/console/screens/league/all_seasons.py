"""All seasons of a league, each with its leader or winner."""

import asyncio

import msgspec

from service.api.http.reading.paging import Page as ApiPage
from service.api.league.leagues import LeagueShown
from service.api.public.leagues import PublicLeague
from service.console.asking import Ask, seen_by
from service.console.declaring import page
from service.console.pages import Page
from service.console.screens.league.seasons import SeasonListed, league_seasons, public_seasons

_LED_MAX = 20
"""The number of newest seasons whose leaders the page looks up."""

_FIRST_MAX = 4
"""The most players named in a shared first place."""


class Led(msgspec.Struct, kw_only=True):
    """A season, with its first place."""

    listed: SeasonListed
    leaders: tuple[tuple[str, str | None], ...]
    """Player and name of all who share the first place."""


class _Placed(msgspec.Struct):
    """The members of a line of the standings that this page reads."""

    rank: int
    player: str
    name: str | None


class SeasonsScreen(msgspec.Struct, kw_only=True):
    """The page of all seasons."""

    league: str
    name: str
    seasons: tuple[Led, ...]
    """Newest first."""


@page("/leagues/{league:str}/seasons", open=True)
async def seasons(ask: Ask, league: str) -> Page:
    """List the seasons as the reader may see them."""
    return Page("league/seasons.html", await seen_by(ask, _as_member, _as_stranger, league))


async def _as_member(ask: Ask, league: str) -> SeasonsScreen:
    shown, found = await asyncio.gather(
        ask.api.get(f"/v1/leagues/{league}", LeagueShown), league_seasons(ask, league)
    )
    led = await _led(ask, found, "/v1/seasons")
    return SeasonsScreen(league=league, name=shown.name, seasons=led)


async def _as_stranger(ask: Ask, league: str) -> SeasonsScreen:
    shown, found = await asyncio.gather(
        ask.api.get(f"/v1/public/leagues/{league}", PublicLeague), public_seasons(ask, league)
    )
    led = await _led(ask, found, "/v1/public/seasons")
    return SeasonsScreen(league=league, name=shown.name, seasons=led)


async def _led(ask: Ask, found: list[SeasonListed], path: str) -> tuple[Led, ...]:
    """Return the seasons, newest first, each with its first place."""
    newest = found[::-1]
    lines = await asyncio.gather(
        *(
            ask.api.get(f"{path}/{each.season}/standings", ApiPage[_Placed], limit=_FIRST_MAX)
            for each in newest[:_LED_MAX]
        )
    )
    first = [
        tuple((each.player, each.name) for each in some.items if each.rank == 1) for some in lines
    ]
    first += [()] * (len(newest) - len(first))
    return tuple(
        Led(listed=each, leaders=leaders) for each, leaders in zip(newest, first, strict=True)
    )
