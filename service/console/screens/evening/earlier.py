"""Sources for a new evening: earlier evenings, templates, and planned evenings."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import msgspec

from service.api.http.reading.paging import Page as ApiPage
from service.api.season.fixture_shapes import RecurrenceShown
from service.api.season.templates import TemplateShown
from service.api.tournament.repeating import TermsShown
from service.base.documents import Document
from service.console import links
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.screens.evening.questions import Questions

_EVENINGS_MAX = 3
_LISTED = 30
"""The most recent tournaments that are searched for evenings with different names."""

_WEEK = timedelta(days=7)
_ROUND = timedelta(minutes=5)


class Earlier(msgspec.Struct, kw_only=True):
    """A link that fills in a whole evening."""

    kind: Literal["evening", "template", "plan"]
    name: str
    starts_at: datetime | None
    """The start of an earlier evening, or null."""

    href: str


class _Evening(msgspec.Struct):
    tournament: str
    name: str
    state: str
    starts_at: datetime | None


async def earlier_of(
    ask: Ask, league: str, seasons: Sequence[str], asked: Questions, now: datetime
) -> tuple[Earlier, ...]:
    """Return the sources that the league has, the last evening first."""
    path = f"/v1/leagues/{league}"
    evenings, templates, plans = await asyncio.gather(
        ask.api.get(f"{path}/tournaments", ApiPage[_Evening], limit=_LISTED),
        ask.api.get(f"{path}/templates", ApiPage[TemplateShown]),
        asyncio.gather(
            *(
                ask.api.get(f"/v1/seasons/{each}/fixtures", ApiPage[RecurrenceShown])
                for each in seasons
            )
        ),
    )
    found = _of_evenings(league, evenings.items, asked, now)
    for template in templates.items:
        found.append(_link(league, "template", template.name, template.id, asked, template.body))
    for season, page in zip(seasons, plans, strict=True):
        for plan in page.items:
            name = str(plan.tournament.get("name") or asked.name)
            like = f"{season}/{plan.id}"
            found.append(_link(league, "plan", name, like, asked, plan.tournament))
    return tuple(found)


def _of_evenings(
    league: str, evenings: Sequence[_Evening], asked: Questions, now: datetime
) -> list[Earlier]:
    """Return the latest evenings of different names, each planned for its next weekday."""
    found: dict[str, Earlier] = {}
    dated = [(each.starts_at, each) for each in evenings if each.starts_at is not None]
    for starts_at, each in sorted(dated, key=lambda pair: pair[0], reverse=True):
        if each.state in ("draft", "cancelled") or each.name in found:
            continue
        local = _rounded(starts_at).astimezone(ZoneInfo(asked.zone)) + _WEEK
        while local <= now:
            local += _WEEK
        query = {"like": each.tournament, "often": "once", "zone": asked.zone}
        query |= {"date": local.date().isoformat(), "time": f"{local:%H:%M}", "name": each.name}
        href = f"{links.evening_plan(league)}?{urlencode(query)}"
        found[each.name] = Earlier(kind="evening", name=each.name, starts_at=starts_at, href=href)
    return list(found.values())[:_EVENINGS_MAX]


def _rounded(start: datetime) -> datetime:
    """Return a start at the next five minutes. An evening may have begun at an odd minute."""
    return start + -(start - datetime.min.replace(tzinfo=start.tzinfo)) % _ROUND


def _link(
    league: str,
    kind: Literal["template", "plan"],
    name: str,
    like: str,
    asked: Questions,
    content: Document,
) -> Earlier:
    query = {"like": like, "often": "once", "date": asked.date, "time": asked.time}
    query |= {"zone": asked.zone, "name": str(content.get("name") or name)}
    href = f"{links.evening_plan(league)}?{urlencode(query)}"
    return Earlier(kind=kind, name=name, starts_at=None, href=href)


async def content_of(ask: Ask, league: str, like: str) -> Document:
    """
    Return the announcement that a new evening starts from.

    Args:
        like: A tournament, a template of the league, or a plan as ``ssn_…/rec_…``.

    Raises:
        Problem: ``not_found``, if there is none.
    """
    if like.startswith("trn_"):
        return (await ask.api.get(f"/v1/tournaments/{like}/terms", TermsShown)).body
    if like.startswith("tpl_"):
        path = f"/v1/leagues/{league}/templates/{like}"
        return (await ask.api.get(path, TemplateShown)).body
    season, _, plan = like.partition("/")
    found = await ask.api.get(f"/v1/seasons/{season}/fixtures", ApiPage[RecurrenceShown])
    for each in found.items:
        if each.id == plan:
            return each.tournament
    raise Problem(404, {"code": "not_found"})
