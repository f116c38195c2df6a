"""Opening a season from a preset, and closing it after a preview of its counted results."""

import asyncio
from collections.abc import Sequence

import msgspec

from service.api.http.reading.paging import Page as ApiPage
from service.api.http.shell import shell_of
from service.api.http.writing.rehearsing import WouldChange
from service.api.league.leagues import LeagueShown
from service.api.season.calendars import Schedule
from service.api.season.season_ends import SeasonCloseWanted
from service.api.season.seasons import SeasonMade, SeasonShown, StandingShown
from service.api.tournament.tournaments import TournamentShown
from service.base.languages import N_
from service.console import links
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.declaring import form, page
from service.console.forms import Given, Rehearsal, command
from service.console.pages import Done, Page
from service.console.problems import Failure
from service.console.rehearsals import ChangeList, Row
from service.console.screens.evening.entry import OVER
from service.console.screens.league.fixtures import PLANNED_AHEAD
from service.console.screens.league.season_example import Example, example_of
from service.console.words import Words

_UNCOUNTED = "season_uncounted"
_COUNTS = ("sum", "best", "average", "best_average", "drop_worst", "best_series")
_WITHOUT_NUMBER = frozenset({"sum", "average"})
_FATES = {
    "counted": N_("counted"),
    "cancelled": N_("cancelled"),
    "not_played": N_("not played"),
    "left_out": N_("left out"),
}
_ROWS_MAX = 10
_DIGITS_MAX = 4
_AT_A_TIME = 8
"""The evenings that are read at once."""


class Preset(msgspec.Struct, kw_only=True):
    """The members of a points preset that this page reads."""

    name: str
    says: str


class NewSeasonScreen(msgspec.Struct, kw_only=True):
    """The page of a new season."""

    league: str
    league_name: str
    presets: tuple[Preset, ...]
    counts: tuple[str, ...]
    """The rules for making a total of a player's results."""

    example: Example | None
    """An example by the chosen terms, or null if they contradict each other."""


class _Waiting(msgspec.Struct):
    """A tournament that is not counted, as the API names it."""

    tournament: str
    reason: str


class Uncounted(msgspec.Struct, kw_only=True):
    """A tournament that is not counted yet."""

    tournament: str
    name: str
    state: str


class Counted(msgspec.Struct, kw_only=True):
    """A tournament of the season, and its fate at the close."""

    tournament: str
    name: str
    fate: str
    said: str
    """The fate in words."""

    state: str

    @property
    def open(self) -> bool:
        """True if the evening may still be played. It counts for no season then."""
        return self.state not in OVER


class CloseScreen(msgspec.Struct, kw_only=True):
    """The page that asks whether to close a season."""

    season: str
    league: str
    name: str
    closed: bool
    """True once the season is closed. Nothing is left to ask then."""

    owner: bool
    standings: tuple[StandingShown, ...]
    tried: bool
    """True if a dry run of the close was made. The members below are empty otherwise."""

    counted: tuple[Counted, ...]
    uncounted: tuple[Uncounted, ...]
    lots: bool
    """True if lots would decide between players who are equal in everything."""

    digest: str
    ends: str
    """The fate of the season's recurring evenings in words, or nothing."""


@page("/leagues/{league:str}/new-season")
async def new_season(ask: Ask, league: str) -> Page:
    """Ask for the terms of a new season."""
    return await _new_season(ask, league)


async def _new_season(ask: Ask, league: str) -> Page:
    """Ask for the terms of a season, beside an example of the chosen ones."""
    shown = await ask.api.get(f"/v1/leagues/{league}", LeagueShown)
    if shown.role not in ("owner", "director"):
        raise Problem(404, {"code": "not_found"})
    chosen = Given({} if ask.failure is None else dict(ask.failure.values))
    presets, example = await asyncio.gather(
        ask.api.get("/v1/points-formulas", ApiPage[Preset]), example_of(ask, _terms(chosen))
    )
    screen = NewSeasonScreen(
        league=league,
        league_name=shown.name,
        presets=tuple(presets.items),
        counts=_COUNTS,
        example=example,
    )
    return Page("league/new_season.html", screen)


@form("/leagues/{league:str}/new-season", of=new_season)
async def open_season(ask: Ask, given: Given, league: str) -> Done | Page:
    """Open the season, whose terms never change, or show an example of them."""
    if given.flag("again"):
        ask.failure = Failure("open_season", "", {}, given.shown_again, 200)
        return await _new_season(ask, league)
    body = {"name": given.text("name"), **_terms(given)}
    path = f"/v1/leagues/{league}/seasons"
    await ask.api.send("POST", path, body, SeasonMade, key=given.key)
    return Done(links.league(league), ask.gettext("The season is open."))


def _terms(given: Given) -> dict[str, object]:
    """Return the season's terms from the fields of the form."""
    mode = given.text("counts", "sum")
    return {
        "points": {"type": "points_preset", "name": given.text("preset", "places_from_end")},
        "aggregation": {
            "mode": mode,
            "results": None if mode in _WITHOUT_NUMBER else _number(given, "results"),
        },
        "minimum_games": _number(given, "minimum_games") or 0,
    }


@page("/seasons/{season:str}/close")
async def close(ask: Ask, season: str) -> Page:
    """
    Show the present standings, and the button for a dry run of the close.

    A dry run leaves a line in the staff log, so reading this page makes none. It is made again if
    the close itself is refused, to show what hinders it.
    """
    refused = ask.failure is not None and ask.failure.form == close_for_good.name
    return await _asked(ask, season, tried=refused)


