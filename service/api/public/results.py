"""Public results: the standings of seasons."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from litestar import Response

from engine.kit.structs import copied
from engine.season.state import Opened
from service.api.http.declaring.by import By
from service.api.http.operations import operation
from service.api.http.reading.etags import Tags
from service.api.http.reading.paging import Page
from service.api.http.reading.positions import ReadPages
from service.api.http.reading.public import Kept, PublicPlace, public_season
from service.api.http.shell import Shell
from service.api.public.leagues import PublicLeaguePlace
from service.people.accounts import names
from service.projections.reads import public_queries, queries

PublicSeasonPlace = Annotated[PublicPlace[Opened], By(public_season)]


class PublicSeason(msgspec.Struct, kw_only=True):
    """A season as strangers see it."""

    id: str
    """The season, `ssn_…`."""

    league: str
    """The league, `lge_…`."""

    league_name: str
    """The league's name now."""

    name: str
    """As shown to everybody."""

    closed: bool
    """True once the season is closed, so that its standings never change again."""


class PublicSeasonListed(msgspec.Struct, kw_only=True):
    """A season in a list, as strangers see it."""

    season: str
    """The season, `ssn_…`."""

    name: str
    """As shown to everybody."""

    state: Literal["open", "closed"]
    """`open` or `closed`."""

    opened_at: datetime
    """The time at which the season was opened."""

    closed_at: datetime | None
    """The time at which it was closed, or null."""


class PublicStanding(msgspec.Struct, kw_only=True):
    """A player's line in the standings, as strangers see it."""

    rank: int
    """Players who are level in points and in every tie-break share a rank."""

    shared: bool
    """True if other players have the same rank."""

    player: str
    """The player, `plr_…`."""

    name: str | None
    """The player's name now."""

    points: str
    """Decimal, at the season's scale."""

    qualified: bool
    """True if the player has played enough games. All other players rank below."""

    played: int
    """Tournaments that the player has played."""

    counted: int
    """Number of results that the points come from."""

    wins: int
    """Tournaments won outright."""

    best_placing: int | None
    """The best place in a counted tournament, or null without one."""


@operation(
    "GET", "/v1/public/leagues/{league_id:str}/seasons", "list_public_seasons",
    "List the seasons of a public league whose tournaments are all public, oldest first.",
    needs="anyone", answer=Page[PublicSeasonListed], public=True,
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def list_public_seasons(
    place: PublicLeaguePlace, shell: Shell, pages: ReadPages, caching: Kept
) -> Response[bytes]:
    """List the seasons from the read models, in order of opening."""
    name = f"public seasons {place.id} {' '.join(sorted(place.shown))}"
    paged = await pages.read(place.id, name, int, projection="standings")
    async with shell.engine.connect() as connection:
        rows = await public_queries.shown_seasons(connection, place.id, place.shown)
    opened = {each.season: number for number, each in enumerate(rows)}
    page = paged.cut(rows, lambda each: (opened[each.season],))
    shown = [copied(PublicSeasonListed, each) for each in page.items]
    return pages.answer(Page(items=shown, next_cursor=page.next_cursor), caching.headers)


@operation(
    "GET", "/v1/public/seasons/{season_id:str}", "read_public_season",
    "Read a season whose tournaments are all public.",
    needs="anyone", answer=PublicSeason, public=True,
)  # fmt: skip
async def read_public_season(
    place: PublicSeasonPlace, tags: Tags, caching: Kept
) -> Response[bytes]:
    """Show the name of the season and its league."""
    shown = PublicSeason(
        id=place.id,
        league=place.league.league,
        league_name=place.league.name,
        name=place.state.terms.name,
        closed=place.state.closed,
    )
    return caching.answer(tags, shown)


@operation(
    "GET", "/v1/public/seasons/{season_id:str}/standings", "read_public_standings",
    "Read the standings of a season whose tournaments are all public.",
    needs="anyone", answer=Page[PublicStanding], public=True,
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def read_public_standings(
    place: PublicSeasonPlace, shell: Shell, pages: ReadPages, caching: Kept
) -> Response[bytes]:
    """Read the standings from the read model, with the names of the players."""
    name, league = f"public standings {place.id}", place.league.league
    paged = await pages.read(league, name, int, str, projection="standings")
    after = None if paged.after is None else (int(paged.after[0]), str(paged.after[1]))
    async with shell.engine.connect() as connection:
        rows = await queries.standings(connection, place.id, limit=paged.limit + 1, after=after)
    page = paged.page(rows, lambda each: (each.rank, each.player))
    called = await names(shell.engine, [UUID(hex=each.player[4:]) for each in page.items])
    shown = [copied(PublicStanding, row, name=called.get(row.player)) for row in page.items]
    return pages.answer(Page(items=shown, next_cursor=page.next_cursor), caching.headers)
