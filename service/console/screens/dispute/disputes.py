"""The disputes of a league: the queue for referees, and the form for a claim."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

import msgspec

from service.api.http.reading.paging import Page as ApiPage
from service.api.league.leagues import LeagueShown
from service.api.proof.claiming import DisputeWanted
from service.api.proof.dispute_shapes import DisputeChanged
from service.console import links
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.declaring import form, page
from service.console.forms import Given
from service.console.pages import Done, Page
from service.console.screens.dispute.words import kind_name

_PAGE = 40
_EVENINGS = 12
_WAITING = ("open", "appealed")


class _Listed(msgspec.Struct):
    """The members of a dispute in the list that this page reads."""

    dispute: str
    kind: str
    tournament: str | None
    claimant: str
    claimant_name: str | None
    state: str
    outcome: str | None
    frozen: bool
    opened_at: datetime


class _Evening(msgspec.Struct):
    """The members of a tournament in the list that this page reads."""

    tournament: str
    name: str
    state: str


class _Season(msgspec.Struct):
    """The members of a season in the list that this page reads."""

    season: str
    name: str
    state: str


class Queued(msgspec.Struct, kw_only=True):
    """A dispute in the queue."""

    id: str
    about: str
    evening: str | None
    claimant: str | None
    mine: bool
    state: str
    outcome: str | None
    frozen: bool
    opened_at: datetime


class DisputesScreen(msgspec.Struct, kw_only=True):
    """The page of a league's disputes."""

    league: str
    name: str
    waiting: tuple[Queued, ...]
    """The disputes that wait for a ruling, the oldest first."""

    settled: tuple[Queued, ...]
    subjects: tuple[tuple[str, str], ...]
    """The subjects of a claim other than a hand, each with its words."""

    next: str | None


@page("/leagues/{league:str}/disputes")
async def disputes(ask: Ask, league: str) -> Page:
    """Show the disputes that wait for a ruling, then those that have one."""
    root = f"/v1/leagues/{league}"
    me, shown, listed, evenings, seasons = await asyncio.gather(
        ask.me(),
        ask.api.get(root, LeagueShown),
        ask.api.get(
            f"{root}/disputes", ApiPage[_Listed], limit=_PAGE, cursor=ask.query("cursor") or None
        ),
        ask.api.get(f"{root}/tournaments", ApiPage[_Evening], limit=_EVENINGS),
        ask.api.get(f"{root}/seasons", ApiPage[_Season], limit=_EVENINGS),
    )
    names = {each.tournament: each.name for each in evenings.items}
    found = [
        Queued(
            id=each.dispute,
            about=kind_name(each.kind, ask.language),
            evening=names.get(each.tournament or ""),
            claimant=each.claimant_name,
            mine=each.claimant == me.id,
            state=each.state,
            outcome=each.outcome,
            frozen=each.frozen,
            opened_at=each.opened_at,
        )
        for each in listed.items
    ]
    screen = DisputesScreen(
        league=league,
        name=shown.name,
        waiting=tuple(each for each in reversed(found) if each.state in _WAITING),
        settled=tuple(each for each in found if each.state not in _WAITING),
        subjects=_subjects(ask, evenings.items, seasons.items),
        next=listed.next_cursor,
    )
    return Page("dispute/queue.html", screen)


@form("/leagues/{league:str}/disputes/claim", of=disputes)
async def file_claim(ask: Ask, given: Given, league: str) -> Done:
    """Claim that a seating, the prizes or the standings are wrong."""
    kind, _, subject = given.text("subject").partition(" ")
    of = "season" if kind == "standing" else "tournament"
    if not subject:
        raise Problem(
            400,
            {
                "code": "validation_failed",
                "title": "",
                "errors": [{"pointer": "/subject", "detail": "missing required field"}],
            },
        )
    fixed: dict[str, object] = {"kind": kind, of: subject}
    wanted = given.into(DisputeWanted, flags=(), **fixed)
    made = await ask.api.send("POST", "/v1/disputes", wanted, DisputeChanged, key=given.key)
    said = ask.gettext("Your claim is filed, and the evidence attached.")
    return Done(links.dispute(made.id), said)


def _subjects(
    ask: Ask, evenings: Sequence[_Evening], seasons: Sequence[_Season]
) -> tuple[tuple[str, str], ...]:
    """Return the choices of the form: prizes and seating of evenings, standings of seasons."""
    of = {
        "payout": ask.gettext("Places and prizes: %(name)s"),
        "seating": ask.gettext("Seating: %(name)s"),
        "standing": ask.gettext("Standings: %(name)s"),
    }
    found = [
        (f"{kind} {each.tournament}", of[kind] % {"name": each.name})
        for each in evenings
        if each.state in ("running", "paused", "finished")
        for kind in ("payout", "seating")
    ]
    standings = [
        (f"standing {each.season}", of["standing"] % {"name": each.name}) for each in seasons
    ]
    return (*found, *standings)
