"""The door: check-ins, payments and the waitlist."""

import asyncio
from collections.abc import Iterable
from typing import Literal

import msgspec

from service.api.http.declaring.nothing import Nothing
from service.api.http.reading.paging import Page as Listed
from service.api.league.members import MemberShown
from service.api.me.accounts import Me
from service.api.tournament.by_staff import EntryByStaff
from service.api.tournament.entrants import EntrantShown
from service.api.tournament.money import (
    AccountShown,
    LedgerShown,
    ReversalWanted,
)
from service.api.tournament.tournaments import TournamentShown
from service.console import links
from service.console.asking import Ask, seen_by
from service.console.calling import Problem
from service.console.declaring import form, page
from service.console.forms import Given, Question, command
from service.console.listing import everything
from service.console.pages import Done, Page
from service.console.screens.evening.money import pay_entry
from service.console.screens.evening.playing import own_entry

MEMBERS_SHOWN = 8
"""The most members that the search by name shows."""

_CODE = "plr_"
"""The beginning of a search that a scanned code has made."""

_NAME_MAX = 80
_DOOR_STAFF = frozenset({"owner", "director"})
_OVER = frozenset({"finished", "cancelled"})
_OUTSIDE = frozenset({"waitlisted", "offered", "requested"})
_BEFORE_PLAY = frozenset({"announced", "registering", "registration_closed"})
_KINDS: tuple[Literal["buy_in", "fee", "bounty"], ...] = ("buy_in", "fee", "bounty")
"""The parts of an entry that are paid at the door. Rebuys and add-ons are paid later."""


class AtDoor(msgspec.Struct, kw_only=True):
    """A player on the list."""

    entrant: str
    player: str
    name: str | None
    status: str
    here: bool
    may_check_in: bool
    due: int
    """The amount still to be paid, in minor units."""

    paid: int
    """The amount already paid."""

    table: int | None
    """The number of the table."""

    seat: int | None
    line: int | None

    @property
    def seen(self) -> bool:
        """True if the door has nothing left to do for this player."""
        return (self.here or not self.may_check_in) and not self.due


class Member(msgspec.Struct, kw_only=True):
    """A member of the league who is not entered."""

    player: str
    name: str


class DoorScreen(msgspec.Struct, kw_only=True):
    """The list at the door."""

    id: str
    league: str
    name: str
    currency: str | None
    price: int
    check_in: bool
    """True if entrants check in to this tournament before play."""

    open: bool
    """False once the tournament is over."""

    works: bool
    """True for staff who do not play: they take money, enter people and undo check-ins."""

    checks_in: bool
    """True for that staff, and for a host who plays if the terms allow it."""

    takes_out: bool
    """True before play, for staff who do not play."""

    entered: int
    here: int
    unpaid: int
    places: int
    asked: str
    """The name that was searched for."""

    code: Literal["", "member", "unknown"]
    """
    The player of a scanned code who is not on the list: a member who is not entered, or
    nobody of this league.
    """

    only: str
    """`absent`, `unpaid`, or nothing for everybody."""

    people: tuple[AtDoor, ...]
    waiting: tuple[AtDoor, ...]
    members: tuple[Member, ...]


class Foreign(msgspec.Struct, kw_only=True):
    """An evening whose league is not the reader's."""

    id: str
    name: str = ""
    """Nothing if strangers may not see the evening, or if there is none."""

    league_name: str = ""


@page("/tournaments/{tournament:str}/door")
async def door(ask: Ask, tournament: str) -> Page | Done:
    """Show the list, or the results of a search. Readers who do not work here get the poster."""
    me, shown, ledger = await asyncio.gather(
        ask.me(),
        ask.api.get(f"/v1/tournaments/{tournament}", TournamentShown),
        ask.api.get(f"/v1/tournaments/{tournament}/ledger", LedgerShown),
    )
    if not _works_here(me, shown):
        return Done(links.tournament(tournament))
    asked, only = ask.query("q").strip(), ask.query("only")
    members = await _members(ask, shown, asked) if asked else ()
    return Page("evening/door.html", _screen(me, shown, ledger, members, asked, only))


def _works_here(me: Me, shown: TournamentShown) -> bool:
    """Return whether the reader works at the door. The API decides each single right."""
    role = me.role_in(shown.league)
    return role in _DOOR_STAFF


