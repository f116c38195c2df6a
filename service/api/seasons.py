"""Seasons and their standings."""

from typing import Annotated

import msgspec
from litestar import Response
from litestar.params import FromPath
from msgspec import Meta

from engine.season.commands import CloseSeason, Command, OpenSeason
from engine.season.schedule.commands import ScheduleClose
from engine.season.state import Opened
from engine.season.values import PlacesFromEnd, PointsRule
from engine.values import LeagueId, SeasonId, stream_of
from service.api.access import reach
from service.api.bodies import read_body
from service.api.inputs import Instant, Name, in_utc
from service.api.leagues import Nothing
from service.api.listing import listed
from service.api.moments import AS_OF_PROBLEMS, Moment, moment_of
from service.api.operations import operation
from service.api.paging import Page
from service.api.positions import listing_of
from service.api.shell import Asked, shell_of
from service.api.submitting import answer, decide_one, encoded, order_of
from service.errors import StreamNotFound
from service.projections import queries
from service.projections.rows import StandingRow


class SeasonWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A season and what a place in one of its tournaments is worth."""

    name: Name
    points: PointsRule = PlacesFromEnd()
    scale: Annotated[int, Meta(ge=0, le=6)] = 2
    closes_at: Instant | None = None
    """When it closes by itself; see ``POST /v1/seasons/{id}/closing``."""


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
    problems=("forbidden", "recurrence_invalid"),
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
    commands: list[Command] = [command]
    if body.closes_at is not None:
        commands.append(ScheduleClose(closes_at=in_utc(body.closes_at), now=shell.now()))
    receipt = await decide_one(shell, league_id, season, order, commands)
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
    needs="read_league", scope="leagues:read",
    answer=Page, query=("limit", "cursor", "min_position"),
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def list_seasons(request: Asked, league_id: FromPath[str]) -> Response[bytes]:
    """List from the read models."""
    place = await reach(request, league_id, "lge")
    name = f"seasons {league_id}"
    paged = await listing_of(request, place.league, name, int, projection="standings")
    async with shell_of(request).engine.connect() as connection:
        rows = await queries.seasons(connection, league_id)
    opened = {each.season: number for number, each in enumerate(rows)}
    return listed(request, paged.cut(rows, lambda each: (opened[each.season],)))


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
    needs="read_league", scope="leagues:read",
    answer=Page, query=("limit", "cursor", "min_position", "as_of"),
    problems=("invalid_cursor", "not_caught_up", *AS_OF_PROBLEMS),
)  # fmt: skip
async def read_standings(request: Asked, season_id: FromPath[str]) -> Response[bytes]:
    """Read from the read models; as of earlier, from the season's own events until then."""
    place = await reach(request, season_id, "ssn", fresh=False)
    moment = await moment_of(request, place.league)
    if moment is not None:
        return await _standings_then(request, season_id, moment)
    name = f"standings {season_id}"
    paged = await listing_of(request, place.league, name, int, str, projection="standings")
    async with shell_of(request).engine.connect() as connection:
        rows = await queries.standings(
            connection, season_id, limit=paged.limit + 1, after=paged.after
        )
    return listed(request, paged.page(rows, lambda each: (each.rank, each.player)))


async def _standings_then(request: Asked, season: str, moment: Moment) -> Response[bytes]:
    state = (await moment.state(stream_of(season))).state
    if not isinstance(state, Opened):
        raise StreamNotFound("there was nothing here under this name")
    best: dict[str, int] = {}
    for award in (award for counted in state.counted for award in counted.awards):
        best[award.player] = min(award.place, best.get(award.player, award.place))
    rows = [
        StandingRow(
            season=season,
            rank=each.rank,
            player=each.player,
            points=each.points,
            played=each.tournaments,
            wins=each.wins,
            best=each.best,
            best_placing=best[each.player],
        )
        for each in state.standings()
    ]
    paged = moment.listing(request, f"standings {season}", int, str)
    page = paged.cut(rows, lambda each: (each.rank, each.player))
    return listed(request, page, moment.headers)
