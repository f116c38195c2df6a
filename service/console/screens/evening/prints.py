"""Papers to print: seat cards, a sheet for each table, the result and the standings."""

import re
from datetime import datetime

import msgspec
from litestar import Response

from service.api.http.access.authentication import believed
from service.api.http.reading.paging import Page as Listed
from service.api.http.shell import client_address, shell_of
from service.api.season.seasons import StandingShown
from service.api.tournament.entrants import EntrantShown
from service.api.tournament.tournaments import TournamentShown
from service.base.letters import by_name
from service.console import links
from service.console.asking import Ask, house_address
from service.console.calling import Problem
from service.console.declaring import page
from service.console.drawing.qr import qr_file
from service.console.listing import everything
from service.console.pages import Page

PAPERS = ("cards", "tables", "result", "standings")
"""The papers that a page may show."""

_TOURNAMENT, _PLAYER = re.compile(r"trn_[0-9a-f]{32}"), re.compile(r"plr_[0-9a-f]{32}")
_PLAYS = frozenset({"registered", "playing", "rebuy_open"})


class Card(msgspec.Struct, kw_only=True):
    """A seat card. Table and seat are null until the draw."""

    name: str | None
    table: int | None
    seat: int | None
    player: str


class Sheet(msgspec.Struct, kw_only=True):
    """The sheet of one table: the name at each seat, or None for a free one."""

    number: int
    seats: tuple[str | None, ...]


class Result(msgspec.Struct, kw_only=True):
    """A place with its prize in minor units."""

    place: int
    name: str | None
    prize: int


class Rank(msgspec.Struct, kw_only=True):
    """A line of the standings."""

    rank: int
    name: str | None
    points: str


class PrintsScreen(msgspec.Struct, kw_only=True):
    """The papers of a tournament. One kind is shown."""

    id: str
    league: str
    name: str
    place: str | None
    starts_at: datetime
    currency: str | None
    what: str
    seasonal: bool
    """True if the tournament counts for a season."""

    cards: tuple[Card, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    results: tuple[Result, ...] = ()
    ranks: tuple[Rank, ...] = ()


@page("/tournaments/{tournament:str}/prints")
async def prints(ask: Ask, tournament: str) -> Page:
    """Show the papers of the requested kind."""
    shown = await ask.api.get(f"/v1/tournaments/{tournament}", TournamentShown)
    asked = ask.query("what")
    screen = PrintsScreen(
        id=shown.id,
        league=shown.league,
        name=shown.name,
        place=shown.place,
        starts_at=shown.starts_at,
        currency=shown.currency,
        what=asked if asked in PAPERS else "cards",
        seasonal=shown.season is not None,
    )
    if screen.what == "cards":
        screen.cards = _cards(shown)
    elif screen.what == "tables":
        screen.sheets = _sheets(shown)
    elif screen.what == "result":
        screen.results = _results(shown.entrants)
    elif shown.season is not None:
        screen.ranks = await _ranks(ask, shown.season)
    return Page("evening/prints.html", screen)


@page("/tournaments/{tournament:str}/here/{player:str}/code.svg")
async def code(ask: Ask, tournament: str, player: str) -> Response[bytes]:
    """
    Draw the code of a player.

    It holds only what its own address says, so nothing has to be asked.
    """
    if not (_TOURNAMENT.fullmatch(tournament) and _PLAYER.fullmatch(player)):
        raise Problem(404, {"code": "not_found"})
    address = house_address(ask) + links.at_door(tournament, player)
    drawn = await qr_file(address, _drawn_for(ask))
    return Response(drawn, media_type="image/svg+xml")


def _drawn_for(ask: Ask) -> str:
    """Return the account whose share of the pool the drawing takes, or else the address."""
    known = believed(shell_of(ask.request), ask.api.token)
    return client_address(ask.request) if known is None else str(known.account.number)


def _cards(shown: TournamentShown) -> tuple[Card, ...]:
    numbers = {each.id: each.number for each in shown.tables}
    cards = [
        Card(
            name=each.name,
            table=None if each.table is None else numbers.get(each.table),
            seat=each.seat,
            player=each.player,
        )
        for each in shown.entrants
        if each.status in _PLAYS
    ]
    return tuple(sorted(cards, key=_by_seat))


def _by_seat(card: Card) -> tuple[int, int, tuple[bool, str, str]]:
    return card.table or 0, card.seat or 0, by_name(card.name)


def _sheets(shown: TournamentShown) -> tuple[Sheet, ...]:
    sheets = []
    for table in shown.tables:
        seated = {each.seat: each.name for each in shown.entrants if each.table == table.id}
        seats = tuple(seated.get(seat) for seat in range(1, shown.table_seats + 1))
        sheets.append(Sheet(number=table.number, seats=seats))
    return tuple(sheets)


def _results(entrants: tuple[EntrantShown, ...]) -> tuple[Result, ...]:
    found = [
        Result(place=each.placing, name=each.name, prize=each.payout or 0)
        for each in entrants
        if each.placing is not None
    ]
    return tuple(sorted(found, key=lambda each: each.place))


async def _ranks(ask: Ask, season: str) -> tuple[Rank, ...]:
    found = await everything(ask, f"/v1/seasons/{season}/standings", Listed[StandingShown])
    return tuple(Rank(rank=each.rank, name=each.name, points=str(each.points)) for each in found)
