"""The standings of a season, with the counted results and their history."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec
from babel.dates import format_date
from litestar import Response
from markupsafe import Markup

from service.api.http.reading.paging import Page as ApiPage
from service.api.league.leagues import LeagueShown
from service.api.public.results import PublicSeason, PublicStanding
from service.api.season.season_results import PlayerResults
from service.api.season.seasons import StandingShown
from service.api.season.series import EveningShown
from service.console import links
from service.console.asking import Ask, seen_by
from service.console.declaring import page
from service.console.drawing import charts
from service.console.drawing.charts import ChartSeries
from service.console.listing import everything
from service.console.pages import Done, Page

BEGINS = 60, 12
"""The most rows with which a page begins, and the fewest."""

RESULTS = 480
"""The results in all these rows. With more, fewer rows begin."""

COURSES_MAX = 24
"""The most players in the chart: the leaders, and the reader."""


class SeasonListed(msgspec.Struct):
    """The members of a season in the list that pages read."""

    season: str
    name: str
    state: str
    opened_at: datetime
    closed_at: datetime | None


class _PlacesFromEnd(msgspec.Struct, tag="places_from_end"):
    per_place: str


class _PointsTable(msgspec.Struct, tag="points_table"):
    points: tuple[str, ...]


class _PointsFormula(msgspec.Struct, tag="points_formula"):
    text: str


class _Aggregation(msgspec.Struct):
    mode: str
    results: int | None = None


class _Bonus(msgspec.Struct):
    kind: str
    points: str


class _Season(msgspec.Struct):
    """The members of a season that this page reads."""

    league: str
    name: str
    state: str
    points: _PlacesFromEnd | _PointsTable | _PointsFormula
    aggregation: _Aggregation
    minimum_games: int
    bonuses: tuple[_Bonus, ...]
    tie_breaks: tuple[str, ...]


class Row(msgspec.Struct, kw_only=True):
    """A line of the standings."""

    rank: int
    player: str
    name: str | None
    points: str
    qualified: bool
    played: int
    counted: int
    wins: int
    decided_by: str | None
    moved: int | None
    """Places up since the evening before, or null if there is nothing to compare."""

    me: bool
    results: PlayerResults | None
    """The parts of the points, or null for a stranger."""


class Evening(msgspec.Struct, kw_only=True):
    """A counted evening, with the place of each player after it."""

    tournament: str
    at: datetime
    places: dict[str, int]


class Counting(msgspec.Struct, kw_only=True):
    """The season's rules of counting."""

    formula: str | None
    """The text of a formula, or null for a table or places from the end."""

    table: tuple[str, ...]
    per_place: str | None
    mode: str
    kept: int
    minimum_games: int
    bonuses: tuple[tuple[str, str], ...]
    """Kind and points."""

    tie_breaks: tuple[str, ...]


