"""Home: my turn first, what waits for me, my next evenings, my leagues."""

import asyncio
from datetime import datetime, timedelta

import msgspec

from service.api.league.calendars import Schedule
from service.api.me.accounts import Me, MyLeague, MySeat
from service.api.tournament.entrants import EntrantShown
from service.api.tournament.tournaments import TournamentShown
from service.console import links
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.declaring import page
from service.console.pages import Page
from service.console.screens.tournaments import check_in_open, entry_of

_AHEAD = timedelta(days=30)
_BEHIND = timedelta(hours=12)
_EVENINGS_MAX = 8
_LOOKED_AT_MAX = 16


class Seat(msgspec.Struct, kw_only=True):
    """A seat of the reader at a table."""

    tournament: str
    name: str
    """The tournament's name."""

    table: str
    table_number: int
    seat: int
    stack: int | None
    your_turn: bool
    deadline: datetime | None


class Waiting(msgspec.Struct, kw_only=True):
    """Something that waits for the reader, apart from a turn."""

    kind: str
    """``offer``, ``rebuy`` or ``check_in``."""

    tournament: str
    name: str
    until: datetime | None


class Evening(msgspec.Struct, kw_only=True):
    """An evening of one of the reader's leagues."""

    tournament: str | None
    """The tournament, or null while it is only planned."""

    name: str
    league: MyLeague
    starts_at: datetime
    zone: str | None
    place: str | None
    entered: bool


class HomeScreen(msgspec.Struct, kw_only=True):
    """The home page of somebody who has signed in."""

    seats: tuple[Seat, ...]
    """The seats, with those first where it is the reader's turn."""

    waiting: tuple[Waiting, ...]
    evenings: tuple[Evening, ...]
    leagues: tuple[MyLeague, ...]
    me: str
    now: datetime


@page(links.HOME, open=True)
async def home(ask: Ask) -> Page:
    """Show what concerns the reader, or tell a stranger what this is."""
    if not ask.signed_in:
        return Page("home/welcome.html")
    me = await ask.me()
    schedules = await asyncio.gather(*(_schedule(ask, each, me.now) for each in me.leagues))
    items = sorted(
        ((item, league) for league, found in zip(me.leagues, schedules, strict=True)
         for item in found.items if item.standing in ("on", "planned")),
        key=lambda each: each[0].starts_at,
    )  # fmt: skip
    named = [item.tournament for item, _ in items[:_EVENINGS_MAX]]
    wanted = dict.fromkeys([*(each.tournament for each in me.seats), *named])
    looked_at = [each for each in wanted if each is not None][:_LOOKED_AT_MAX]
    shown = await asyncio.gather(*(_tournament(ask, each) for each in looked_at))
    known = {each.id: each for each in shown if each is not None}
    evenings = [
        Evening(
            tournament=item.tournament,
            name=item.name,
            league=league,
            starts_at=item.starts_at,
            zone=item.zone,
            place=item.place,
            entered=_entered(known.get(item.tournament or ""), me.id),
        )
        for item, league in items
        if item.tournament not in known or not known[item.tournament].tables
    ]
    screen = HomeScreen(
        seats=_seats(me, known),
        waiting=_waiting(me, known),
        evenings=tuple(evenings[:_EVENINGS_MAX]),
        leagues=me.leagues,
        me=me.id,
        now=me.now,
    )
    return Page("home/home.html", screen)


async def _schedule(ask: Ask, league: MyLeague, now: datetime) -> Schedule:
    span = {"from": (now - _BEHIND).isoformat(), "to": (now + _AHEAD).isoformat()}
    try:
        return await ask.api.get(f"/v1/leagues/{league.id}/schedule", Schedule, **span)
    except Problem as problem:
        if problem.status < 500:
            raise
        return Schedule(items=())  # a read model that lags must not hide the reader's turn


async def _tournament(ask: Ask, tournament: str) -> TournamentShown | None:
    try:
        return await ask.api.get(f"/v1/tournaments/{tournament}", TournamentShown)
    except Problem as problem:
        if problem.status not in (403, 404):
            raise
        return None


def _seats(me: Me, known: dict[str, TournamentShown]) -> tuple[Seat, ...]:
    found = [
        Seat(
            tournament=each.tournament,
            name=known[each.tournament].name,
            table=each.table,
            table_number=_number(known[each.tournament], each),
            seat=each.seat,
            stack=each.stack,
            your_turn=each.your_turn,
            deadline=each.deadline,
        )
        for each in me.seats
        if each.table is not None and each.seat is not None and each.tournament in known
    ]
    far = datetime.max.replace(tzinfo=me.now.tzinfo)
    return tuple(sorted(found, key=lambda each: (not each.your_turn, each.deadline or far)))


def _number(tournament: TournamentShown, seat: MySeat) -> int:
    return next((each.number for each in tournament.tables if each.id == seat.table), 0)


def _waiting(me: Me, known: dict[str, TournamentShown]) -> tuple[Waiting, ...]:
    found: list[Waiting] = []
    for each in known.values():
        mine = entry_of(each, me.id)
        if mine is None:
            continue
        kind, until = _kind(each, mine, me.now)
        if kind is not None:
            found.append(Waiting(kind=kind, tournament=each.id, name=each.name, until=until))
    return tuple(found)


def _kind(
    tournament: TournamentShown, mine: EntrantShown, now: datetime
) -> tuple[str | None, datetime | None]:
    """Return what waits for the reader in a tournament, and until when."""
    if mine.status == "offered":
        return "offer", mine.offered_until
    if mine.status == "rebuy_open":
        return "rebuy", None
    if check_in_open(tournament, mine, now):
        return "check_in", tournament.starts_at
    return None, None


def _entered(tournament: TournamentShown | None, me: str) -> bool:
    return tournament is not None and entry_of(tournament, me) is not None
