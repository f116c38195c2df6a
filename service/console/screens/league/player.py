"""A player's record in a league, alone or beside another player's."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Protocol

import msgspec
from babel.dates import format_date
from markupsafe import Markup

from service.api.http.reading.paging import Page as ApiPage
from service.api.league.leagues import LeagueShown
from service.api.league.members import MemberShown
from service.api.league.records import PlayerRecord
from service.api.public.players import PublicRecord
from service.base.letters import by_name
from service.console.asking import Ask, seen_by
from service.console.calling import Problem
from service.console.declaring import page
from service.console.drawing import charts
from service.console.listing import everything
from service.console.pages import Page
from service.console.screens.evening.entry import OVER
from service.console.screens.league.comparing import Against, Game, together
from service.console.words import Words

_FORM = 5
"""The number of latest places that show the player's form."""

_GAMES_MAX = 200
"""The number of evenings that the page shows and compares: the largest page of the API."""


_COLUMNS_MIN = 6
"""The fewest columns of the chart of places, so that a single one does not fill the page."""


class _Rated(msgspec.Struct):
    """The members of a rating after a tournament that this page reads."""

    tournament: str
    ordinal: str


class Season(msgspec.Struct, kw_only=True):
    """The points of a season."""

    season: str
    name: str
    points: str


class Won(msgspec.Struct, kw_only=True):
    """Prizes and bounties in one currency, in its minor units."""

    currency: str | None
    amount: int


class Placed(msgspec.Struct, kw_only=True):
    """The number of times that a player finished in a place."""

    place: int
    times: int


class PlayerScreen(msgspec.Struct, kw_only=True):
    """The page of a player's record in a league."""

    league: str
    league_name: str
    player: str
    name: str | None
    me: bool
    evenings: int
    wins: int
    knockouts: int
    hands: int
    """Hands dealt. Strangers do not see their number."""

    hands_won: int
    winnings: tuple[Won, ...]
    rating: str | None
    form: tuple[int, ...]
    """The latest places, newest last."""

    ahead: tuple[Game, ...]
    """The evenings that are under way or to come."""

    games: tuple[Game, ...]
    """The evenings that are over, or that the player has given up, newest first."""

    more: bool
    """True if there are older evenings."""

    curve: Markup | None
    rated: tuple[Game, ...]
    """The evenings of the curve, oldest first."""

    placings: tuple[Placed, ...]
    places: Markup | None
    seasons: tuple[Season, ...]
    others: tuple[tuple[str, str], ...] = ()
    """Players to compare with: player and name. Empty for a stranger."""

    against: Against | None = None
    myself: str | None = None
    """The reader, if the page is about somebody else."""


@page("/leagues/{league:str}/players/{player:str}", open=True)
async def player(ask: Ask, league: str, player: str) -> Page:
    """Show a player's record, beside that of the player whom the address names."""
    other = ask.query("with")
    other = "" if other == player else other
    return Page(
        "league/player.html", await seen_by(ask, _as_member, _as_stranger, league, player, other)
    )


async def _as_member(ask: Ask, league: str, player: str, other: str) -> PlayerScreen:
    path = f"/v1/leagues/{league}"
    me, shown, record, rated, members = await asyncio.gather(
        ask.me(),
        ask.api.get(path, LeagueShown),
        _record(ask, league, player),
        everything(ask, f"{path}/ratings/{player}", ApiPage[_Rated]),
        everything(ask, f"{path}/members", ApiPage[MemberShown]),
    )
    ratings = {each.tournament: each.ordinal for each in rated}
    games = _games(record, ratings)
    of_curve = [each for each in reversed(games) if each.rating is not None]
    sums = record.sums
    placings = [Placed(place=each.place, times=each.times) for each in sums.placings]
    return PlayerScreen(
        league=league,
        league_name=shown.name,
        player=player,
        name=record.name,
        me=player == me.id,
        evenings=sums.tournaments,
        wins=sums.wins,
        knockouts=sums.knockouts,
        hands=sums.hands,
        hands_won=sums.hands_won,
        winnings=tuple(
            Won(currency=each.currency, amount=each.amount + each.bounties)
            for each in sums.winnings
        ),
        rating=rated[0].ordinal if rated else None,
        form=_form(games),
        ahead=tuple(each for each in games if not _over(each)),
        games=tuple(each for each in games if _over(each)),
        more=record.next_cursor is not None,
        curve=_curve(ask, of_curve),
        rated=tuple(of_curve),
        placings=tuple(placings),
        places=_places(placings),
        seasons=tuple(
            Season(season=each.season, name=each.name, points=each.points)
            for each in reversed(sums.points)
        ),
        others=_others(members, player),
        against=await _beside(ask, league, games, record.next_cursor is None, other, member=True),
        myself=me.id if player != me.id and any(each.player == me.id for each in members) else None,
    )


