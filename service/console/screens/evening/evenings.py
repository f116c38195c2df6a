"""A new evening: a few questions, then a proposal that one button announces."""

import asyncio
import re
from collections.abc import Container, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain, count
from urllib.parse import urlencode

import msgspec
from babel.dates import format_date

from engine.rulesets import PRESETS
from service.api.http.shell import shell_of
from service.api.league.leagues import LeagueShown
from service.api.season.calendars import Schedule
from service.api.season.seasons import SeasonMade
from service.api.tournament.tournaments import TournamentMade
from service.base.documents import Document
from service.console import links
from service.console.asking import Ask
from service.console.calling import FieldError, Problem
from service.console.declaring import form, page
from service.console.forms import Given
from service.console.pages import Done, Page
from service.console.problems import Failure, failure_of, placed
from service.console.screens.evening.earlier import Earlier, content_of, earlier_of
from service.console.screens.evening.plan import Proposal, proposal, rrule
from service.console.screens.evening.questions import (
    CURRENCIES,
    ZONES,
    Questions,
    amount_of,
    questions,
    retyped,
)
from service.console.screens.evening.terms import terms_of
from service.console.screens.evening.typed import (
    TICKED,
    filled,
    gives_up,
    kept,
    laid_over,
    prizes_set,
)
from service.console.screens.league.seasons import SeasonListed, league_seasons

PLANS = frozenset({"owner", "director"})
"""The roles that plan evenings. The API decides; this hides pages that would be useless."""

_NEW, _NONE = "new", ""
"""The season of a new evening: one that opens with it, or none."""

_ANSWERED = {"name": "name", "players": "entrants_max", "minutes": "minutes", "price": "price"}
"""The fields of the proposal that also answer a question."""

_AROUND = re.compile("^/(tournament|body)(?=/)")
"""The member that holds the terms, in the bodies of plans and of templates."""

_FORM = "announce"
"""The name of the proposal's form, which is the name of its handler."""

_AHEAD = timedelta(days=60)
_AHEAD_DAYS = 7
"""The days between the announcement of a recurring evening and its start."""


class QuestionsScreen(msgspec.Struct, kw_only=True):
    """The page of questions."""

    league: str
    league_name: str
    asked: Questions
    games: tuple[str, ...]
    zones: tuple[str, ...]
    zone_known: bool
    """False if the reader's device should say the zone."""

    currencies: tuple[str, ...]
    has_season: bool
    earlier: tuple[Earlier, ...]
    """The sources to plan the evening from."""


class PlanScreen(msgspec.Struct, kw_only=True):
    """The page of the proposal."""

    league: str
    league_name: str
    place: str | None
    query: str
    """The questions and answers, as the address holds them."""

    asked: Questions
    plan: Proposal
    day: str
    """The day in words."""

    seasons: tuple[tuple[str, str], ...]
    """The seasons to choose from, each with its name."""

    new_season: str
    """The name of the season that would be opened. No season of the league has it yet."""

    ahead_days: int
    waits_anew: bool = False
    """True if the start waits for players, and that of the earlier evening did not."""

    own_prizes: bool = False
    """True if prizes of the earlier evening stay that the shares of the places do not tell."""


@page("/leagues/{league:str}/new-evening")
async def new_evening(ask: Ask, league: str) -> Page:
    """Ask for the number of players, the hours, the game and the price."""
    shown = await _planned_by(ask, league)
    now = shell_of(ask.request).now()
    zone, listed = await asyncio.gather(zone_of(ask, league), league_seasons(ask, league))
    seasons = [each.season for each in listed if each.state == "open"]
    asked = questions(ask, now, zone)
    screen = QuestionsScreen(
        league=league,
        league_name=shown.name,
        asked=asked,
        earlier=await earlier_of(ask, league, seasons, asked, now),
        games=tuple(PRESETS),
        zones=ZONES,
        zone_known=zone is not None or bool(ask.query("zone")),
        currencies=CURRENCIES,
        has_season=bool(seasons),
    )
    return Page("evening/questions.html", screen)