def _screen(
    me: Me,
    shown: TournamentShown,
    ledger: LedgerShown,
    members: tuple[Member, ...],
    asked: str,
    only: str,
) -> DoorScreen:
    numbers = {each.id: each.number for each in shown.tables}
    accounts = {each.entrant: each for each in ledger.accounts}
    price = _price(shown)
    opens = shown.entry.check_in_opens_before_seconds is not None
    before = opens and shown.state in _BEFORE_PLAY
    everybody = tuple(
        _at_door(each, accounts.get(each.id), numbers, price, opens and _expected(shown, each))
        for each in shown.entrants
        if each.status != "refused"
    )
    people = [each for each in everybody if each.status not in _OUTSIDE]
    scanned = asked.startswith(_CODE)
    known = any(each.player == asked for each in everybody)
    if scanned and not known:
        asked = ""
    works = own_entry(me, shown) is None
    return DoorScreen(
        id=shown.id,
        league=shown.league,
        name=shown.name,
        currency=shown.currency,
        price=price,
        check_in=before,
        open=shown.state not in _OVER,
        works=works,
        checks_in=works or shown.staff_may_play,
        takes_out=shown.state in _BEFORE_PLAY and works,
        entered=len(people),
        here=sum(each.here for each in people),
        unpaid=sum(bool(each.due) for each in people),
        places=shown.entrants_max,
        asked=next((each.name or "" for each in everybody if each.player == asked), asked),
        code="" if known or not scanned else "member" if members else "unknown",
        only=only if only in ("absent", "unpaid") else "",
        people=_listed(people, asked, only),
        waiting=tuple(each for each in _matching(everybody, asked) if each.status in _OUTSIDE),
        members=members,
    )


def _price(shown: TournamentShown) -> int:
    """Return the price of an entry at the door: nothing on trust, or if it is cancelled."""
    fees = shown.fees
    free = fees.payment == "on_trust" or shown.state == "cancelled"
    return 0 if free else fees.buy_in + fees.fee + fees.bounty


def _matching(people: Iterable[AtDoor], asked: str) -> list[AtDoor]:
    return [each for each in people if _found(asked, each.name, each.player)]


def _listed(people: list[AtDoor], asked: str, only: str) -> tuple[AtDoor, ...]:
    """Return the results of the search, by name."""
    found = _matching(people, asked)
    if only == "absent":
        found = [each for each in found if not each.here]
    elif only == "unpaid":
        found = [each for each in found if each.due]
    return tuple(sorted(found, key=lambda each: (each.name or "").casefold()))


@page("/tournaments/{tournament:str}/here/{player:str}", open=True)
async def own_code(ask: Ask, tournament: str, player: str) -> Done | Page:
    """
    Lead staff to the player's line at the door, and other readers to the poster.

    Whoever scans the code of another league reads that, and what to do.
    """
    try:
        return await seen_by(ask, _at_this_door, _at_another_door, tournament, player)
    except Problem as problem:
        if problem.status != 404:
            raise
        return Page("evening/foreign_code.html", Foreign(id=tournament), 404)


async def _at_this_door(ask: Ask, tournament: str, player: str) -> Done:
    me, shown = await asyncio.gather(
        ask.me(), ask.api.get(f"/v1/tournaments/{tournament}", TournamentShown)
    )
    if _works_here(me, shown) and player != me.id:
        return Done(f"{links.door(tournament)}?q={player}")
    return Done(links.tournament(tournament))


async def _at_another_door(ask: Ask, tournament: str, player: str) -> Done | Page:
    seen = await ask.api.get(f"/v1/public/tournaments/{tournament}", Foreign)
    if ask.signed_in:
        return Page("evening/foreign_code.html", seen)
    return Done(links.poster_of_code(tournament, player))


@form("/tournaments/{tournament:str}/door/{entrant:str}/here", of=door)
async def set_here(ask: Ask, given: Given, tournament: str, entrant: str) -> Done | Page:
    """Check somebody in, or undo it."""
    path = f"/v1/tournaments/{tournament}/registrations/{entrant}/check-in"
    here = given.flag("here")
    return await command(
        ask, given, "POST" if here else "DELETE", path, Nothing(),
        said="", to=_back(given, tournament),  # the button's label says it fmt: skip
    )  # fmt: skip


@form("/tournaments/{tournament:str}/door/{entrant:str}/paid", of=door)
async def take_money(ask: Ask, given: Given, tournament: str, entrant: str) -> Done:
    """Record everything that is due at the door: the buy-in, the fee and the bounty."""
    await pay_entry(ask, given, tournament, entrant)
    return Done(_back(given, tournament))


