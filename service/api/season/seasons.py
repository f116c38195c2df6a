"""Seasons: their terms, their lots and their standings."""

from datetime import datetime
from typing import Annotated, Literal, TypedDict

import msgspec
from litestar import Response
from msgspec import Meta

from engine.kit.structs import copied
from engine.season.commands import Command, OpenSeason
from engine.season.presets import PRESETS, Preset
from engine.season.schedule.commands import ScheduleClose
from engine.season.state import Opened
from engine.season.terms import demand_values
from engine.season.tiebreaks import TIE_BREAKS, TieBreak
from engine.season.values import (
    Aggregation,
    Bonus,
    Fate,
    LotDraw,
    PlacesFromEnd,
    PointsFormula,
    PointsRule,
    PointsTable,
)
from engine.values import LeagueId, SeasonId, stream_of
from service.announcing.inputs import Instant, Name, in_utc
from service.api.http.access.rights import AS_KNOWN, LeaguePlace, SeasonPlace
from service.api.http.operations import operation
from service.api.http.reading.called import names_of
from service.api.http.reading.etags import Tags
from service.api.http.reading.listing import Paging
from service.api.http.reading.moments import AS_OF_PROBLEMS, Moment, Then
from service.api.http.reading.paging import Page
from service.api.http.reading.positions import ReadPages
from service.api.http.shell import Shell, shell_of
from service.api.http.writing.submitting import Order, answer, decide_one
from service.base.errors import BadRequest, StreamNotFound
from service.base.pools import SIMULATION
from service.director.counting import count_aside
from service.people.tokens import Principal
from service.projections.reads import queries
from service.projections.reads.rows import SeasonRow, StandingRow


class FormulaWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, tag="points_formula"):
    """An expression of n, k, entries, buy_in, pool, spent and knockouts."""

    text: str
    """The expression. `docs/guides/points.md` describes its language."""


class PresetWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, tag="points_preset"):
    """The name of a preset from ``GET /v1/points-formulas``."""

    name: str
    """The name of a preset from `GET /v1/points-formulas`."""


class RulesWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The points for a place, the aggregation of results, and the tie-breaks."""

    points: PlacesFromEnd | PointsTable | FormulaWanted | PresetWanted = PlacesFromEnd()
    """The points for a place: by the places from the end, a table, a formula or a preset."""

    scale: Annotated[int, Meta(ge=0, le=6)] | None = None
    """Fraction digits of all points. The default is the preset's, otherwise 2."""

    aggregation: Aggregation = Aggregation()
    """The way in which the results of a player become one total."""

    minimum_games: Annotated[int, Meta(ge=0, le=1000)] = 0
    """Players with fewer games rank behind all others."""

    overall: str | None = None
    """An expression of total, average and played."""

    bonuses: tuple[Bonus, ...] | None = None
    """Points apart from the place. The default is the preset's, otherwise none."""

    tie_breaks: tuple[TieBreak, ...] = TIE_BREAKS
    """The rules that decide between equal points, in the order of use."""


class SeasonWanted(RulesWanted, forbid_unknown_fields=True, kw_only=True):
    """
    A season: the points for a place, the aggregation of results, and the tie-breaks.

    These terms never change. If a preset is named, it supplies the members that are null.
    """

    name: Name
    """As shown to everybody, 1 to 120 characters."""

    closes_at: Instant | None = None
    """The instant at which the season closes by itself, as in ``POST /v1/seasons/{id}/closing``."""

    def __post_init__(self) -> None:
        """Convert the instant to UTC, as in the log."""
        self.closes_at = None if self.closes_at is None else in_utc(self.closes_at)


class SeasonMade(msgspec.Struct, kw_only=True):
    """A season after a command."""

    id: str
    """The season, `ssn_…`."""

    league: str
    name: str
    """As shown to everybody."""

    position: str | None = None