@form("/seasons/{season:str}/close/try", of=close)
async def try_close(ask: Ask, given: Given, season: str) -> Page:
    """Show the counted and the uncounted tournaments. Nothing is changed."""
    return await _asked(ask, season, tried=True, key=given.key)


@form("/seasons/{season:str}/close", of=close)
async def close_for_good(ask: Ask, given: Given, season: str) -> Done | Page:
    """
    Close the season, without the tournaments that an owner leaves out.

    If the page has not shown what the close changes, or that has changed since, it asks again.
    """
    body = given.into(SeasonCloseWanted)
    path = f"/v1/seasons/{season}"
    shown = await ask.api.get(path, SeasonShown)

    async def own(changes: WouldChange) -> ChangeList:
        return _fates(ask, await _counted(ask, changes))

    asked = Rehearsal(
        ask.gettext("Close the season?"),
        grave=True,
        effect=await _ending(ask, shown.league, season),
        own=own,
    )
    return await command(
        ask, given, "POST", f"{path}/close", body, said=ask.gettext("The season is closed."),
        to=links.league(shown.league), rehearse=asked,
    )  # fmt: skip


def _fates(ask: Ask, counted: Sequence[Counted]) -> ChangeList:
    """Return the evenings of a season as it closes. Those still open go on without it."""
    words, stays = Words(ask.language), ask.gettext("it stays open, and counts for no season")
    rows = []
    for each in counted:
        after = f"{each.said}: {stays}" if each.open else each.said
        rows.append(Row(what=each.name, before=words.phase(each.state), after=after))
    return ChangeList(
        caption=ask.gettext("Its evenings"), about=ask.gettext("Tournament"), rows=rows
    )


async def _asked(ask: Ask, season: str, *, tried: bool, key: str = "looking") -> Page:
    path = f"/v1/seasons/{season}"
    shown = await ask.api.get(path, SeasonShown)
    league = await ask.api.get(f"/v1/leagues/{shown.league}", LeagueShown)
    standings = await ask.api.get(f"{path}/standings", ApiPage[StandingShown], limit=_ROWS_MAX)
    closed = shown.state == "closed"
    changes, uncounted = await _tried(ask, season, key) if tried and not closed else (None, ())
    screen = CloseScreen(
        season=season,
        league=shown.league,
        name=shown.name,
        closed=closed,
        owner=league.role == "owner",
        standings=tuple(standings.items),
        tried=tried,
        counted=await _counted(ask, changes),
        uncounted=uncounted,
        lots=changes is not None and bool(changes.depends_on),
        digest="" if changes is None else changes.digest,
        ends="" if closed else await _ending(ask, shown.league, season),
    )
    return Page("league/close.html", screen)


async def _ending(ask: Ask, league: str, season: str) -> str:
    """Say which recurring evenings end with the season, or nothing if none does."""
    now = shell_of(ask.request).now()
    span = {"from": now.isoformat(), "to": (now + PLANNED_AHEAD).isoformat()}
    found = await ask.api.get(f"/v1/leagues/{league}/schedule", Schedule, **span)
    coming = [each for each in found.items if each.season == season and each.recurrence]
    if not coming:
        return ""
    names = ", ".join(dict.fromkeys(each.name for each in coming))
    said = ask.gettext(
        "The plan of %(names)s ends with the season. Evenings that are announced already stay, and "
        "count for no season. Plan the others again, for another season."
    )
    return said % {"names": names}


async def _tried(
    ask: Ask, season: str, key: str
) -> tuple[WouldChange | None, tuple[Uncounted, ...]]:
    """Return the changes of a close, or the tournaments that prevent it."""
    try:
        path = f"/v1/seasons/{season}/close"
        return await ask.api.rehearse("POST", path, SeasonCloseWanted(), key=key), ()
    except Problem as problem:
        if problem.code != _UNCOUNTED:
            raise
        waiting = msgspec.convert(problem.facts["tournaments"], tuple[_Waiting, ...])
    named = await _named(ask, [each.tournament for each in waiting])
    return None, tuple(
        Uncounted(tournament=each.tournament, name=name, state=state)
        for each, (name, state) in zip(waiting, named, strict=True)
    )


async def _counted(ask: Ask, changes: WouldChange | None) -> tuple[Counted, ...]:
    fates = () if changes is None else changes.fates
    named = await _named(ask, [each.tournament for each in fates])
    return tuple(
        Counted(
            tournament=each.tournament,
            name=name,
            fate=each.fate,
            said=ask.gettext(_FATES[each.fate]),
            state=state,
        )
        for each, (name, state) in zip(fates, named, strict=True)
    )


async def _named(ask: Ask, tournaments: Sequence[str]) -> list[tuple[str, str]]:
    """
    Return the name and state of each tournament, a few at a time.

    A list of the league would be one call, but it may be behind, and the states must be true here.
    """
    found: list[tuple[str, str]] = []
    for first in range(0, len(tournaments), _AT_A_TIME):
        some = tournaments[first : first + _AT_A_TIME]
        shown = await asyncio.gather(
            *(ask.api.get(f"/v1/tournaments/{each}", TournamentShown) for each in some)
        )
        found += [(each.name, each.state) for each in shown]
    return found


def _number(given: Given, name: str) -> int | None:
    text = given.text(name)
    return int(text) if text.isdecimal() and len(text) <= _DIGITS_MAX else None
