"""The audits of a league: starting one, its progress, and its report in words."""

import asyncio
from datetime import datetime

import msgspec

from service.api.http.reading.paging import Page as ApiPage
from service.api.league.leagues import LeagueShown
from service.api.proof.audits import AuditListed, AuditWanted, OperationShown, Started
from service.base.languages import N_, filled
from service.console import links
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.declaring import form, page
from service.console.forms import Given
from service.console.pages import Done, Page

_PAGE = 20
_EVENINGS = 30

CHECKS = {
    "positions": N_("No event is missing"),
    "canonical": N_("Every event is in its only valid form"),
    "chains": N_("Every event follows the one before it"),
    "event_ids": N_("Every event has the number that follows from its command"),
    "guards": N_("No event slipped past the guard of the log"),
    "voided": N_("Only damaged events were set aside"),
    "readable": N_("Every event can be read"),
    "folds": N_("Every event follows from the state before it"),
    "commitments": N_("Sealed values match their commitments"),
    "seeds": N_("Every seed follows from its sealed master"),
    "entropy": N_("The players’ own entropy went into the cards"),
    "decks": N_("Every deck is the one that was committed to"),
    "dice": N_("Every roll comes out the same again"),
    "randomness": N_("Cards and dice are as even as chance makes them"),
    "cards": N_("Every card came from its pile"),
    "deals": N_("Deals are counted, and void ones were opened"),
    "cubes": N_("Every chance cube rolls the same again"),
    "reveals": N_("Shown cards are the cards that were dealt"),
    "decisions": N_("Every action was legal, and leads to the same"),
    "levels": N_("Levels rose when they should"),
    "pots": N_("Every pot adds up"),
    "hands": N_("Every hand balances to the chip"),
    "heads": N_("No event is missing at the end of a table or an evening"),
    "seat_draws": N_("Seats were drawn as committed"),
    "rounds": N_("Rounds were paired, scored and cut by the rules"),
    "moves": N_("Moves between tables follow the rules"),
    "rulings": N_("Rulings did what they say"),
    "chips": N_("No chip appeared or vanished"),
    "placings": N_("Places add up"),
    "money": N_("Money adds up"),
    "points": N_("Points of the season add up"),
    "fates": N_("Evenings began and ended by the rules"),
    "texts": N_("No text was changed afterwards"),
    "opened": N_("Shown cards were opened to everybody"),
    "jobs": N_("The clock answered in time"),
    "tree": N_("The signatures cover the whole log"),
    "projections": N_("Lists and standings agree with the log"),
}
"""The description of each check."""

READ_MODELS = {
    "disputes": N_("disputes"),
    "hands": N_("hands"),
    "members": N_("members"),
    "openings": N_("opened cards"),
    "ratings": N_("ratings"),
    "records": N_("records"),
    "standings": N_("standings"),
    "tables": N_("tables"),
    "tournaments": N_("evenings"),
}
"""The lists that an audit compares with the log, by the name of the read model."""

_KINDS = {
    "league": N_("In the league"),
    "season": N_("In a season"),
    "tournament": N_("On an evening"),
    "table": N_("At a table"),
    "dispute": N_("In a dispute"),
}
"""The place of a fault, by the kind of its stream."""

_ELSEWHERE = N_("In the log")

FACTS = (N_("cards"), N_("dice"), N_("draws"), N_("counted"), N_("cancelled"),
         N_("not_played"), N_("left_out"))  # fmt: skip
"""Facts of faults that are words to translate."""


class _Evening(msgspec.Struct):
    """The members of a tournament in the list that this page reads."""

    tournament: str
    name: str
    state: str


class _Fault(msgspec.Struct):
    """A fault of the report."""

    position: int
    stream: str
    what: str
    text: str = ""
    facts: dict[str, str] = {}


class _Check(msgspec.Struct):
    """A check of the report."""

    name: str
    title: str
    checked: int
    failed: int
    faults: list[_Fault] = []


class Findings(msgspec.Struct):
    """The members of an audit's report that the page shows."""

    passed: bool
    events: int
    hands: int
    seconds: float
    checks: list[_Check]
    voided_deals: int = 0
    omissions: int = 0
    sandbox: bool = False
    not_compared: list[str] = []


class Audit(msgspec.Struct, kw_only=True):
    """An audit in the list."""

    operation: str
    about: str
    state: str
    percent: int
    passed: bool | None
    whole: bool
    """True if nothing was left out of the comparison."""

    requested_at: datetime