@form("/tournaments/{tournament:str}/door/{entrant:str}/unpaid", of=door)
async def undo_money(ask: Ask, given: Given, tournament: str, entrant: str) -> Done:
    """Take back what was recorded at the door by mistake. The books keep both entries."""
    path = f"/v1/tournaments/{tournament}"
    ledger = await ask.api.get(f"{path}/ledger", LedgerShown)
    account = next((each for each in ledger.accounts if each.entrant == entrant), None)
    reason = given.text("reason") or ask.gettext("Recorded by mistake")
    for kind in _KINDS:
        payments = () if account is None else account.payments
        recorded = sum(each.amount for each in payments if each.kind == kind)
        if recorded > 0:
            wanted = ReversalWanted(entrant=entrant, kind=kind, amount=recorded, reason=reason)
            key = f"{given.key}-{kind}"
            await ask.api.send("POST", f"{path}/payments/reversals", wanted, object, key=key)
    return Done(_back(given, tournament))


@form("/tournaments/{tournament:str}/door/{entrant:str}/out", of=door)
async def take_out(ask: Ask, given: Given, tournament: str, entrant: str) -> Done | Page:
    """Take somebody off the list before play, after a question."""
    name = {"name": given.text("name")}
    asked = Question(
        ask.gettext("Take %(name)s out?") % name,
        ask.gettext("The place is free for the next on the waitlist. Give back what was paid."),
    )
    return await command(
        ask, given, "POST", f"/v1/tournaments/{tournament}/registrations/{entrant}/withdraw",
        said=ask.gettext("%(name)s is off the list.") % name, to=_back(given, tournament),
        rehearse=asked,
    )  # fmt: skip


@form("/tournaments/{tournament:str}/door/enter", of=door)
async def enter_member(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Enter a member of the league."""
    return await command(
        ask, given, "POST", f"/v1/tournaments/{tournament}/registrations/by-staff",
        given.into(EntryByStaff), said=ask.gettext("Entered."), to=_back(given, tournament),
    )  # fmt: skip


@form("/tournaments/{tournament:str}/door/{entrant:str}/approve", of=door)
async def let_in(ask: Ask, given: Given, tournament: str, entrant: str) -> Done | Page:
    """Approve an applicant."""
    return await command(
        ask, given, "POST", f"/v1/tournaments/{tournament}/registrations/{entrant}/approve",
        said=ask.gettext("Approved."), to=links.door(tournament),
    )  # fmt: skip


def _back(given: Given, tournament: str) -> str:
    """Return the address of the list with the same search."""
    only = given.text("only")
    return links.door(tournament) + (f"?only={only}" if only in ("absent", "unpaid") else "")


def _found(asked: str, name: str | None, player: str) -> bool:
    return asked.casefold() in (name or "").casefold() or asked == player


def _expected(shown: TournamentShown, each: EntrantShown) -> bool:
    """Return whether an entrant may check in, or undo it: including one who waits in line."""
    waits = each.status in ("waitlisted", "offered")
    if shown.state in _BEFORE_PLAY:
        return waits or each.status == "registered"
    return each.absent or (waits and shown.late_registration and not each.checked_in)


def _at_door(
    each: EntrantShown,
    account: AccountShown | None,
    numbers: dict[str, int],
    price: int,
    expected: bool,
) -> AtDoor:
    payments = () if account is None else account.payments
    paid = sum(payment.amount for payment in payments if payment.kind in _KINDS)
    settled = account is None or account.paid >= account.charged
    return AtDoor(
        entrant=each.id,
        player=each.player,
        name=each.name,
        status=each.status,
        here=each.checked_in,
        may_check_in=expected,
        due=0 if settled else max(0, price - paid),
        paid=paid,
        table=None if each.table is None else numbers.get(each.table),
        seat=each.seat,
        line=each.line,
    )


async def _members(ask: Ask, shown: TournamentShown, asked: str) -> tuple[Member, ...]:
    """Return the members who match the search and are not on the list."""
    known = {each.player for each in shown.entrants}
    path, name = f"/v1/leagues/{shown.league}/members", asked[:_NAME_MAX]
    scanned = asked.startswith(_CODE)
    try:
        found = await everything(ask, path, Listed[MemberShown], name=None if scanned else name)
    except Problem:
        return ()
    if scanned:
        found = [each for each in found if each.player == asked]
    members = (Member(player=each.player, name=each.name) for each in found if each.name)
    return tuple(each for each in members if each.player not in known)[:MEMBERS_SHOWN]