async def _as_stranger(ask: Ask, league: str, player: str, other: str) -> PlayerScreen:
    record = await _public(ask, league, player)
    games = _public_games(record)
    counted = Counter(each.placing for each in games if each.placing is not None)
    placings = [Placed(place=place, times=times) for place, times in sorted(counted.items())]
    whole = record.next_cursor is None
    return PlayerScreen(
        league=league,
        league_name=record.league_name,
        player=player,
        name=record.name,
        me=False,
        evenings=record.tournaments,
        wins=record.wins,
        knockouts=record.knockouts,
        hands=0,
        hands_won=0,
        winnings=(),
        rating=None,
        form=_form(games),
        ahead=tuple(each for each in games if not _over(each)),
        games=tuple(each for each in games if _over(each)),
        more=not whole,
        curve=None,
        rated=(),
        placings=tuple(placings),
        places=_places(placings) if whole else None,
        seasons=(),
        against=await _beside(ask, league, games, whole, other, member=False),
    )


async def _beside(
    ask: Ask, league: str, games: Sequence[Game], whole: bool, other: str, *, member: bool
) -> Against | None:
    """Return the comparison with *other*, or None if no such player has played here."""
    if not other.startswith("plr_"):
        return None
    try:
        found: PlayerRecord | PublicRecord
        if member:
            found = await _record(ask, league, other)
            theirs = _games(found, {})
        else:
            found = await _public(ask, league, other)
            theirs = _public_games(found)
    except Problem as problem:
        if problem.status != 404:
            raise
        return None
    return Against(
        player=other,
        name=found.name,
        evenings=together(games, theirs),
        whole=whole and found.next_cursor is None,
    )


async def _record(ask: Ask, league: str, player: str) -> PlayerRecord:
    path = f"/v1/leagues/{league}/players/{player}/record"
    return await ask.api.get(path, PlayerRecord, limit=_GAMES_MAX)


async def _public(ask: Ask, league: str, player: str) -> PublicRecord:
    path = f"/v1/public/leagues/{league}/players/{player}"
    return await ask.api.get(path, PublicRecord, limit=_GAMES_MAX)


def _games(record: PlayerRecord, ratings: dict[str, str]) -> tuple[Game, ...]:
    return tuple(
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
    )


def _public_games(record: PublicRecord) -> tuple[Game, ...]:
    return tuple(
        Game(
            tournament=each.tournament,
            name=each.name,
            at=each.finished_at or each.starts_at,
            state=each.state,
            withdrawn=False,
            placing=each.placing,
            shared=each.shared,
            payout=each.payout,
            currency=each.currency,
            knockouts=each.knockouts,
            rating=None,
        )
        for each in record.games
    )


class _Named(Protocol):
    @property
    def player(self) -> str: ...
    @property
    def name(self) -> str | None: ...


def _others(members: Sequence[_Named], player: str) -> tuple[tuple[str, str], ...]:
    """Return the members to compare with, by name."""
    named = [(each.player, each.name) for each in members if each.name and each.player != player]
    return tuple(sorted(named, key=lambda each: by_name(each[1])))


def _over(game: Game) -> bool:
    return game.withdrawn or game.state in OVER


def _form(games: Sequence[Game]) -> tuple[int, ...]:
    placed = [each.placing for each in games if each.placing is not None]
    return tuple(reversed(placed[:_FORM]))


def _curve(ask: Ask, games: Sequence[Game]) -> Markup | None:
    if len(games) < 2:
        return None
    pattern, locale = ask.gettext("d MMM"), ask.language.locale
    labels = [format_date(each.at, pattern, locale=locale) if each.at else "" for each in games]
    words, ratings = Words(ask.language), [each.rating or "0" for each in games]
    values = [float(Decimal(each)) for each in ratings]
    return charts.curve(values, labels, words.mark, words.with_tenths(ratings[-1]))


def _places(placings: Sequence[Placed]) -> Markup | None:
    """Return how often the player finished in each place, from the first to the last."""
    times = {each.place: each.times for each in placings}
    if not times:
        return None
    stops = range(1, max(*times, _COLUMNS_MIN) + 1)
    counts = [times.get(each, 0) for each in stops]
    return charts.columns(counts, [str(each) for each in stops], lit=range(1))
