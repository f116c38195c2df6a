"""Seasons and their standings."""

from typing import Annotated

import msgspec
from litestar import Response
from litestar.params import FromPath
from msgspec import Meta

from engine.season.commands import CloseSeason, OpenSeason
from engine.season.values import PlacesFromEnd, PointsRule
from engine.values import LeagueId, SeasonId, stream_of
from service.api.access import reach
from service.api.bodies import read_body
from service.api.inputs import Name
from service.api.leagues import Nothing
from service.api.operations import operation
from service.api.paging import Page
from service.api.positions import caught_up
from service.api.shell import Asked, shell_of
from service.api.submitting import answer, decide_one, encoded, order_of
from service.projections import queries


class SeasonWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A season and what a place in one of its tournaments is worth."""

    name: Name
    points: PointsRule = PlacesFromEnd()
    scale: Annotated[int, Meta(ge=0, le=6)] = 2


class SeasonMade(msgspec.Struct, kw_only=True):
    """A season."""

    id: str
    league: str
    name: str
    position: str | None = None


@operation(
    "POST", "/v1/leagues/{league_id:str}/seasons", "open_season", "Open a season.",
    needs="manage_seasons",
    scope="tournaments:manage", body=SeasonWanted, answer=SeasonMade, status=201,
    problems=("forbidden",),
)  # fmt: skip
async def open_season(request: Asked, league_id: FromPath[str]) -> Response[bytes]:
    """Begin a season's stream."""
    shell = shell_of(request)
    body, raw = await read_body(request, SeasonWanted)
    await reach(request, league_id, "lge")
    order = order_of(request, raw)
    season = SeasonId(f"ssn_{order.new_id(0).hex}")
    command = OpenSeason(
        season=season,
        league=LeagueId(league_id),
        name=body.name,
        points=body.points,
        scale=body.scale,
        now=shell.now(),
    )
    receipt = await decide_one(shell, league_id, season, order, [command])
    content = {"id": season, "league": league_id, "name": body.name}
    return answer(receipt, content, version_of=stream_of(season))


@operation(
    "POST", "/v1/seasons/{season_id:str}/close", "close_season", "Close a season.",
    needs="manage_seasons",
    scope="tournaments:manage", body=Nothing, answer=SeasonMade, problems=("forbidden",),
)  # fmt: skip
async def close_season(request: Asked, season_id: FromPath[str]) -> Response[bytes]:
    """Award no further points."""
    shell = shell_of(request)
    _, raw = await read_body(request, Nothing)
    place = await reach(request, season_id, "ssn")
    order = order_of(request, raw)
    command = CloseSeason(now=shell.now())
    receipt = await decide_one(shell, place.league, season_id, order, [command])
    content = {"id": season_id, "league": place.league, "name": place.state.terms.name}
    return answer(receipt, content, 200, version_of=place.stream)


@operation(
    "GET", "/v1/leagues/{league_id:str}/seasons", "list_seasons", "A league's seasons.",
    needs="read_league",
    scope="leagues:read", answer=Page, query=("min_position",), problems=("not_caught_up",),
)  # fmt: skip
async def list_seasons(request: Asked, league_id: FromPath[str]) -> Response[bytes]:
    """List from the read models."""
    place = await reach(request, league_id, "lge")
    await caught_up(request, place.league, "standings")
    async with shell_of(request).engine.connect() as connection:
        return encoded(Page(items=await queries.seasons(connection, league_id)))


@operation(
    "GET", "/v1/seasons/{season_id:str}", "read_season", "One season.",
    needs="read_league", scope="leagues:read", answer=SeasonMade,
)  # fmt: skip
async def read_season(request: Asked, season_id: FromPath[str]) -> Response[bytes]:
    """Read from the aggregate."""
    place = await reach(request, season_id, "ssn")
    found = SeasonMade(id=season_id, league=place.league, name=place.state.terms.name)
    return encoded(found, headers={"ETag": f'"{place.loaded.version}"'})


@operation(
    "GET", "/v1/seasons/{season_id:str}/standings", "read_standings", "A season's standings.",
    needs="read_league",
    scope="leagues:read", answer=Page, query=("min_position",), problems=("not_caught_up",),
)  # fmt: skip
async def read_standings(request: Asked, season_id: FromPath[str]) -> Response[bytes]:
    """Read from the read models, after waiting for ``min_position``."""
    place = await reach(request, season_id, "ssn", fresh=False)
    await caught_up(request, place.league, "standings")
    async with shell_of(request).engine.connect() as connection:
        return encoded(Page(items=await queries.standings(connection, season_id)))
