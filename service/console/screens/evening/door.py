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
)
from service.api.tournament.registrations import Registration
from service.api.tournament.tournaments import TournamentShown
from service.base.letters import by_name, holds, plain
from service.console import links
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.declaring import form, page
from service.console.forms import Given, Question, command
from service.console.languages import Spoken
from service.console.listing import everything
from service.console.pages import Done, Page
from service.console.screens.evening.dues import (
    PARTS,
    bought,
    entry_parts,
    entry_price,
    later_parts,
    to_give_back,
    total,
)
from service.console.screens.evening.entry import BEFORE_PLAY, OVER
from service.console.screens.evening.playing import own_entry
from service.console.screens.evening.waitlist import (
    may_leave,
    next_number,
    open_to_entries,
    places,
    taken,
    waitlisted,
    what_happens_next,
)

MEMBERS_SHOWN = 8
"""The most members that the search by name shows."""

_CODE = "plr_"
"""The beginning of a search that a scanned code has made."""

_NAME_MAX = 80
_DOOR_STAFF = frozenset({"owner", "director"})
_OUTSIDE = frozenset({"waitlisted", "offered", "requested"})


class AtDoor(msgspec.Struct, kw_only=True):
    """A player on the list."""

    entrant: str
    player: str
    name: str | None
    status: str
    here: bool
    may_check_in: bool
    entry_due: int
    """The part of the entry that is not paid, in minor units."""

    later_due: int
    """The part of rebuys and add-ons that is not paid."""

    later: tuple[str, ...]
    """Its purpose: `rebuy`, `add_on` or both."""

    paid: int
    """The amount already paid for the entry."""

    table: int | None
    """The number of the table."""

    seat: int | None
    line: int | None

    leaves: bool
    """True if staff may take the player off the list."""

    @property
    def due(self) -> int:
        """The amount still to be paid."""
        return self.entry_due + self.later_due

    def found_by(self, name: str) -> str:
        """Return the spellings of *name* by which the search on the page finds it."""
        small, letters = name.lower(), plain(name)
        return small if small == letters else f"{small} {letters}"


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

    state: str
    before_play: bool

    enters: bool
    """True if somebody may enter now, or join the waitlist."""

    waitlist: bool
    """True if players without a place may wait for one."""

    next_number: int | None
    """The number on the waitlist of the next walk-in, or null if there is a place."""

    next: str
    """The way from the waitlist to a place, in sentences, or nothing."""

    entered: int
    taken: int
    """The places that are taken or offered."""

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


@page("/tournaments/{tournament:str}/door")
async def door(ask: Ask, tournament: str) -> Page | Done:
    """Show the list, or the results of a search. Readers who do not work here get the poster."""
    me, shown, ledger = await asyncio.gather(
        ask.me(),
        ask.api.get(f"/v1/tournaments/{tournament}", TournamentShown),
        ask.api.get(f"/v1/tournaments/{tournament}/ledger", LedgerShown),
    )
    if not works_here(me, shown):
        return Done(links.tournament(tournament))
    asked, only = ask.query("q").strip(), ask.query("only")
    members = await _members(ask, shown, asked) if asked else ()
    return Page("evening/door.html", _screen(me, shown, ledger, members, asked, only, ask.language))


def works_here(me: Me, shown: TournamentShown) -> bool:
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
    language: Spoken,
) -> DoorScreen:
    opens = shown.entry.check_in_opens_before_seconds is not None
    before, works = shown.state in BEFORE_PLAY, own_entry(me, shown) is None
    everybody = _everybody(shown, ledger, opens=opens, works=works)
    people = [each for each in everybody if each.status not in _OUTSIDE]
    scanned = asked.startswith(_CODE)
    known = any(each.player == asked for each in everybody)
    if scanned and not known:
        asked = ""
    return DoorScreen(
        id=shown.id,
        league=shown.league,
        name=shown.name,
        currency=shown.currency,
        price=entry_price(shown),
        check_in=opens and before,
        open=shown.state not in OVER,
        works=works,
        checks_in=works or shown.staff_may_play,
        state=shown.state,
        before_play=before,
        enters=open_to_entries(shown),
        waitlist=shown.entry.waitlist,
        next_number=next_number(shown),
        next=what_happens_next(language, shown),
        entered=len(people),
        taken=taken(shown),
        here=sum(each.here for each in people),
        unpaid=sum(bool(each.due) for each in people),
        places=places(shown),
        asked=next((each.name or "" for each in everybody if each.player == asked), asked),
        code="" if known or not scanned else "member" if members else "unknown",
        only=only if only in ("absent", "unpaid") else "",
        people=_listed(people, asked, only),
        waiting=tuple(each for each in _matching(everybody, asked) if each.status in _OUTSIDE),
        members=members,
    )


