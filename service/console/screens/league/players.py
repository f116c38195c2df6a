"""The players of a league, and what one of them has done here."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

import msgspec
from babel.dates import format_date
from markupsafe import Markup

from service.api.http.paging import Page as ApiPage
from service.api.league.leagues import LeagueShown
from service.api.league.members import MemberShown
from service.api.league.ratings import RatingShown
from service.api.league.records import PlayerRecord
from service.console.asking import Ask
from service.console.declaring import page
from service.console.drawing import charts
from service.console.pages import Page
from service.console.screens.league.seasons import everything

_FORM = 5
"""The latest places that tell the form."""

_GAMES_MAX = 100


class _Rated(msgspec.Struct):
    """What this page reads of a rating after a tournament."""

    tournament: str
    ordinal: str


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
    """What the reader looks for."""

    players: tuple[Listed, ...]


class Game(msgspec.Struct, kw_only=True):
    """An evening of a player."""

    tournament: str
    name: str
    at: datetime
    state: str
    withdrawn: bool
    placing: int | None
    shared: int | None
    payout: int | None
    currency: str | None
    knockouts: int
    rating: str | None
    """The rating after it."""


class PlayerScreen(msgspec.Struct, kw_only=True):
    """What a player has done in a league."""

    league: str
    league_name: str
    player: str
    name: str | None
    me: bool
    record: PlayerRecord
    rating: str | None
    form: tuple[int, ...]
    """The latest places, newest last."""

    games: tuple[Game, ...]
    curve: Markup | None
    rated: tuple[Game, ...]
    """The evenings of the curve, oldest first."""

    places: Markup | None


@page("/leagues/{league:str}/players")
async def players(ask: Ask, league: str) -> Page:
    """List the players, the best rated first, or those whose name holds what is asked for."""
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
        for each in sorted(unrated, key=lambda each: (each.name or "").casefold())
    ]
    wanted = ask.query("q").strip()
    screen = PlayersScreen(
        league=league,
        name=shown.name,
        wanted=wanted,
        players=tuple(each for each in found if wanted.casefold() in (each.name or "").casefold()),
    )
    return Page("league/players.html", screen)


@page("/leagues/{league:str}/players/{player:str}")
async def player(ask: Ask, league: str, player: str) -> Page:
    """Show the record of a player, with the rating and the places."""
    path = f"/v1/leagues/{league}"
    me, shown, record, rated = await asyncio.gather(
        ask.me(),
        ask.api.get(path, LeagueShown),
        ask.api.get(f"{path}/players/{player}/record", PlayerRecord, limit=_GAMES_MAX),
        everything(ask, f"{path}/ratings/{player}", ApiPage[_Rated]),
    )
    ratings = {each.tournament: each.ordinal for each in rated}
    games = [
        Game(
            tournament=each.tournament,
            name=each.name,
            at=each.finished_at or each.registered_at,
            state=each.state,
            withdrawn=each.withdrawn,
            placing=each.placing,
            shared=each.shared,
            payout=each.payout,
            currency=each.currency,
            knockouts=each.knockouts,
            rating=ratings.get(each.tournament),
        )
        for each in record.games
    ]
    placed = [each.placing for each in games if each.placing is not None]
    of_curve = [each for each in reversed(games) if each.rating is not None]
    screen = PlayerScreen(
        league=league,
        league_name=shown.name,
        player=player,
        name=record.name,
        me=player == me.id,
        record=record,
        rating=rated[0].ordinal if rated else None,
        form=tuple(reversed(placed[:_FORM])),
        games=tuple(games),
        curve=_curve(ask, of_curve),
        rated=tuple(of_curve),
        places=_places(record),
    )
    return Page("league/player.html", screen)


def _curve(ask: Ask, games: Sequence[Game]) -> Markup | None:
    if len(games) < 2:
        return None
    labels = [format_date(each.at, "d MMM", locale=ask.language.locale) for each in games]
    return charts.curve([float(Decimal(each.rating or 0)) for each in games], labels)


def _places(record: PlayerRecord) -> Markup | None:
    """Return how often the player came in on each place, from the first to the last."""
    times = {each.place: each.times for each in record.sums.placings}
    if not times:
        return None
    stops = range(1, max(times) + 1)
    counts = [times.get(each, 0) for each in stops]
    return charts.columns(counts, [str(each) for each in stops], lit=range(1))