@page("/leagues/{league:str}/new-evening/plan")
async def evening_plan(ask: Ask, league: str) -> Page:
    """Propose an evening. The reader may change everything in it."""
    return await _planned(ask, league)


async def _planned(ask: Ask, league: str) -> Page:
    """Propose an evening. Values that were typed, or come from an earlier evening, stay."""
    shown = await _planned_by(ask, league)
    asked = questions(ask, shell_of(ask.request).now(), None)
    content = await content_of(ask, league, asked.like) if asked.like else {}
    if ask.failure is None and asked.like:
        asked = _as_earlier(ask, content, asked)
    elif ask.failure is None and (price := ask.query("price")) and amount_of(price) is None:
        _propose_again(ask, Given({**TICKED, "price": (price,)}), asked)
    if ask.failure is not None:
        own = kept(ask.failure.values)
        ask.failure = replace(ask.failure, values=own)
        asked = retyped(asked, own)
    own = {} if ask.failure is None else dict(ask.failure.values)
    key = shell_of(ask.request).runtime.entropy.uuid().hex
    plan, seasons = await asyncio.gather(
        proposal(ask, asked, own, content, key), league_seasons(ask, league)
    )
    screen = _screen(ask, shown, asked, plan, seasons)
    screen.waits_anew = bool(asked.like) and gives_up(content)
    screen.own_prizes = plan.prices.money and prizes_set(content)
    return Page("evening/plan.html", screen)


def _as_earlier(ask: Ask, content: Document, asked: Questions) -> Questions:
    """Fill in the form from an earlier evening. Answers in the address take precedence."""
    values = filled(content)
    for question, name in _ANSWERED.items():
        if ask.query(question):
            values.pop(name, None)
    ask.failure = Failure(_FORM, "", {}, values, 200)
    ruleset, currency = str(content.get("ruleset")), str(content.get("currency"))
    if ruleset in PRESETS and not ask.query("ruleset"):
        asked = msgspec.structs.replace(asked, ruleset=ruleset)
    if currency in CURRENCIES and not ask.query("currency"):
        asked = msgspec.structs.replace(asked, currency=currency)
    return asked


@form("/leagues/{league:str}/new-evening/plan", of=evening_plan)
async def announce(ask: Ask, given: Given, league: str) -> Done | Page:
    """Announce the evening, save it as a draft, plan it as recurring, or propose it again."""
    asked = retyped(questions(ask, shell_of(ask.request).now(), None), given.values)
    if given.flag("again"):
        _propose_again(ask, given, asked)
        return await _planned(ask, league)
    terms = terms_of(given, asked)
    if asked.like:
        terms = laid_over(await content_of(ask, league, asked.like), terms)
    try:
        if given.flag("template"):
            return await _kept(ask, given, league, terms)
        season = await _season(ask, given, league, asked)
        if asked.often == "once":
            return await _once(ask, given, league, asked, terms, season)
        return await _often(ask, given, league, asked, terms, season)
    except Problem as problem:
        raise at_fields(problem) from None


def _propose_again(ask: Ask, given: Given, asked: Questions) -> None:
    """Have the proposal keep what was typed, and mark the faults in it."""
    ask.failure = Failure(_FORM, "", {}, given.shown_again, 200)
    try:
        terms_of(given, asked)
    except Problem as problem:
        found = failure_of(problem, _FORM, given.shown_again, ask.language)
        ask.failure = replace(found, status=200)


async def _season(ask: Ask, given: Given, league: str, asked: Questions) -> str:
    """Return the season that counts the evening. It may have to be opened first."""
    season = given.text("season", _NEW)
    if season != _NEW:
        return season
    season = given.text("made_season")
    if not season:
        wanted = {"name": given.text("season_name")}
        path, key = f"/v1/leagues/{league}/seasons", f"{given.key}-season"
        season = (await ask.api.send("POST", path, wanted, SeasonMade, key=key)).id
        given.keep("made_season", season)  # a retry finds the open season and opens no second one
    return season


