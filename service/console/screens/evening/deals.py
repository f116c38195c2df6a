"""Payout deals: the remaining players divide the prizes, and each accepts on their own phone."""

import asyncio
from typing import Literal

import msgspec

from service.api.me.accounts import Me
from service.api.tournament.payout_deals import DealShown, DealsShown, DealWanted
from service.api.tournament.tournaments import TournamentShown
from service.console import links
from service.console.asking import Ask
from service.console.declaring import form, page
from service.console.forms import Given, command
from service.console.numbers import minor
from service.console.pages import Done, Page
from service.console.refusals import no_deal
from service.console.screens.floor.floor import powers

_LEFT = frozenset({"playing", "registered", "rebuy_open"})
_COMING_BACK = frozenset({"rebuy_open", "busted"})
_METHODS: tuple[Literal["by_chips", "equal", "explicit"], ...] = ("by_chips", "equal", "explicit")


class ShareSeen(msgspec.Struct, kw_only=True):
    """The share of one player in a deal."""

    entrant: str
    player: str | None
    name: str | None
    amount: int
    accepted: bool
    mine: bool


class DealSeen(msgspec.Struct, kw_only=True):
    """A deal that is proposed or made."""

    number: int
    method: str
    by: str | None
    """The name of the player who proposed it, or null for a director."""

    shares: tuple[ShareSeen, ...]
    play_for: int
    ends: bool
    may_answer: bool
    """True if the reader has not answered this proposal yet."""


class DealsScreen(msgspec.Struct, kw_only=True):
    """The page of an evening's deals."""

    id: str
    league: str
    name: str
    currency: str | None
    running: bool
    offer: DealSeen | None
    made: DealSeen | None
    left: tuple[tuple[str, str | None], ...]
    """The remaining players: entrant and name."""

    may_propose: bool
    """True for players who are left and for directors, while no deal is proposed or made."""

    why_not: str
    """The reason why no deal can be proposed now, with the time when it can, or nothing."""


@page("/tournaments/{tournament:str}/deals")
async def deals(ask: Ask, tournament: str) -> Page:
    """Show the proposal with every share, and the players who have accepted."""
    path = f"/v1/tournaments/{tournament}"
    me, shown, found = await asyncio.gather(
        ask.me(), ask.api.get(path, TournamentShown), ask.api.get(f"{path}/deals", DealsShown)
    )
    left = tuple((each.id, each.name) for each in shown.entrants if each.status in _LEFT)
    running = shown.state in ("running", "paused")
    screen = DealsScreen(
        id=shown.id,
        league=shown.league,
        name=shown.name,
        currency=shown.currency,
        running=running,
        offer=None if found.offer is None else _deal(found.offer, shown),
        made=None if found.made is None else _deal(found.made, shown, made=True),
        left=left,
        may_propose=running and _may_propose(me, shown),
        why_not=_why_not(ask, shown, found),
    )
    return Page("evening/deals.html", screen)


@form("/tournaments/{tournament:str}/deals/propose", of=deals)
async def propose(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Propose a deal, as a remaining player or as a director."""
    path = f"/v1/tournaments/{tournament}"
    me, shown = await asyncio.gather(ask.me(), ask.api.get(path, TournamentShown))
    method = next((each for each in _METHODS if each == given.text("method")), _METHODS[0])
    shares = {
        name.partition(".")[2]: minor(values[-1].strip() or "0", shown.currency, name)
        for name, values in given.fields.items()
        if name.startswith("shares.")
    }
    body = DealWanted(
        method=method,
        shares=shares if method == "explicit" else {},
        play_for=minor(given.text("play_for") or "0", shown.currency, "play_for"),
        ends=given.flag("ends"),
    )
    where = "deals/by-director" if powers(me, shown).rules else "deals"
    return await command(
        ask, given, "POST", f"{path}/{where}", body,
        said=ask.gettext("The deal is proposed. Each player answers on their own phone."),
        to=links.deals(tournament),
    )  # fmt: skip


@form("/tournaments/{tournament:str}/deals/answer", of=deals)
async def answer(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Accept the proposal, or decline it for everybody."""
    number, accepted = given.text("number"), given.flag("accepted")
    said = ask.gettext("You have declined. The deal is off.")
    if accepted:
        said = ask.gettext("You have accepted.")
    what = "accept" if accepted else "decline"
    number = number if number.isdecimal() else "0"
    path = f"/v1/tournaments/{tournament}/deals/{number}/{what}"
    return await command(ask, given, "POST", path, said=said, to=links.deals(tournament))


def _why_not(ask: Ask, shown: TournamentShown, found: DealsShown) -> str:
    """Return why nobody can propose a deal now and when they can, or nothing."""
    if found.offer is not None or found.made is not None or found.obstacle is None:
        return ""
    said = no_deal(found.obstacle, ask.language)
    level = shown.entry.late_registration_level
    if found.obstacle == "others_may_still_enter" and level is not None:
        said += " " + ask.gettext("It closes with level %(number)s.") % {"number": level}
    back = [each.name for each in shown.entrants if each.status in _COMING_BACK and each.name]
    if found.obstacle == "somebody_may_come_back" and back:
        said += " " + ask.gettext("Still open: %(names)s.") % {"names": ", ".join(back)}
    return said


def _may_propose(me: Me, shown: TournamentShown) -> bool:
    mine = next((each for each in reversed(shown.entrants) if each.player == me.id), None)
    return powers(me, shown).rules or (mine is not None and mine.status == "playing")


def _deal(deal: DealShown, shown: TournamentShown, *, made: bool = False) -> DealSeen:
    called = {each.id: each.name for each in shown.entrants}
    players = {each.id: each.player for each in shown.entrants}
    mine = None if shown.my is None else shown.my.entrant
    shares = tuple(
        ShareSeen(
            entrant=entrant,
            player=players.get(entrant),
            name=called.get(entrant),
            amount=amount,
            accepted=made or entrant in deal.accepted,
            mine=entrant == mine,
        )
        for entrant, amount in sorted(deal.shares.items(), key=lambda each: -each[1])
    )
    waits = any(each.mine and not each.accepted for each in shares)
    return DealSeen(
        number=deal.number,
        method=deal.method,
        by=None if deal.by is None else called.get(deal.by),
        shares=shares,
        play_for=deal.play_for,
        ends=deal.ends,
        may_answer=waits and not made,
    )
