"""Leagues, their members and their invitations."""

import base64
import hashlib
from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Response
from litestar.params import FromPath
from msgspec import Meta

from engine.league.commands import AcceptInvitation, CreateLeague, Invite
from engine.league.errors import InvitationUnknown
from engine.league.roles import Role
from engine.values import LeagueId, PlayerId, stream_of
from service.accounts import derived, names
from service.api.access import demand, league_of, reach
from service.api.bodies import Name, read_body
from service.api.operations import operation
from service.api.paging import Page
from service.api.shell import Asked, principal_of, shell_of
from service.api.submitting import answer, decide_one, encoded, order_of
from service.errors import StreamNotFound
from service.projections import queries

_CODE_BYTES = 36


class LeagueWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A new league; a sandbox is one for ever, and every audit of it says so."""

    name: Name
    sandbox: bool = False


class League(msgspec.Struct, kw_only=True):
    """A league as one of its members sees it."""

    id: str
    name: str
    sandbox: bool
    role: str
    position: str | None = None


class InvitationWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Who may come in by a code, and how long."""

    role: Role = "player"
    uses: Annotated[int, Meta(ge=1, le=1000)] = 1
    expires_in_hours: Annotated[int, Meta(ge=1, le=8760)] = 168


class Invitation(msgspec.Struct, kw_only=True):
    """A code to pass on; the log holds only its digest."""

    code: str
    league: str
    role: str
    uses: int
    expires_at: datetime
    position: str | None = None


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """A body without members; may be left out."""


class Membership(msgspec.Struct, kw_only=True):
    """A player's place in a league."""

    league: str
    player: str
    role: str
    position: str | None = None


class MemberShown(msgspec.Struct, kw_only=True):
    """A member, with the name of the account unless it was erased."""

    player: str
    name: str | None
    role: str


@operation(
    "POST", "/v1/leagues", "create_league", "Found a league and own it.",
    scope="leagues:manage", body=LeagueWanted, answer=League, status=201,
    problems=("league_name_invalid",),
)  # fmt: skip
async def create_league(request: Asked) -> Response[bytes]:
    """Begin a league's log; its id comes from the command, so a retry finds it."""
    shell = shell_of(request)
    body, raw = await read_body(request, LeagueWanted)
    order = order_of(request, raw)
    league = LeagueId(f"lge_{order.new_id(0).hex}")
    command = CreateLeague(
        league=league,
        name=body.name,
        owner=PlayerId(principal_of(request).account.player),
        sandbox=body.sandbox,
    )
    receipt = await decide_one(shell, league, league, order, [command])
    content = {"id": league, "name": body.name, "sandbox": body.sandbox, "role": "owner"}
    return answer(receipt, content, version_of=stream_of(league))


@operation(
    "GET", "/v1/leagues", "list_leagues", "The leagues I belong to.",
    scope="leagues:read", answer=Page,
)  # fmt: skip
async def list_leagues(request: Asked) -> Response[bytes]:
    """List the caller's leagues, from the read models."""
    async with shell_of(request).engine.connect() as connection:
        found = await queries.leagues_of(connection, principal_of(request).account.player)
    items = [
        League(id=each.league, name=each.name, sandbox=each.sandbox, role=each.role)
        for each in found
    ]
    return encoded(Page(items=items))


@operation(
    "GET", "/v1/leagues/{league_id:str}", "read_league", "One league.",
    scope="leagues:read", answer=League,
)  # fmt: skip
async def read_league(request: Asked, league_id: FromPath[str]) -> Response[bytes]:
    """Read a league from the aggregate."""
    place = await reach(request, league_id, "lge")
    found = League(
        id=league_id, name=place.state.name, sandbox=place.state.sandbox, role=place.role
    )
    return encoded(found, headers={"ETag": f'"{place.loaded.version}"'})


@operation(
    "POST", "/v1/leagues/{league_id:str}/invitations", "invite", "Make an invitation code.",
    scope="leagues:manage", body=InvitationWanted, answer=Invitation, status=201,
    problems=("forbidden", "invitation_invalid"),
)  # fmt: skip
async def invite(request: Asked, league_id: FromPath[str]) -> Response[bytes]:
    """Let whoever knows a code join; the code names its league."""
    shell = shell_of(request)
    body, raw = await read_body(request, InvitationWanted)
    place = await reach(request, league_id, "lge")
    demand(place, "manage_members")
    order = order_of(request, raw)
    secret = derived(shell.settings.secret_key, "invitation", order.command_id)[:20]
    code = base64.urlsafe_b64encode(UUID(hex=league_id[4:]).bytes + secret).decode()
    command = Invite(
        invitation=_digest(code),
        role=body.role,
        uses_max=body.uses,
        expires_at=shell.now() + timedelta(hours=body.expires_in_hours),
    )
    receipt = await decide_one(shell, league_id, league_id, order, [command])
    issued = [each.event.expires_at for each in receipt.recorded]
    content = {
        "code": code,
        "league": league_id,
        "role": body.role,
        "uses": body.uses,
        "expires_at": issued[0] if issued else command.expires_at,
    }
    return answer(receipt, content, version_of=place.stream)


@operation(
    "POST", "/v1/invitations/{code:str}/accept", "accept_invitation", "Join a league by a code.",
    scope="tables:play", body=Nothing, answer=Membership, status=201,
    problems=("invitation_expired", "already_member"),
)  # fmt: skip
async def accept_invitation(request: Asked, code: FromPath[str]) -> Response[bytes]:
    """Become a member; the role is the invitation's."""
    shell = shell_of(request)
    _, raw = await read_body(request, Nothing)
    league = _league_in(code)
    order = order_of(request, raw)
    player = PlayerId(principal_of(request).account.player)
    command = AcceptInvitation(invitation=_digest(code), player=player, now=shell.now())
    # A made-up league is not asked: looking into it would make its key.
    await league_of(shell, stream_of(league))
    try:
        receipt = await decide_one(shell, league, league, order, [command])
    except InvitationUnknown as error:
        # As for a made-up league: a code that opens nothing does not say what there is.
        raise StreamNotFound("there is nothing here under this name") from error
    roles = [each.event.role for each in receipt.recorded if each.type == "member_added"]
    content = {"league": league, "player": player, "role": roles[0] if roles else None}
    return answer(receipt, content, version_of=stream_of(league))


@operation(
    "GET", "/v1/leagues/{league_id:str}/members", "list_members", "Who belongs to a league.",
    scope="leagues:read", answer=Page,
)  # fmt: skip
async def list_members(request: Asked, league_id: FromPath[str]) -> Response[bytes]:
    """List members from the aggregate, in order of joining."""
    place = await reach(request, league_id, "lge")
    members = place.state.members
    called = await names(shell_of(request).engine, [UUID(hex=each.player[4:]) for each in members])
    items = [
        MemberShown(player=each.player, name=called.get(each.player), role=each.role)
        for each in members
    ]
    return encoded(Page(items=items))


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _league_in(code: str) -> LeagueId:
    try:
        raw = base64.urlsafe_b64decode(code.encode("ascii"))
    except (UnicodeEncodeError, ValueError) as error:
        raise StreamNotFound("there is nothing here under this name") from error
    if len(raw) != _CODE_BYTES:
        raise StreamNotFound("there is nothing here under this name")
    return LeagueId(f"lge_{UUID(bytes=raw[:16]).hex}")
