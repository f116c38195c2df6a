"""The floor: every table live, for directors with a phone in one hand, and for spectators."""

import asyncio

from service.api.http.shell import shell_of
from service.api.me.accounts import Me
from service.api.public.floor_shapes import PublicFloor
from service.api.public.tournaments import PublicTournament
from service.api.tournament.floors import Floor
from service.api.tournament.happenings import Happened
from service.api.tournament.tournaments import TournamentShown
from service.console.asking import Ask, seen_by
from service.console.declaring import page
from service.console.pages import Page
from service.console.screens.evening.entry import OVER
from service.console.screens.evening.playing import own_entry
from service.console.screens.floor.happened import moved, told
from service.console.screens.floor.selling import first_of
from service.console.screens.floor.shown import (
    FloorScreen,
    Powers,
    member_screen,
    stranger_screen,
)
from service.console.screens.floor.starting import owing

_DIRECTS = frozenset({"owner", "director", "referee"})
_SELLS = frozenset({"owner", "director"})
TABLES_MAX = 200
"""The tables on one floor page, which is the largest page of the API."""


@page("/tournaments/{tournament:str}/floor", open=True, from_log=True)
async def floor(ask: Ask, tournament: str) -> Page:
    """Show the floor, with commands for readers who direct the evening."""
    return Page("floor/floor.html", await seen_by(ask, _as_member, _as_stranger, tournament))


async def _as_member(ask: Ask, tournament: str) -> FloorScreen:
    path = f"/v1/tournaments/{tournament}"
    me, shown, seen, happened = await asyncio.gather(
        ask.me(),
        ask.api.read(path, TournamentShown),
        ask.api.get(f"{path}/floor", Floor, limit=TABLES_MAX),
        ask.api.get(f"{path}/happenings", Happened),
    )
    lines = told(happened.items, ask.language)
    may = powers(me, shown.value)
    unpaid = await owing(ask, shown.value) if may.starts else ()
    return member_screen(shown.value, seen, may, shown.etag, lines, ask.language, unpaid)


async def _as_stranger(ask: Ask, tournament: str) -> FloorScreen:
    seen = await ask.api.get(f"/v1/public/tournaments/{tournament}/floor", PublicFloor)
    now, winners = shell_of(ask.request).now(), tuple[str, ...]()
    if seen.state == "finished":
        shown = await ask.api.get(f"/v1/public/tournaments/{tournament}", PublicTournament)
        winners = first_of(shown.entrants)
    return stranger_screen(seen, now, moved(seen.seat_changes, ask.language), winners)


def powers(me: Me, shown: TournamentShown) -> Powers:
    """Return the reader's powers in this tournament."""
    role = me.role_in(shown.league)
    own = own_entry(me, shown)
    plays = own is not None
    if role not in _DIRECTS or shown.state in OVER:
        return Powers()
    return Powers(
        clock=not plays or shown.staff_may_play,
        rules=not plays,
        sells=role in _SELLS and not plays,
        starts=role in _SELLS and (not plays or shown.staff_may_play),
        own=own,
    )
