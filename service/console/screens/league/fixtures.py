"""The planned evenings of a league: change or skip one, or change all from one on."""

import re
from datetime import datetime, timedelta

import msgspec

from service.api.http.shell import shell_of
from service.api.league.leagues import LeagueShown
from service.api.season.calendars import Schedule
from service.console import links
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.declaring import form, page
from service.console.forms import Given, Rehearsal, command
from service.console.pages import Done, Page
from service.console.screens.league.schedules import phase_of

PLANNED_AHEAD = timedelta(days=120)
"""The time that is looked ahead for planned evenings."""
_LOCAL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")


class Planned(msgspec.Struct, kw_only=True):
    """An evening of a plan."""

    name: str
    starts_at: datetime
    zone: str | None
    local: str
    """The local time of the start."""

    occurrence: str
    """The local time by the rule. It names the evening for ever."""

    season: str
    recurrence: str
    tournament: str | None
    phase: str
    """The phase of the evening, or its state in the schedule."""


class FixturesScreen(msgspec.Struct, kw_only=True):
    """The page of planned evenings."""

    league: str
    league_name: str
    planned: tuple[Planned, ...]


@page("/leagues/{league:str}/fixtures")
async def fixtures(ask: Ask, league: str) -> Page:
    """Show the evenings of all plans to readers who may change them."""
    shown = await ask.api.get(f"/v1/leagues/{league}", LeagueShown)
    if shown.role not in ("owner", "director"):
        raise Problem(404, {"code": "not_found"})
    now = shell_of(ask.request).now()
    span = {"from": now.isoformat(), "to": (now + PLANNED_AHEAD).isoformat()}
    found = await ask.api.get(f"/v1/leagues/{league}/schedule", Schedule, **span)
    planned: list[Planned] = []
    for each in found.items:
        if each.season and each.recurrence and each.occurrence and each.local:
            planned.append(
                Planned(
                    name=each.name,
                    starts_at=each.starts_at,
                    zone=each.zone,
                    local=each.local,
                    occurrence=each.occurrence,
                    season=each.season,
                    recurrence=each.recurrence,
                    tournament=each.tournament,
                    phase=phase_of(each),
                )
            )
    screen = FixturesScreen(league=league, league_name=shown.name, planned=tuple(planned))
    return Page("league/fixtures.html", screen)


@form("/leagues/{league:str}/fixtures/{season:str}/{recurrence:str}/one", of=fixtures)
async def change_one(
    ask: Ask, given: Given, league: str, season: str, recurrence: str
) -> Done | Page:
    """Move or skip one evening, after the page has shown what that cancels."""
    skipped = given.flag("skip")
    body: dict[str, object] = {"skipped": skipped}
    if not skipped:
        body["starts"] = _local(given, "starts")
    path = f"{_path(season, recurrence)}/occurrences/{_local(given, 'occurrence')}"
    question = ask.gettext("Skip this evening?") if skipped else ask.gettext("Move this evening?")
    return await command(
        ask, given, "POST", path, body,
        said=ask.gettext("The plan is changed."), to=links.fixtures(league),
        rehearse=Rehearsal(question),
    )  # fmt: skip


@form("/leagues/{league:str}/fixtures/{season:str}/{recurrence:str}/from-here", of=fixtures)
async def change_from_here(
    ask: Ask, given: Given, league: str, season: str, recurrence: str
) -> Done | Page:
    """Move this evening and all later ones, or end the plan, after showing the cancellations."""
    since, ended = _local(given, "occurrence"), given.flag("end")
    body: dict[str, object] = {"since": since}
    if not ended:
        body["starts"] = _local(given, "starts")
    path = f"{_path(season, recurrence)}/{'end' if ended else 'replan'}"
    ending, moving = ask.gettext("End this plan?"), ask.gettext("Move all from here?")
    return await command(
        ask, given, "POST", path, body,
        said=ask.gettext("The plan is changed."), to=links.fixtures(league),
        rehearse=Rehearsal(ending if ended else moving),
    )  # fmt: skip


def _path(season: str, recurrence: str) -> str:
    return f"/v1/seasons/{season}/fixtures/{recurrence}"


def _local(given: Given, name: str) -> str:
    """
    Return a local time, such as ``2026-11-26T19:00``.

    Raises:
        Problem: ``validation_failed``, if it is none.
    """
    text = given.text(name)[:16]
    if not _LOCAL.fullmatch(text):
        errors = [{"pointer": f"/{name}", "detail": "Expected `datetime`"}]
        raise Problem(400, {"code": "validation_failed", "errors": errors})
    return text
