"""The result of an evening, and its corrections. Each is previewed by a dry run."""

import asyncio

import msgspec
from markupsafe import escape

from service.api.http.reading.paging import Page as Listed
from service.api.http.writing.rehearsing import WouldChange
from service.api.tournament.corrections import (
    CorrectionShown,
    CorrectionWanted,
    ForfeitWanted,
    RewardWanted,
)
from service.api.tournament.entrants import EntrantShown
from service.api.tournament.money import LedgerShown
from service.api.tournament.tournaments import TournamentShown
from service.console import links
from service.console.asking import Ask
from service.console.calling import Body
from service.console.declaring import form, page
from service.console.forms import Given, Rehearsal, command
from service.console.numbers import demanded, minor, written
from service.console.pages import Done, Page
from service.console.rehearsals import ChangeList, Row
from service.console.screens.evening.money import reports
from service.console.words import Words

_PLACE = "place."
"""The prefix of the fields that hold the places of a corrected order."""

_PRIZE = "prize."
"""The prefix of the fields that hold the prizes of another division."""


class Placed(msgspec.Struct, kw_only=True):
    """A player with the place that counts now."""

    entrant: str
    player: str
    name: str | None
    place: int
    payout: int
    prize: str
    """The payout as a person types it, or nothing."""

    forfeited: bool
    disqualified: bool


class CorrectionSeen(msgspec.Struct, kw_only=True):
    """One correction, with its reason."""

    number: int
    kind: str
    by: str | None
    reason: str | None


class ResultScreen(msgspec.Struct, kw_only=True):
    """The page of a result."""

    id: str
    league: str
    name: str
    currency: str | None
    finished: bool
    etag: str | None
    placed: tuple[Placed, ...]
    corrections: tuple[CorrectionSeen, ...]
    may_correct: bool
    pays: bool
    """True if there are prizes, and the reader records who has got them."""


@page("/tournaments/{tournament:str}/result")
async def result(ask: Ask, tournament: str) -> Page:
    """Show places and prizes, and the corrections with their reasons."""
    path = f"/v1/tournaments/{tournament}"
    me, read, found = await asyncio.gather(
        ask.me(),
        ask.api.read(path, TournamentShown),
        ask.api.get(f"{path}/corrections", Listed[CorrectionShown]),
    )
    shown, latest = read.value, found.items[-1] if found.items else None
    forfeited = () if latest is None else latest.forfeited
    finished = shown.state == "finished"
    may_correct = finished and reports(me, shown)
    placed = [
        _placed(each, forfeited, shown.currency)
        for each in shown.entrants
        if each.placing is not None
    ]
    screen = ResultScreen(
        id=shown.id,
        league=shown.league,
        name=shown.name,
        currency=shown.currency,
        finished=finished,
        etag=read.etag,
        placed=tuple(sorted(placed, key=lambda each: each.place)),
        corrections=tuple(
            CorrectionSeen(number=each.number, kind=each.kind, by=each.by_name, reason=each.reason)
            for each in found.items
        ),
        may_correct=may_correct,
        pays=may_correct and any(each.payout for each in placed),
    )
    return Page("evening/result.html", screen)


@form("/tournaments/{tournament:str}/result/order", of=result)
async def correct_order(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Correct the order of finish. Players with the same place share it."""
    groups: dict[int, list[str]] = {}
    for name, values in given.fields.items():
        if name.startswith(_PLACE):
            groups.setdefault(demanded(values[-1], name, least=1), []).append(
                name.removeprefix(_PLACE)
            )
    order = tuple(tuple(groups[place]) for place in sorted(groups))
    body = given.into(CorrectionWanted, order=order)
    return await _corrected(ask, given, tournament, "corrections", body)


@form("/tournaments/{tournament:str}/result/forfeit", of=result)
async def forfeit(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Take the result and the prize from a player."""
    body = given.into(ForfeitWanted)
    return await _corrected(ask, given, tournament, "forfeits", body)


@form("/tournaments/{tournament:str}/result/prizes", of=result)
async def divide_anew(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Divide the prizes in another way. The places stay."""
    shown = await ask.api.get(f"/v1/tournaments/{tournament}", TournamentShown)
    awards = []
    for name, values in given.fields.items():
        if name.startswith(_PRIZE) and values[-1].strip():
            amount = minor(values[-1], shown.currency, name)
            awards.append({"entrant": name.removeprefix(_PRIZE), "amount": amount})
    body = given.into(RewardWanted, awards=[each for each in awards if each["amount"]])
    return await _corrected(ask, given, tournament, "awards", body)


async def _corrected(ask: Ask, given: Given, tournament: str, what: str, body: Body) -> Done | Page:
    path = f"/v1/tournaments/{tournament}"
    shown = await ask.api.get(path, TournamentShown)
    asked = Rehearsal(
        ask.gettext("Correct the result?"),
        currency=shown.currency,
        own=lambda changes: _to_take_back(ask, path, changes),
    )
    return await command(
        ask, given, "POST", f"{path}/{what}", body,
        said=ask.gettext("The result is corrected."), to=links.result(tournament), rehearse=asked,
    )  # fmt: skip


async def _to_take_back(ask: Ask, path: str, changes: WouldChange) -> ChangeList:
    """Return the prizes of which more was handed over than would be due."""
    books, words = await ask.api.get(f"{path}/ledger", LedgerShown), Words(ask.language)
    handed = {each.entrant: each.handed_over for each in books.accounts}
    payouts = [each for one in changes.tournaments.values() for each in one.payouts]
    rows = []
    for each in payouts:
        over = handed.get(each.entrant, 0) - each.after
        if over <= 0:
            continue
        said = {
            "prize": words.money(each.after, books.currency),
            "part": words.money(over, books.currency),
        }
        rows.append(
            Row(
                what=changes.names.get(each.entrant, "–"),
                before=words.money(handed[each.entrant], books.currency),
                after=escape(ask.gettext("%(prize)s, so %(part)s must come back")) % said,
            )
        )
    caption = ask.gettext("Prizes that are handed over already")
    return ChangeList(caption=caption, about=ask.gettext("Player"), rows=rows)


def _placed(each: EntrantShown, forfeited: tuple[str, ...], currency: str | None) -> Placed:
    return Placed(
        entrant=each.id,
        player=each.player,
        name=each.name,
        place=each.placing or 0,
        payout=each.payout or 0,
        prize=written(each.payout, currency) if each.payout else "",
        forfeited=each.id in forfeited,
        disqualified=each.disqualified,
    )
