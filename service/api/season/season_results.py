"""The results of each player in a season, with those that make the points."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Annotated, NamedTuple

import msgspec
from litestar import Response
from msgspec import Meta

from engine.season.points import written
from engine.season.standings import NOTHING, Result, Standing, counting
from engine.season.state import Opened, Tournament
from engine.season.values import ImportedTournament
from service.api.http.access.rights import SeasonPlace
from service.api.http.declaring.queries import Query
from service.api.http.operations import operation
from service.api.http.reading.called import names_of
from service.api.http.reading.paging import Page
from service.api.http.reading.positions import ReadPages
from service.api.http.shell import Shell
from service.base.errors import StreamNotFound
from service.director.counting import count_aside
from service.people.tokens import Principal
from service.projections.reads import queries

ONE = Query(
    "player",
    Annotated[str, Meta(pattern="^plr_[0-9a-f]{32}$")],
    "List only this player's results.",
)


class SeasonResult(msgspec.Struct, kw_only=True):
    """A player's result in one tournament of a season."""

    tournament: str | None
    """The tournament, or null if it was imported."""

    name: str | None
    """The name of the tournament, or null if it is not known yet."""

    starts_at: datetime | None
    """The start of the tournament, or null if it was imported."""

    played_on: str | None
    """The day of an imported tournament, as `2024-03-31`, or null."""

    place: int
    """The place, from 1."""

    shared: int
    """Number of players who share the places from `place` on."""

    points: str
    """The points of this result, a decimal number at the season's scale."""

    counts: bool
    """True if this result is one of those that make the player's total."""


class PlayerResults(msgspec.Struct, kw_only=True):
    """A player's line in the standings, with the results behind it."""

    player: str
    name: str | None
    """The player's name now."""

    rank: int
    """The rank, from 1. Players who share one have the same."""

    points: str
    """The points, a decimal number at the season's scale."""

    adjusted: str
    """The sum of the bonuses and adjustments, which `points` contains. It may be negative."""

    results: tuple[SeasonResult, ...]
    """Every result of the player that the season has, oldest first."""


@operation(
    "GET", "/v1/seasons/{season_id:str}/results", "read_season_results",
    "List each player's results in a season, and which of them count, the leader first.",
    needs="read_league", scope="leagues:read", answer=Page[PlayerResults],
    problems=("invalid_cursor", "not_caught_up", "overloaded"),
    about="The results that count, the season's aggregation and the adjustments give the points "
    "in the standings.",
)  # fmt: skip
async def read_season_results(
    place: SeasonPlace,
    shell: Shell,
    principal: Principal,
    player: Annotated[str | None, ONE],
    pages: ReadPages,
) -> Response[bytes]:
    """Read results and standings from the aggregate, and the names of tournaments from a list."""
    state = place.state
    if not isinstance(state, Opened):
        raise StreamNotFound("it does not exist, or you may not see it")
    name = f"results {place.id} {player}"
    paged = await pages.read(place.league, name, int, str, projection="tournaments")
    standings = await count_aside(state, str(principal.account.number), state.standings)
    found = [each for each in standings if player is None or each.player == player]
    page = paged.cut(found, lambda each: (each.rank, each.player))
    called = await names_of(shell, (each.player for each in page.items))
    async with shell.engine.connect() as connection:
        rows = await queries.tournaments_named(
            connection, [each.tournament for each in state.counted]
        )
    shown = _Shown(
        state,
        {each.tournament: _Where(each.tournament, each.name, each.starts_at) for each in rows},
    )
    items = [shown.line(each, called.get(each.player)) for each in page.items]
    return pages.answer(Page(items=items, next_cursor=page.next_cursor))


class _Where(NamedTuple):
    """The tournament of a result."""

    tournament: str | None = None
    name: str | None = None
    starts_at: datetime | None = None
    played_on: str | None = None


class _Shown:
    """
    The results of a season by player.

    Args:
        named: The counted tournaments that are known.
    """

    def __init__(self, state: Opened, named: Mapping[str, _Where]) -> None:
        self._terms = state.terms
        ended = state.results()
        self._count = len(ended)
        self._by_player: dict[str, list[tuple[ImportedTournament | Tournament, Result]]] = {}
        for each, results in ended:
            for result in results:
                self._by_player.setdefault(result.player, []).append((each, result))
        self._named = named
        self._adjusted = state.adjusted_points()

    def line(self, standing: Standing, name: str | None) -> PlayerResults:
        """Return the line of one player."""
        mine = self._by_player.get(standing.player, [])
        points = [Decimal(result.points) for _, result in mine]
        kept = counting(self._terms.aggregation, points, self._count)
        adjusted = self._adjusted.get(standing.player, NOTHING)
        return PlayerResults(
            player=standing.player,
            name=name,
            rank=standing.rank,
            points=standing.points,
            adjusted=written(adjusted, scale=self._terms.scale),
            results=tuple(
                self._result(ended, result, counts=index in kept)
                for index, (ended, result) in enumerate(mine)
            ),
        )

    def _result(
        self, ended: ImportedTournament | Tournament, result: Result, *, counts: bool
    ) -> SeasonResult:
        match ended:
            case ImportedTournament():
                where = _Where(name=ended.name, played_on=ended.played_on)
            case Tournament():
                where = self._named.get(ended.tournament, _Where(tournament=ended.tournament))
        return SeasonResult(
            tournament=where.tournament,
            name=where.name,
            starts_at=where.starts_at,
            played_on=where.played_on,
            place=result.place,
            shared=result.shared,
            points=result.points,
            counts=counts,
        )