async def _kept(ask: Ask, given: Given, league: str, terms: dict[str, object]) -> Done:
    """Keep the terms as a template, under the evening's name."""
    wanted = {"name": given.text("name"), "body": terms}
    path = f"/v1/leagues/{league}/templates"
    await ask.api.send("POST", path, wanted, object, key=given.key)
    return Done(links.new_evening(league), ask.gettext("The template is kept."))


async def _once(
    ask: Ask, given: Given, league: str, asked: Questions, terms: dict[str, object], season: str
) -> Done:
    draft = given.flag("draft")
    body = terms | {"starts_at": asked.start.isoformat(), "draft": draft}
    if season != _NONE:
        body["season"] = season
    path = f"/v1/leagues/{league}/tournaments"
    made = await ask.api.send("POST", path, body, TournamentMade, key=given.key)
    drafted, announced = ask.gettext("The draft is kept."), ask.gettext("The evening is announced.")
    return Done(links.tournament(made.id), drafted if draft else announced)


async def _often(
    ask: Ask, given: Given, league: str, asked: Questions, terms: dict[str, object], season: str
) -> Done:
    days = given.text("ahead_days")
    body = {
        "rrule": rrule(asked.often, asked.date),
        "zone": asked.zone,
        "starts": f"{asked.date}T{asked.time}",
        "ahead_hours": 24 * int(days) if days.isdecimal() and len(days) < 4 else 24 * _AHEAD_DAYS,
        "tournament": terms,
    }
    await ask.api.send("POST", f"/v1/seasons/{season}/fixtures", body, object, key=given.key)
    return Done(links.league(league), ask.gettext("The evenings are planned."))


def _screen(
    ask: Ask,
    shown: LeagueShown,
    asked: Questions,
    plan: Proposal,
    seasons: Sequence[SeasonListed],
) -> PlanScreen:
    fields = {name: str(each) for name, each in msgspec.structs.asdict(asked).items()}
    new = _new_season(ask, asked, {each.name for each in seasons})
    listed = [(each.season, each.name) for each in seasons if each.state == "open"]
    said = ask.gettext("a new season: %(name)s") % {"name": new} if listed else new
    listed.append((_NEW, said))
    if asked.often == "once":
        listed.append((_NONE, ask.gettext("no season")))
    return PlanScreen(
        league=shown.id,
        league_name=shown.name,
        place=shown.place,
        query=urlencode(fields),
        asked=asked,
        plan=plan,
        day=format_date(asked.start, ask.gettext("EEEE, d MMMM"), locale=ask.language.locale),
        seasons=tuple(listed),
        new_season=new,
        ahead_days=_AHEAD_DAYS,
    )


def _new_season(ask: Ask, asked: Questions, taken: Container[str]) -> str:
    """Return the year as a name, with a number after it if other seasons have that name."""
    name = ask.gettext("Season %(year)s") % {"year": asked.start.year}
    numbered = (f"{name} ({number})" for number in count(2))
    return next(each for each in chain((name,), numbered) if each not in taken)


async def _planned_by(ask: Ask, league: str) -> LeagueShown:
    shown = await ask.api.get(f"/v1/leagues/{league}", LeagueShown)
    if shown.role not in PLANS:
        raise Problem(404, {"code": "not_found"})
    return shown


async def zone_of(ask: Ask, league: str) -> str | None:
    """Return the zone of the league's next evening, or None."""
    now: datetime = shell_of(ask.request).now()
    span = {"from": now.isoformat(), "to": (now + _AHEAD).isoformat()}
    found = await ask.api.get(f"/v1/leagues/{league}/schedule", Schedule, **span)
    return next((each.zone for each in found.items if each.zone in ZONES), None)


def at_fields(problem: Problem) -> Problem:
    """Return a problem whose errors stand at the fields of the page."""
    placed(problem)
    problem.errors = tuple(
        FieldError(pointer=_AROUND.sub("", each.pointer), detail=each.detail)
        for each in problem.errors
    )
    return problem
