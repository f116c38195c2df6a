"""Links that open only the clock of an evening, for a TV on which nobody signs in."""

import asyncio
from datetime import datetime

import msgspec

from engine.rulesets import Ruleset
from service.api.http.reading.paging import Page as Listed
from service.api.http.shell import shell_of
from service.api.tournament.entering import AnnouncementListed
from service.api.tournament.screen_keys import ScreenKeyListed, ScreenKeyMade
from service.api.tournament.tournaments import TournamentShown
from service.console import links
from service.console.asking import Ask, house_address
from service.console.declaring import form, page
from service.console.drawing.qr import qr_svg
from service.console.forms import Given, command
from service.console.live import screen_topic
from service.console.pages import Done, Page
from service.console.screens.evening.clock import (
    ClockFloor,
    ClockTerms,
    ClockTournament,
    Placed,
    clock_screen,
)

_PAGE = 50


class ScreensScreen(msgspec.Struct, kw_only=True):
    """The page of an evening's links for screens."""

    id: str
    league: str
    name: str
    keys: tuple[ScreenKeyListed, ...]
    """The links that open the clock, newest first."""

    link: str | None = None
    """The link that was just made, which is shown only once."""

    code: str = ""
    """The same link as a QR code."""


class OnScreen(ClockFloor, kw_only=True):
    """The floor and the tournament together, as a screen key shows them."""

    tournament: str
    name: str
    starts_at: datetime
    place: str | None
    last_hands_at: datetime | None
    ruleset: Ruleset
    currency: str | None
    prizes: tuple[int, ...]
    placed: tuple[Placed, ...]
    announcements: tuple[AnnouncementListed, ...]


@page("/tournaments/{tournament:str}/screens")
async def screens(ask: Ask, tournament: str) -> Page:
    """List the links for screens."""
    return Page("evening/screens.html", await _screens(ask, tournament))


@form("/tournaments/{tournament:str}/screens", of=screens)
async def make_link(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Make a link, and show it with its QR code. A second tap cannot show it again."""
    path = f"/v1/tournaments/{tournament}/screen-keys"
    made = await ask.api.send("POST", path, None, ScreenKeyMade, key=given.key)
    if made.key is None:
        return Done(links.screens(tournament), ask.gettext("The link was shown before."))
    screen = await _screens(ask, tournament)
    screen.link = f"{house_address(ask)}{links.screen(made.key)}"
    screen.code = await qr_svg(screen.link, ask.gettext("Link for the TV"))
    return Page("evening/screens.html", screen)


@form("/tournaments/{tournament:str}/screens/{screen_key:str}/revoke", of=screens)
async def revoke_link(ask: Ask, given: Given, tournament: str, screen_key: str) -> Done | Page:
    """Revoke a link."""
    return await command(
        ask, given, "DELETE", f"/v1/tournaments/{tournament}/screen-keys/{screen_key}",
        said=ask.gettext("The link no longer works."), to=links.screens(tournament),
    )  # fmt: skip


@page("/screen/{key:str}", open=True, from_log=True)
async def screen_clock(ask: Ask, key: str) -> Page:
    """Show the clock that the key opens, as the TV of the room."""
    seen = await ask.api.get("/v1/screen", OnScreen, key=key)
    shown = ClockTournament(
        id=seen.tournament,
        name=seen.name,
        starts_at=seen.starts_at,
        place=seen.place,
        ruleset=seen.ruleset,
        currency=seen.currency,
        entrants=seen.placed,
        prizes=seen.prizes,
        floor=ClockTerms(last_hands_at=seen.last_hands_at),
    )
    now = shell_of(ask.request).now()
    screen = clock_screen(shown, seen, seen.announcements, now, screen_topic(key))
    return Page("evening/clock.html", screen)


async def _screens(ask: Ask, tournament: str) -> ScreensScreen:
    path = f"/v1/tournaments/{tournament}"
    keys, shown = await asyncio.gather(
        ask.api.get(f"{path}/screen-keys", Listed[ScreenKeyListed], limit=_PAGE),
        ask.api.get(path, TournamentShown),
    )
    return ScreensScreen(
        id=tournament,
        league=shown.league,
        name=shown.name,
        keys=tuple(each for each in keys.items if each.revoked_at is None),
    )
