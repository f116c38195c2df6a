"""The members of a league and their roles."""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Response
from msgspec import Meta

from engine.league.commands import ChangeRole, RemoveMember
from engine.league.roles import Role
from engine.league.state import Member
from engine.values import PlayerId, stream_of
from service.api.http.access.rights import LeaguePlace, demand_form
from service.api.http.declaring.declaration import OnPeople
from service.api.http.declaring.nothing import Nothing
from service.api.http.declaring.queries import Query
from service.api.http.operations import operation
from service.api.http.reading.etags import Tags, not_modified, tag_of
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order, answer, decide_one
from service.base.letters import holds
from service.director.in_play import remove_member as remove_member_from
from service.people.accounts import erased, names
from service.people.tokens import Principal


class Membership(msgspec.Struct, kw_only=True):
    """A player's role in a league. It is null for a player who is not a member."""

    league: str
    player: str
    role: Role | None
    """The role now, or null for a player who is not a member."""

    position: str | None = None


class MemberShown(msgspec.Struct, kw_only=True):
    """A member. The name is null if the account was erased."""

    player: str
    name: str | None
    """The player's name now."""

    role: Role
    """Every role except `player` is an office."""


class RoleWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A member's new role."""

    role: Role
    """Every role except `player` is an office."""


OFFICE = Query(
    "office", bool, "List only members with an office: every role except `player`.", default=False
)
NAMED = Query(
    "name", Annotated[str, Meta(min_length=1, max_length=80)],
    "List only members whose name holds this text, in capitals or not, with accents or without, "
    "and the player whose identifier it is.",
)  # fmt: skip


@operation(
    "GET", "/v1/leagues/{league_id:str}/members", "list_members", "List a league's members.",
    needs="read_league", scope="leagues:read", answer=Page[MemberShown],
    problems=("invalid_cursor",),
)  # fmt: skip
async def list_members(
    place: LeaguePlace,
    shell: Shell,
    pages: Pages,
    tags: Tags,
    office: Annotated[bool, OFFICE],
    name: Annotated[str | None, NAMED],
) -> Response[bytes]:
    """
    List the members by player, from the aggregate, so that changes do not move other members.

    The ``ETag`` is for :func:`change_role`.
    """
    about = f"members {place.id}" + (" office" if office else "") + (f" {name}" if name else "")
    paged = await pages.live(place.id, about, str)
    ordered = sorted(place.state.members, key=lambda each: each.player)
    if office:
        ordered = [each for each in ordered if each.role != "player"]
    if name is not None:
        called = await _called(shell, ordered)
        ordered = [
            each for each in ordered if name == each.player or holds(called.get(each.player), name)
        ]
    page = paged.cut(ordered, lambda each: (each.player,))
    members = page.items
    called = await _called(shell, members)
    items = [
        MemberShown(player=each.player, name=called.get(each.player), role=each.role)
        for each in members
    ]
    shown = Page(items=items, next_cursor=page.next_cursor)
    tag = tag_of(place.loaded.version, msgspec.json.encode(shown))
    return not_modified(tag) if tags.unchanged(tag) else pages.answer(shown, {"ETag": tag})


@operation(
    "PUT", "/v1/leagues/{league_id:str}/members/{player_id:str}", "change_role",
    "Change a member's role.",
    needs="manage_members", scope="leagues:manage", answer=Membership,
    problems=("forbidden", "member_unknown", "last_owner"),
    on_people=OnPeople("role", "changes a member's role", "manage_members"),
    precondition="demanded",
)  # fmt: skip
async def change_role(
    player_id: str, body: RoleWanted, place: LeaguePlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Change a role, even the caller's own. The last owner must stay an owner."""
    demand_form(player_id, "plr")
    command = ChangeRole(player=PlayerId(player_id), role=body.role)
    return await _decided(shell, place, order, command, body.role)


@operation(
    "DELETE", "/v1/leagues/{league_id:str}/members/{player_id:str}", "remove_member",
    "Remove a member. Their results stay.",
    needs="manage_members", scope="leagues:manage", answer=Membership,
    problems=("last_owner", "member_playing"),
    on_people=OnPeople("removal", "removes a member", "manage_members"),
)  # fmt: skip
async def remove_member(
    player_id: str, place: LeaguePlace, order: Order, shell: Shell
) -> Response[bytes]:
    """
    Remove a member who is in no running tournament. If the player is no member, nothing changes.
    """
    demand_form(player_id, "plr")
    command = RemoveMember(player=PlayerId(player_id))
    return await _decided(shell, place, order, command, None)


@operation(
    "POST", "/v1/leagues/{league_id:str}/leave", "leave_league", "Leave a league.",
    needs="read_league", scope="tables:play", body=Nothing, answer=Membership,
    problems=("last_owner", "member_playing"),
    on_people=OnPeople("removal", "removes the caller", "caller"),
)  # fmt: skip
async def leave_league(
    place: LeaguePlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Remove the caller, if they are in no running tournament."""
    player = PlayerId(principal.account.player)
    return await _decided(shell, place, order, RemoveMember(player=player), None)


async def _called(shell: Shell, members: Sequence[Member]) -> dict[str, str]:
    """Return the names of members by player. Those of erased accounts are left out."""
    return await names(shell.engine, [UUID(hex=each.player[4:]) for each in members])


async def _decided(
    shell: Shell,
    place: LeaguePlace,
    order: Order,
    command: ChangeRole | RemoveMember,
    role: Role | None,
) -> Response[bytes]:
    league = place.league
    owners = [each.player for each in place.state.members if each.role == "owner"]
    async with shell.engine.connect() as connection:
        gone = tuple(map(PlayerId, await erased(connection, owners)))
    command = msgspec.structs.replace(command, erased=gone)
    if isinstance(command, RemoveMember):
        receipt = await remove_member_from(shell.runtime, league, command, order)
    else:
        receipt = await decide_one(shell, league, league, order, [command])
    content = {"league": league, "player": command.player, "role": role}
    return answer(receipt, content, 200, version_of=stream_of(league))