class SeasonScreen(msgspec.Struct, kw_only=True):
    """The page of a season."""

    id: str
    league: str
    league_name: str
    name: str
    closed: bool
    seasons: tuple[SeasonListed, ...]
    rows: tuple[Row, ...]
    evenings: tuple[Evening, ...]
    chart: Markup | None
    """The places over the evenings, or null before the second one."""

    counting: Counting | None

    @property
    def begins(self) -> int:
        """The number of rows with which the page begins."""
        each = max((len(row.results.results) for row in self.rows if row.results), default=1)
        most, fewest = BEGINS
        return max(fewest, min(most, RESULTS // max(each, len(self.evenings), 1)))


@page("/seasons/{season:str}", open=True)
async def season(ask: Ask, season: str) -> Page:
    """Show the standings as the reader may see them."""
    return Page("league/season.html", await seen_by(ask, _as_member, _as_stranger, season))


@page("/leagues/{league:str}/standings", open=True)
async def league_standings(ask: Ask, league: str) -> Done:
    """Go to the open season, or else to the last one."""
    current = running(await seen_by(ask, league_seasons, public_seasons, league))
    return Done(links.league(league) if current is None else links.season(current.season))


async def league_seasons(ask: Ask, league: str) -> list[SeasonListed]:
    """Return the seasons that members may see, oldest first."""
    return await everything(ask, f"/v1/leagues/{league}/seasons", ApiPage[SeasonListed])


async def public_seasons(ask: Ask, league: str) -> list[SeasonListed]:
    """Return the seasons that strangers may see, oldest first."""
    path = f"/v1/public/leagues/{league}/seasons"
    return await everything(ask, path, ApiPage[SeasonListed])


@page("/seasons/{season:str}/standings.csv")
async def standings_csv(ask: Ask, season: str) -> Response[bytes]:
    """Download the standings for a spreadsheet."""
    text = await ask.api.text(f"/v1/seasons/{season}/standings.csv")
    headers = {"Content-Disposition": f'attachment; filename="standings-{season}.csv"'}
    return Response(text.encode(), media_type="text/csv", headers=headers)


def running(seasons: Sequence[SeasonListed]) -> SeasonListed | None:
    """Return the newest season that is open, or else the newest of all."""
    newest = list(reversed(seasons))
    return next((each for each in newest if each.state == "open"), next(iter(newest), None))


async def _as_member(ask: Ask, season: str) -> SeasonScreen:
    path = f"/v1/seasons/{season}"
    me, shown, lines, results, series = await asyncio.gather(
        ask.me(),
        ask.api.get(path, _Season),
        everything(ask, f"{path}/standings", ApiPage[StandingShown]),
        everything(ask, f"{path}/results", ApiPage[PlayerResults]),
        everything(ask, f"{path}/standings/series", ApiPage[EveningShown]),
    )
    league, seasons = await asyncio.gather(
        ask.api.get(f"/v1/leagues/{shown.league}", LeagueShown),
        league_seasons(ask, shown.league),
    )
    evenings = tuple(
        Evening(
            tournament=each.tournament,
            at=each.at,
            places={line.player: line.rank for line in each.standings},
        )
        for each in series
    )
    of_player = {each.player: each for each in results}
    rows = tuple(
        _row(each, of_player.get(each.player), _moved(each, evenings), me=each.player == me.id)
        for each in lines
    )
    return SeasonScreen(
        id=season,
        league=shown.league,
        league_name=league.name,
        name=shown.name,
        closed=shown.state == "closed",
        seasons=tuple(seasons),
        rows=rows,
        evenings=evenings,
        chart=_chart(ask, rows, evenings),
        counting=_counting(shown),
    )


async def _as_stranger(ask: Ask, season: str) -> SeasonScreen:
    path = f"/v1/public/seasons/{season}"
    shown, lines = await asyncio.gather(
        ask.api.get(path, PublicSeason),
        everything(ask, f"{path}/standings", ApiPage[PublicStanding]),
    )
    return SeasonScreen(
        id=season,
        league=shown.league,
        league_name=shown.league_name,
        name=shown.name,
        closed=shown.closed,
        seasons=tuple(await public_seasons(ask, shown.league)),
        rows=tuple(_row(each, None, None, me=False) for each in lines),
        evenings=(),
        chart=None,
        counting=None,
    )


class _Line(Protocol):
    """The members of a line of either standings that this page reads."""

    @property
    def rank(self) -> int: ...
    @property
    def player(self) -> str: ...
    @property
    def name(self) -> str | None: ...
    @property
    def points(self) -> str: ...
    @property
    def qualified(self) -> bool: ...
    @property
    def played(self) -> int: ...
    @property
    def counted(self) -> int: ...
    @property
    def wins(self) -> int: ...


def _row(line: _Line, results: PlayerResults | None, moved: int | None, *, me: bool) -> Row:
    return Row(
        rank=line.rank,
        player=line.player,
        name=line.name,
        points=line.points,
        qualified=line.qualified,
        played=line.played,
        counted=line.counted,
        wins=line.wins,
        decided_by=line.decided_by if isinstance(line, StandingShown) else None,
        moved=moved,
        me=me,
        results=results,
    )


def _moved(line: StandingShown, evenings: Sequence[Evening]) -> int | None:
    """Return how many places each player has risen since the evening before the last one."""
    if len(evenings) < 2:
        return None
    before = evenings[-2].places.get(line.player)
    return None if before is None else before - line.rank


def _chart(ask: Ask, rows: Sequence[Row], evenings: Sequence[Evening]) -> Markup | None:
    if len(evenings) < 2:
        return None
    drawn = [each for each in rows if each.rank <= COURSES_MAX or each.me]
    courses = [
        ChartSeries(
            each.name or ask.gettext("somebody who has left"),
            [evening.places.get(each.player) for evening in evenings],
            lit=each.me,
        )
        for each in drawn
    ]
    pattern, locale = ask.gettext("d MMM"), ask.language.locale
    labels = [format_date(each.at, pattern, locale=locale) for each in evenings]
    return charts.bump(courses, labels)


def _counting(shown: _Season) -> Counting:
    points = shown.points
    return Counting(
        formula=points.text if isinstance(points, _PointsFormula) else None,
        table=points.points if isinstance(points, _PointsTable) else (),
        per_place=points.per_place if isinstance(points, _PlacesFromEnd) else None,
        mode=shown.aggregation.mode,
        kept=shown.aggregation.results or 0,
        minimum_games=shown.minimum_games,
        bonuses=tuple((each.kind, each.points) for each in shown.bonuses),
        tie_breaks=shown.tie_breaks,
    )