class AuditsScreen(msgspec.Struct, kw_only=True):
    """The page of a league's audits."""

    league: str
    name: str
    audits: tuple[Audit, ...]
    evenings: tuple[tuple[str, str], ...]
    """The subjects that may be audited, each with its words. The empty one is the whole league."""

    may_start: bool
    next: str | None


class Wrong(msgspec.Struct, kw_only=True):
    """A fault in words."""

    where: str
    position: int | None
    """The position in the log, or null for a fault that has none."""

    detail: str
    english: bool
    """True for a fault of an old report, whose detail is written in English only."""


class Checked(msgspec.Struct, kw_only=True):
    """A check in words."""

    title: str
    checked: int
    failed: int
    faults: tuple[Wrong, ...]


class AuditScreen(msgspec.Struct, kw_only=True):
    """The page of one audit."""

    id: str
    league: str
    state: str
    percent: int
    found: Findings | None
    checks: tuple[Checked, ...]
    """Failed checks first, then those that examined anything."""

    not_compared: str
    """The lists that were not compared, in words."""


@page("/leagues/{league:str}/audits")
async def audits(ask: Ask, league: str) -> Page:
    """List the audits, the newest first."""
    root = f"/v1/leagues/{league}"
    me, shown, listed, evenings = await asyncio.gather(
        ask.me(),
        ask.api.get(root, LeagueShown),
        ask.api.get(
            f"{root}/audits", ApiPage[AuditListed], limit=_PAGE, cursor=ask.query("cursor") or None
        ),
        ask.api.get(f"{root}/tournaments", ApiPage[_Evening], limit=_EVENINGS),
    )
    names = {each.tournament: each.name for each in evenings.items}
    whole = ask.gettext("The whole league")
    known = {None: whole} | names
    role = me.role_in(league)
    screen = AuditsScreen(
        league=league,
        name=shown.name,
        audits=tuple(
            Audit(
                operation=each.operation,
                about=known.get(each.tournament) or ask.gettext("An evening"),
                state=each.state,
                percent=round(each.progress * 100),
                passed=each.passed,
                whole=not each.not_compared,
                requested_at=each.requested_at,
            )
            for each in listed.items
        ),
        evenings=(("", whole), *((number, name) for number, name in names.items())),
        may_start=role in ("owner", "referee", "auditor"),
        next=listed.next_cursor,
    )
    return Page("league/audits.html", screen)


@form("/leagues/{league:str}/audits/start", of=audits)
async def start_audit(ask: Ask, given: Given, league: str) -> Done:
    """Start an audit of an evening or of the whole league."""
    wanted = AuditWanted(tournament=given.text("tournament") or None)
    path = f"/v1/leagues/{league}/audits"
    started = await ask.api.send("POST", path, wanted, Started, key=given.key)
    return Done(links.audit(league, started.operation), ask.gettext("The audit has begun."))


@page("/leagues/{league:str}/audits/{operation:str}")
async def audit(ask: Ask, league: str, operation: str) -> Page:
    """Show the progress of an audit, then its report."""
    shown = await ask.api.get(f"/v1/operations/{operation}", OperationShown)
    if shown.league != league:
        raise Problem(404, {"code": "not_found"})
    found = None if shown.result is None else msgspec.convert(shown.result, Findings)
    screen = AuditScreen(
        id=operation,
        league=league,
        state=shown.state,
        percent=round(shown.progress * 100),
        found=found,
        checks=() if found is None else tuple(_checked(ask, found)),
        not_compared="" if found is None else _not_compared(ask, found),
    )
    return Page("league/audit.html", screen)


def _not_compared(ask: Ask, found: Findings) -> str:
    return ", ".join(ask.gettext(READ_MODELS.get(each, each)) for each in found.not_compared)


def _checked(ask: Ask, found: Findings) -> list[Checked]:
    counted = [each for each in found.checks if each.checked or each.failed]
    return [
        Checked(
            title=ask.gettext(CHECKS.get(each.name, each.title)),
            checked=each.checked,
            failed=each.failed,
            faults=tuple(_wrong(ask, fault) for fault in each.faults),
        )
        for each in sorted(counted, key=lambda each: not each.failed)
    ]


def _wrong(ask: Ask, fault: _Fault) -> Wrong:
    kind = fault.stream.partition("-")[0]
    return Wrong(
        where=ask.gettext(_KINDS.get(kind, _ELSEWHERE)),
        position=fault.position if fault.position >= 0 else None,
        detail=filled(fault.text, fault.facts, ask.gettext) or fault.what,
        english=not fault.text,
    )