class SeasonShown(msgspec.Struct, kw_only=True):
    """A season with its terms. Once closed, it also shows the values that prove its lots."""

    id: str
    """The season, `ssn_…`."""

    league: str
    name: str
    """As shown to everybody."""

    state: Literal["open", "closed"]
    """A closed season never changes again."""

    closes_at: datetime | None
    """The instant at which the season closes by itself."""

    points: PointsRule
    """The points for a place: by the places from the end, a table or a formula."""

    scale: int
    """Fraction digits of all points."""

    aggregation: Aggregation
    """The way in which the results of a player become one total."""

    minimum_games: int
    """Players with fewer games rank behind all others."""

    overall: str | None
    """An expression of total, average and played that gives the total, or null."""

    bonuses: tuple[Bonus, ...]
    """Points apart from the place."""

    tie_breaks: tuple[str, ...]
    """The rules that decide between equal points, in the order of use."""

    master_commitment: str | None
    """The commitment to the master of the lots, made when the season opened."""

    master: str | None
    """Null until the season is closed."""

    lots: tuple[LotDraw, ...]
    """The draws between players who were equal in everything. Empty until the season is closed."""

    fates: tuple[Fate, ...] | None
    """The fate of each tournament announced for the season. Null until the season is closed."""


@operation(
    "POST", "/v1/leagues/{league_id:str}/seasons", "open_season", "Open a season.",
    needs="manage_seasons",
    scope="tournaments:manage", answer=SeasonMade, status=201,
    problems=(
        "bad_request", "forbidden", "season_terms_invalid", "formula_invalid", "recurrence_invalid",
        "overloaded",
    ),
    key_required=True,
)  # fmt: skip
async def open_season(
    body: SeasonWanted, place: LeaguePlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Begin a season's stream and commit to the master of its lots."""
    terms = points_of(body)
    if isinstance(terms["points"], PointsFormula):
        account = str(principal.account.number)
        await SIMULATION.run(account, demand_values, terms["points"])
    season = SeasonId(f"ssn_{order.new_id(0).hex}")
    command = OpenSeason(
        season=season,
        league=LeagueId(place.league),
        name=body.name,
        aggregation=body.aggregation,
        minimum_games=body.minimum_games,
        tie_breaks=body.tie_breaks,
        master=shell.runtime.entropy.token(),
        salt=shell.runtime.entropy.token(),
        now=shell.now(),
        **terms,
    )
    commands: list[Command] = [command]
    if body.closes_at is not None:
        commands.append(ScheduleClose(closes_at=body.closes_at, now=shell.now()))
    receipt = await decide_one(shell, place.league, season, order, commands)
    content = {"id": season, "league": place.league, "name": body.name}
    return answer(receipt, content, version_of=stream_of(season))


class PointsTerms(TypedDict):
    """The members of a season's terms that a preset may supply."""

    points: PointsRule
    scale: int
    overall: str | None
    bonuses: tuple[Bonus, ...]


def points_of(body: RulesWanted) -> PointsTerms:
    """
    Return the rules for points. The preset supplies members that the body leaves out.

    Raises:
        BadRequest: If there is no such preset.
    """
    points: PointsRule
    match body.points:
        case PresetWanted(name=name):
            if name not in PRESETS:
                raise BadRequest("bad_request", f"no preset {name}; see GET /v1/points-formulas")
            preset = PRESETS[name]
            points = preset.points
        case FormulaWanted(text=text):
            points = PointsFormula(text=text)
            preset = _NO_PRESET
        case rule:
            points = rule
            preset = _NO_PRESET
    return {
        "points": points,
        "scale": preset.scale if body.scale is None else body.scale,
        "overall": preset.overall if body.overall is None else body.overall,
        "bonuses": preset.bonuses if body.bonuses is None else body.bonuses,
    }


_NO_PRESET = Preset(name="", says="", points=PlacesFromEnd(), source="")


@operation(
    "GET", "/v1/leagues/{league_id:str}/seasons", "list_seasons", "List a league's seasons.",
    needs="read_league", scope="leagues:read",
    answer=Page[SeasonRow],
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def list_seasons(place: LeaguePlace, shell: Shell, pages: ReadPages) -> Response[bytes]:
    """List the seasons from the read models, in order of opening."""
    name = f"seasons {place.id}"
    paged = await pages.read(place.league, name, int, projection="standings")
    async with shell.engine.connect() as connection:
        rows = await queries.seasons(connection, place.id)
    opened = {each.season: number for number, each in enumerate(rows)}
    return pages.answer(paged.cut(rows, lambda each: (opened[each.season],)))


@operation(
    "GET", "/v1/seasons/{season_id:str}", "read_season", "Read a season's terms and lots.",
    needs="read_league", scope="leagues:read", answer=SeasonShown,
)  # fmt: skip
async def read_season(place: SeasonPlace, tags: Tags) -> Response[bytes]:
    """Read a season from the aggregate."""
    return tags.answer(_shown(place), place.loaded.version)


def _shown(place: SeasonPlace) -> SeasonShown:
    state = place.state
    if not isinstance(state, Opened):
        raise StreamNotFound("it does not exist, or you may not see it")
    terms = state.terms
    published = state.closed and terms.master is not None
    return SeasonShown(
        id=terms.season,
        league=place.league,
        name=terms.name,
        state="closed" if state.closed else "open",
        closes_at=state.schedule.closes_at,
        points=terms.points,
        scale=terms.scale,
        aggregation=terms.aggregation,
        minimum_games=terms.minimum_games,
        overall=terms.overall,
        bonuses=terms.bonuses,
        tie_breaks=terms.tie_breaks,
        master_commitment=terms.master_commitment,
        master=terms.master.value if published and terms.master is not None else None,
        lots=tuple(each.draw for each in state.lots),
        fates=state.fates,
    )


class StandingShown(StandingRow, frozen=True, kw_only=True):
    """A player's line in a season's standings."""

    name: str | None
    """The player's name now."""


@operation(
    "GET", "/v1/seasons/{season_id:str}/standings", "read_standings", "List a season's standings.",
    needs="read_league", scope="leagues:read",
    answer=Page[StandingShown],
    problems=("invalid_cursor", "not_caught_up", "overloaded", *AS_OF_PROBLEMS),
)  # fmt: skip
async def read_standings(
    place: Annotated[SeasonPlace, AS_KNOWN],
    shell: Shell,
    principal: Principal,
    pages: ReadPages,
    then: Then,
) -> Response[bytes]:
    """Read the read models. With ``as_of``, fold the season's events up to that position."""
    moment = await then.moment(place.league)
    if moment is not None:
        return await _standings_then(pages, place.id, moment, str(principal.account.number))
    name = f"standings {place.id}"
    paged = await pages.read(place.league, name, int, str, projection="standings")
    async with shell.engine.connect() as connection:
        rows = await queries.standings(
            connection, place.id, limit=paged.limit + 1, after=paged.after
        )
    page = paged.page(rows, lambda each: (each.rank, each.player))
    return await _named(shell, pages, page)


async def _named(
    shell: Shell, pages: Paging, page: Page[StandingRow], headers: dict[str, str] | None = None
) -> Response[bytes]:
    """Answer with a page of the standings and the names of its players."""
    called = await names_of(shell, (each.player for each in page.items))
    items = [copied(StandingShown, each, name=called.get(each.player)) for each in page.items]
    return pages.answer(Page(items=items, next_cursor=page.next_cursor), headers)


async def _standings_then(
    pages: Paging, season: str, moment: Moment, client: str
) -> Response[bytes]:
    state = (await moment.state(stream_of(season))).state
    if not isinstance(state, Opened):
        raise StreamNotFound("it did not exist at that time, or you may not see it")
    rows = [
        copied(StandingRow, each, season=season)
        for each in await count_aside(state, client, state.standings)
    ]
    paged = moment.listing(pages, f"standings {season}", int, str)
    page = paged.cut(rows, lambda each: (each.rank, each.player))
    return await _named(shell_of(pages.request), pages, page, moment.headers)
