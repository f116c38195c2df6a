"""Founding a league, and its settings: name, description, place and visibility."""

from typing import Literal

import msgspec

from service.api.league.leagues import League, LeagueDescription, LeagueShown, LeagueWanted
from service.api.league.visibility import VisibilityShown, VisibilityWanted
from service.console import links
from service.console.asking import Ask, house_address
from service.console.calling import Problem
from service.console.declaring import form, page
from service.console.forms import Given, command
from service.console.link_keys import PARAMETER
from service.console.numbers import demanded
from service.console.pages import Done, Page

_MINUTE = 60


class SettingsScreen(msgspec.Struct, kw_only=True):
    """The page of a league's settings."""

    id: str
    name: str
    description: str | None
    place: str | None
    minutes: int | None
    """The usual length of an evening."""

    url: str | None
    visibility: Literal["members", "link", "public"]
    etag: str | None
    link: str | None = None
    """The address with the new link key, which is shown only once."""


@page(links.NEW_LEAGUE)
async def new_league(ask: Ask) -> Page:
    """Ask for the name of a league, and its place of play."""
    return Page("league/new_league.html")


@form(links.NEW_LEAGUE, of=new_league)
async def found(ask: Ask, given: Given) -> Done:
    """Found the league, then store its place and its visibility."""
    wanted = given.into(LeagueWanted, flags=("sandbox",))
    described = given.into(LeagueDescription)
    seen = given.into(VisibilityWanted)
    made = await ask.api.send("POST", "/v1/leagues", wanted, League, key=given.key)
    path = f"/v1/leagues/{made.id}"
    if described.place is not None:
        await ask.api.send("PUT", path, described, object, key=f"{given.key}-place", if_match="*")
    if seen.visibility != "members":
        await ask.api.send(
            "PUT", f"{path}/visibility", seen, object, key=f"{given.key}-seen", if_match="*"
        )
    return Done(
        links.new_evening(made.id), ask.gettext("The league is founded. Plan its first evening.")
    )


@page("/leagues/{league:str}/setup")
async def settings(ask: Ask, league: str) -> Page:
    """Show the settings of a league to its owner."""
    return Page("league/settings.html", await _settings(ask, league))


@form("/leagues/{league:str}/setup", of=settings)
async def describe(ask: Ask, given: Given, league: str) -> Done | Page:
    """Store the name and the description."""
    minutes = given.text("minutes")
    length = demanded(minutes, "minutes") * _MINUTE if minutes else None
    body = given.into(LeagueDescription, length_seconds=length)
    return await command(
        ask, given, "PUT", f"/v1/leagues/{league}", body,
        said=ask.gettext("Saved."), to=links.settings(league),
    )  # fmt: skip


@form("/leagues/{league:str}/setup/visibility", of=settings)
async def show_to(ask: Ask, given: Given, league: str) -> Done | Page:
    """Set the visibility of the league. A new link key is shown on the page that answers."""
    body = given.into(VisibilityWanted, flags=("new_link",))
    made = await ask.api.send(
        "PUT", f"/v1/leagues/{league}/visibility", body, VisibilityShown,
        key=given.key, if_match=given.if_match,
    )  # fmt: skip
    if made.link is None:
        return Done(links.settings(league), ask.gettext("Saved."))
    screen = await _settings(ask, league)
    screen.link = f"{house_address(ask)}{links.league(league)}?{PARAMETER}={made.link}"
    return Page("league/settings.html", screen)


async def _settings(ask: Ask, league: str) -> SettingsScreen:
    found = await ask.api.read(f"/v1/leagues/{league}", LeagueShown)
    shown = found.value
    if shown.role != "owner":
        raise Problem(404, {"code": "not_found"})
    length = shown.length_seconds
    return SettingsScreen(
        id=shown.id,
        name=shown.name,
        description=shown.description,
        place=shown.place,
        minutes=None if length is None else length // _MINUTE,
        url=shown.url,
        visibility=shown.visibility,
        etag=found.etag,
    )
