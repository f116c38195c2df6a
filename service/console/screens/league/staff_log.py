"""The staff log: every action of staff, with its actor and its time."""

import asyncio
from datetime import datetime

import msgspec

from engine.values import aggregate_of
from service.api.http.reading.paging import Page as ApiPage
from service.api.league.leagues import LeagueShown
from service.api.league.staff_log import Deed
from service.base.letters import by_name
from service.console import links
from service.console.asking import Ask
from service.console.declaring import page
from service.console.deeds import DEEDS
from service.console.pages import Page

_PAGE = 50
_READ_MAX = 100
_DRY_RUN = "command_rehearsed"


class Done(msgspec.Struct, kw_only=True):
    """An action of staff or an operator."""

    at: datetime
    who: str
    operator: bool
    what: str
    about: str | None
    """The path of the object concerned, or null if it is the evening or has no page."""

    evening: str | None
    """The tournament that it concerned, or null."""

    evening_name: str | None

    position: int


class StaffLogScreen(msgspec.Struct, kw_only=True):
    """The page of a league's staff log."""

    league: str
    name: str
    deeds: tuple[Done, ...]
    people: tuple[tuple[str, str], ...]
    """The actors on this page, by player."""

    by: str
    """The player whose actions are shown, or nothing for everybody's."""

    dry: bool
    """True to list dry runs too. Each press of a button that asks again makes one."""

    older: str | None


@page("/leagues/{league:str}/staff-log")
async def staff_log(ask: Ask, league: str) -> Page:
    """List the actions, the newest first, of the whole staff or of one person."""
    by, dry = ask.query("by"), ask.query("dry") == "yes"
    root = f"/v1/leagues/{league}"
    shown, listed = await asyncio.gather(
        ask.api.get(root, LeagueShown),
        ask.api.get(
            f"{root}/staff-log", ApiPage[Deed],
            limit=_PAGE if dry and not by else _READ_MAX, cursor=ask.query("cursor") or None,
        ),
    )  # fmt: skip
    people = {each.actor: _name(ask, each) for each in listed.items}
    screen = StaffLogScreen(
        league=league,
        name=shown.name,
        deeds=tuple(
            Done(
                at=each.at,
                who=_name(ask, each),
                operator=each.kind != "event",
                what=_what(ask, each),
                about=_about(each, league),
                evening=each.tournament,
                evening_name=each.tournament_name,
                position=each.index,
            )
            for each in listed.items
            if by in ("", each.actor) and (dry or each.type != _DRY_RUN)
        ),
        people=tuple(sorted(people.items(), key=lambda each: by_name(each[1]))),
        by=by,
        dry=dry,
        older=listed.next_cursor,
    )
    return Page("league/staff_log.html", screen)


def _what(ask: Ask, deed: Deed) -> str:
    """Return the action in the reader's language."""
    if deed.kind == "epoch":
        return ask.gettext("The log began again: %(reason)s") % {"reason": deed.type}
    return ask.gettext(DEEDS.get(deed.type, deed.type))


def _name(ask: Ask, deed: Deed) -> str:
    if not deed.actor.startswith("plr_"):
        return deed.actor
    return deed.name or ask.gettext("somebody who has left")


def _about(deed: Deed, league: str) -> str | None:
    """Return the address of the object that an action concerned, beside its evening's."""
    if deed.stream is None:
        about = deed.about or ""
        return links.hand(about) if about.startswith("hnd_") else None
    kind, about = deed.stream.partition("-")[0], aggregate_of(deed.stream)
    known = {
        "league": lambda: links.league(league),
        "table": lambda: links.table(about),
        "dispute": lambda: links.dispute(about),
    }
    return known[kind]() if kind in known else None