def _everybody(
    shown: TournamentShown, ledger: LedgerShown, *, opens: bool, works: bool
) -> tuple[AtDoor, ...]:
    """Return everybody who has entered, waits or has applied."""
    numbers = {each.id: each.number for each in shown.tables}
    accounts = {each.entrant: each for each in ledger.accounts}
    before = shown.state in BEFORE_PLAY
    return tuple(
        _at_door(
            each,
            accounts.get(each.id),
            numbers,
            shown,
            expected=opens and _expected(shown, each),
            leaves=works and (before or may_leave(shown, each)),
        )
        for each in shown.entrants
        if each.status != "refused"
    )


def _matching(people: Iterable[AtDoor], asked: str) -> list[AtDoor]:
    return [each for each in people if _found(asked, each.name, each.player)]


def _listed(people: list[AtDoor], asked: str, only: str) -> tuple[AtDoor, ...]:
    """Return the results of the search, by name."""
    found = _matching(people, asked)
    if only == "absent":
        found = [each for each in found if not each.here]
    elif only == "unpaid":
        found = [each for each in found if each.due]
    return tuple(sorted(found, key=lambda each: by_name(each.name)))


@form("/tournaments/{tournament:str}/door/{entrant:str}/here", of=door)
async def set_here(ask: Ask, given: Given, tournament: str, entrant: str) -> Done | Page:
    """Check somebody in, or undo it."""
    path = f"/v1/tournaments/{tournament}/registrations/{entrant}/check-in"
    here = given.flag("here")
    return await command(
        ask, given, "POST" if here else "DELETE", path, Nothing(),
        said="", to=list_again(given, tournament),  # the button's label says it fmt: skip
    )  # fmt: skip


@form("/tournaments/{tournament:str}/door/{entrant:str}/out", of=door)
async def take_out(ask: Ask, given: Given, tournament: str, entrant: str) -> Done | Page:
    """Take somebody off the list before play, after a question."""
    name = {"name": given.text("name")}
    place = ask.gettext("The place is free for the next on the waitlist. Give back what was paid.")
    effect = {
        "waitlisted": ask.gettext("Those behind move up by one."),
        "requested": ask.gettext("The request to enter ends."),
    }.get(given.text("status"), place)
    asked = Question(ask.gettext("Take %(name)s out?") % name, effect)
    said = ask.gettext("%(name)s is off the list.") % name
    said += await to_give_back(ask, tournament, entrant)
    return await command(
        ask, given, "POST", f"/v1/tournaments/{tournament}/registrations/{entrant}/withdraw",
        said=said, to=list_again(given, tournament), rehearse=asked,
    )  # fmt: skip


@form("/tournaments/{tournament:str}/door/enter", of=door)
async def enter_member(ask: Ask, given: Given, tournament: str) -> Done:
    """Enter a member of the league, or put the member on the waitlist."""
    path, body = f"/v1/tournaments/{tournament}", given.into(EntryByStaff)
    to = f"{path}/registrations/by-staff"
    made = await ask.api.send(
        "POST", to, body, Registration, key=given.key, if_match=given.if_match
    )
    shown = await ask.api.get(path, TournamentShown)
    said = waitlisted(ask.language, shown, made.entrant) or ask.gettext("Entered.")
    return Done(list_again(given, tournament), said)


@form("/tournaments/{tournament:str}/door/{entrant:str}/approve", of=door)
async def let_in(ask: Ask, given: Given, tournament: str, entrant: str) -> Done:
    """Approve an applicant, who may find every place taken."""
    path = f"/v1/tournaments/{tournament}"
    to = f"{path}/registrations/{entrant}/approve"
    await ask.api.send("POST", to, None, object, key=given.key, if_match=given.if_match)
    shown = await ask.api.get(path, TournamentShown)
    said = waitlisted(ask.language, shown, entrant) or ask.gettext("Approved.")
    return Done(links.door(tournament), said)


def list_again(given: Given, tournament: str) -> str:
    """Return the address of the list with the same search."""
    only = given.text("only")
    return links.door(tournament) + (f"?only={only}" if only in ("absent", "unpaid") else "")


def _found(asked: str, name: str | None, player: str) -> bool:
    return holds(name, asked) or asked == player


def _expected(shown: TournamentShown, each: EntrantShown) -> bool:
    """Return whether an entrant may check in, or undo it: including one who waits in line."""
    waits = each.status in ("waitlisted", "offered")
    if shown.state in BEFORE_PLAY:
        return waits or each.status == "registered"
    return each.absent or (waits and shown.late_registration and not each.checked_in)


def _at_door(
    each: EntrantShown,
    account: AccountShown | None,
    numbers: dict[str, int],
    shown: TournamentShown,
    expected: bool,
    leaves: bool,
) -> AtDoor:
    payments = () if account is None else account.payments
    paid = sum(payment.amount for payment in payments if payment.kind in PARTS)
    later = [] if account is None else later_parts(account, shown)
    return AtDoor(
        entrant=each.id,
        player=each.player,
        name=each.name,
        status=each.status,
        here=each.checked_in,
        may_check_in=expected,
        entry_due=0 if account is None else total(entry_parts(account, shown)),
        later_due=total(later),
        later=() if account is None else bought(account, later),
        paid=paid,
        table=None if each.table is None else numbers.get(each.table),
        seat=each.seat,
        line=each.line,
        leaves=leaves,
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
