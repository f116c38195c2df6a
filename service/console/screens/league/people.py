"""The people of a league: roles, invitations, bans."""

import asyncio
from typing import TypeVar

import msgspec

from service.api.http.reading.paging import Page as ApiPage
from service.api.league.bans import BanShown, BanWanted
from service.api.league.claim_codes import ClaimListed
from service.api.league.invitations import InvitationShown
from service.api.league.leagues import LeagueShown
from service.api.league.members import MemberShown, RoleWanted
from service.base.letters import by_name, holds
from service.console import links
from service.console.asking import Ask
from service.console.calling import Body
from service.console.declaring import form, page
from service.console.forms import Given, Question, command
from service.console.listing import everything
from service.console.pages import Done, Page
from service.console.screens.league.leagues import OFFICES

Shape = TypeVar("Shape")
_MANAGE = frozenset({"owner", "director"})
_SHOWN = ("staff", "unclaimed")
"""The parts of the list that the address may select."""


class Somebody(msgspec.Struct, kw_only=True):
    """A member in the list."""

    player: str
    name: str | None
    role: str
    me: bool
    unclaimed: bool
    """True for somebody who was entered by hand and has not signed up."""

    acts: bool
    """True if there is an action that the reader may take on this member."""


class PeopleScreen(msgspec.Struct, kw_only=True):
    """The page of people."""

    league: str
    league_name: str
    owner: bool
    manages: bool
    """True if the reader may invite, import and ban."""

    etag: str | None
    count: int
    """The number of all members."""

    offices: int
    """The number of members with an office."""

    wanted: str
    """The reader's search text."""

    shown: str
    """The part of the list that is shown: ``staff``, ``unclaimed`` or nothing for all."""

    staff: tuple[Somebody, ...]
    """Members with an office, the owners first."""

    players: tuple[Somebody, ...]
    """The other members, by name."""

    invitations: tuple[InvitationShown, ...]
    unclaimed: int
    """The number of members who were entered by hand and have not signed up."""

    bans: tuple[BanShown, ...]


@page("/leagues/{league:str}/people")
async def people(ask: Ask, league: str) -> Page | Done:
    """Show the members to staff, with the possible actions. Players have a list of their own."""
    path = f"/v1/leagues/{league}"
    read = await ask.api.read(path, LeagueShown)
    shown = read.value
    if shown.role == "player":
        return Done(links.players(league))
    manages = shown.role in _MANAGE
    me, members, invitations, claims, bans = await asyncio.gather(
        ask.me(),
        everything(ask, f"{path}/members", ApiPage[MemberShown]),
        _listed(ask, f"{path}/invitations", ApiPage[InvitationShown], manages),
        _listed(ask, f"{path}/claims", ApiPage[ClaimListed], manages),
        everything(ask, f"{path}/bans", ApiPage[BanShown]),
    )
    unclaimed = {each.player for each in claims if not each.claimed and each.role is not None}
    listed = [
        Somebody(
            player=each.player,
            name=each.name,
            role=each.role,
            me=each.player == me.id,
            unclaimed=each.player in unclaimed,
            acts=shown.role == "owner" or (manages and each.role == "player"),
        )
        for each in sorted(members, key=lambda each: by_name(each.name))
    ]
    wanted, part = ask.query("q").strip(), ask.query("show")
    part = part if part in _SHOWN else ""
    found = [each for each in listed if holds(each.name, wanted)]
    if part == "unclaimed":
        found = [each for each in found if each.unclaimed]
    staff = [each for each in found if each.role != "player"]
    screen = PeopleScreen(
        league=league,
        league_name=shown.name,
        owner=shown.role == "owner",
        manages=manages,
        etag=read.etag,
        count=len(listed),
        offices=sum(each.role != "player" for each in listed),
        wanted=wanted,
        shown=part,
        staff=tuple(sorted(staff, key=lambda each: OFFICES.index(each.role))),
        players=() if part == "staff" else tuple(each for each in found if each.role == "player"),
        invitations=tuple(each for each in invitations if not each.expired),
        unclaimed=len(unclaimed),
        bans=tuple(each for each in bans if each.holds),
    )
    return Page("league/people.html", screen)


@form("/leagues/{league:str}/people/invitations/{invitation:str}/revoke", of=people)
async def revoke(ask: Ask, given: Given, league: str, invitation: str) -> Done | Page:
    """Revoke an invitation."""
    said = ask.gettext("The link no longer works.")
    return await _sent(ask, given, league, ("DELETE", f"invitations/{invitation}"), said)


@form("/leagues/{league:str}/people/{player:str}/role", of=people)
async def change_role(ask: Ask, given: Given, league: str, player: str) -> Done | Page:
    """Give a member another role."""
    said = ask.gettext("The role is changed.")
    return await _sent(
        ask, given, league, ("PUT", f"members/{player}"), said, given.into(RoleWanted)
    )


@form("/leagues/{league:str}/people/{player:str}/remove", of=people)
async def remove(ask: Ask, given: Given, league: str, player: str) -> Done | Page:
    """Remove a member, after a question."""
    said = ask.gettext("Removed. The results stay.")
    asked = Question(
        ask.gettext("Remove %(name)s from the league?") % {"name": given.text("name")},
        ask.gettext("They can no longer enter evenings of the league. Their results stay."),
    )
    return await _sent(ask, given, league, ("DELETE", f"members/{player}"), said, asked=asked)


@form("/leagues/{league:str}/people/{player:str}/ban", of=people)
async def ban(ask: Ask, given: Given, league: str, player: str) -> Done | Page:
    """Ban a player."""
    said = ask.gettext("The player is now banned.")
    return await _sent(ask, given, league, ("PUT", f"bans/{player}"), said, given.into(BanWanted))


@form("/leagues/{league:str}/people/{player:str}/lift-ban", of=people)
async def lift_ban(ask: Ask, given: Given, league: str, player: str) -> Done | Page:
    """Lift a ban."""
    said = ask.gettext("The ban is lifted.")
    return await _sent(ask, given, league, ("DELETE", f"bans/{player}"), said)


async def _sent(
    ask: Ask,
    given: Given,
    league: str,
    route: tuple[str, str],
    said: str,
    body: Body = None,
    asked: Question | None = None,
) -> Done | Page:
    """Send a command about the people, by its method and its path below the league."""
    method, path = route
    return await command(
        ask, given, method, f"/v1/leagues/{league}/{path}", body,
        said=said, to=links.people(league), rehearse=asked,
    )  # fmt: skip


async def _listed(ask: Ask, path: str, shape: type[ApiPage[Shape]], allowed: bool) -> list[Shape]:
    """Return a list, or an empty one if the reader may not read it."""
    return await everything(ask, path, shape) if allowed else []
