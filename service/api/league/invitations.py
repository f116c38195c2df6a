"""Invitations: codes that let anybody who knows them join a league."""

import base64
import hashlib
from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Response
from msgspec import Meta
from msgspec.structs import replace

from engine.league.commands import AcceptInvitation, Invite, RevokeInvitation
from engine.league.errors import InvitationUnknown
from engine.league.roles import Role
from engine.league.state import Created
from engine.league.state import Invitation as Held
from engine.values import LeagueId, PlayerId, stream_of
from service.api.http.access.rights import LeaguePlace, demand_over, league_of
from service.api.http.declaring.declaration import OnPeople
from service.api.http.declaring.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order, answer, decide_one
from service.api.league.likenesses import demand_me_distinct
from service.api.league.members import Membership
from service.base.errors import StreamNotFound
from service.people import accounts
from service.people.tokens import Principal

_CODE_BYTES = 36
_DIGEST_DIGITS = 64


class InvitationWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A new invitation: the role it gives, its uses and its lifetime."""

    role: Role = "player"
    """The role of everybody who joins with the code."""

    uses: Annotated[int, Meta(ge=1, le=1000)] = 1
    """The number of people who may join with the code."""

    expires_in_hours: Annotated[int, Meta(ge=1, le=8760)] = 168
    """The lifetime of the code. 168 hours are a week."""


class Invitation(msgspec.Struct, kw_only=True):
    """An invitation with its code, which is shown only once. The log holds only its digest."""

    id: str
    """The digest of the code, which identifies the invitation in lists."""

    code: str | None
    """Null in the answer to a retry, which carries ``Idempotent-Replayed: true``."""

    league: str
    role: Role
    """The role of everybody who joins with the code."""

    uses: int
    """The number of people who may join with the code."""

    expires_at: datetime
    """The instant from which the code is not accepted."""

    position: str | None = None


class InvitationShown(msgspec.Struct, kw_only=True):
    """An invitation that was neither revoked nor used up."""

    id: str
    """The digest of the code, 64 hexadecimal digits."""

    role: Role
    """The role of everybody who joins with the code."""

    uses_left: int
    """The number of people who may still join."""

    expires_at: datetime | None
    """The instant from which the code is not accepted."""

    expired: bool
    """True if `expires_at` has passed."""


class InvitationRevoked(msgspec.Struct, kw_only=True):
    """A revoked invitation."""

    league: str
    id: str
    """The digest of the code, as in the list of invitations."""

    position: str | None = None
    """Null if the invitation was not valid before."""


@operation(
    "POST", "/v1/leagues/{league_id:str}/invitations", "invite",
    "Make an invitation code. Only owners may do so for a role other than player.",
    needs="manage_players", scope="leagues:manage", answer=Invitation,
    status=201, problems=("forbidden", "invitation_invalid"),
    on_people=OnPeople("invitation", "makes an invitation", "manage_members"),
    key_required=True,
)  # fmt: skip
async def invite(
    body: InvitationWanted, place: LeaguePlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Make a code that lets anybody join. The code contains its league."""
    order = replace(order, office=demand_over(place.role, body.role))
    secret = shell.runtime.entropy.bytes(20)
    code = base64.urlsafe_b64encode(UUID(hex=place.id[4:]).bytes + secret).decode()
    command = Invite(
        invitation=digest_of(code),
        role=body.role,
        uses_max=body.uses,
        expires_at=shell.now() + timedelta(hours=body.expires_in_hours),
    )
    receipt = await decide_one(shell, place.id, place.id, order, [command])
    issued = receipt.recorded[0].event
    content = {
        "id": issued.invitation,
        "code": None if receipt.duplicate else code,
        "league": place.id,
        "role": body.role,
        "uses": body.uses,
        "expires_at": issued.expires_at,
    }
    return answer(receipt, content, version_of=place.stream)


@operation(
    "GET", "/v1/leagues/{league_id:str}/invitations", "list_invitations",
    "List the invitations that are not revoked or used up, without their codes.",
    needs="manage_players", scope="leagues:manage", answer=Page[InvitationShown],
    problems=("invalid_cursor",),
)  # fmt: skip
async def list_invitations(place: LeaguePlace, shell: Shell, pages: Pages) -> Response[bytes]:
    """List the invitations by id, from the aggregate. Expired ones are marked."""
    now = shell.now()
    items = [
        InvitationShown(
            id=each.invitation,
            role=each.role,
            uses_left=each.uses_left,
            expires_at=each.expires_at,
            expired=each.expires_at is not None and now >= each.expires_at,
        )
        for each in sorted(place.state.invitations, key=lambda each: each.invitation)
    ]
    paged = await pages.live(place.id, f"invitations {place.id}", str)
    return pages.answer(paged.cut(items, lambda each: (each.id,)))


@operation(
    "DELETE", "/v1/leagues/{league_id:str}/invitations/{invitation_id:str}", "revoke_invitation",
    "Revoke an invitation. Only owners may do so for a role other than player.",
    needs="manage_players", scope="leagues:manage", answer=InvitationRevoked,
    on_people=OnPeople("removal", "revokes an invitation", "manage_members"),
)  # fmt: skip
async def revoke_invitation(
    invitation_id: str, place: LeaguePlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Revoke an invitation by its id. If it is not valid any more, nothing changes."""
    if len(invitation_id) != _DIGEST_DIGITS:
        raise StreamNotFound("it does not exist, or you may not see it")
    held = place.state.invitation(invitation_id)
    order = replace(order, office=demand_over(place.role, None if held is None else held.role))
    command = RevokeInvitation(invitation=invitation_id)
    receipt = await decide_one(shell, place.id, place.id, order, [command])
    content = {"league": place.id, "id": invitation_id}
    return answer(receipt, content, 200, version_of=place.stream)


@operation(
    "POST", "/v1/invitations/{code:str}/accept", "accept_invitation",
    "Join a league with an invitation code.",
    needs="account", scope="tables:play", body=Nothing, answer=Membership, status=201,
    problems=("invitation_expired", "player_banned", "merged_player", "name_taken"),
    on_people=OnPeople("by_invitation", "makes the caller a member, in the code's role", "caller"),
)  # fmt: skip
async def accept_invitation(
    code: str, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Join with the invitation's role. A member keeps their current role."""
    league = league_in(code)
    player = PlayerId(principal.account.player)
    command = AcceptInvitation(invitation=digest_of(code), player=player, now=shell.now())
    # Refuse a made-up league before loading it, because loading would create its key.
    await league_of(shell, stream_of(league))
    house = (await shell.runtime.writer.load(league, stream_of(league))).state
    if await good(shell, house, command.invitation) is not None:
        async with shell.engine.connect() as connection:
            await demand_me_distinct(connection, principal, house)
    elif house.invitation(command.invitation) is not None:
        raise StreamNotFound("it does not exist, or you may not see it")
    try:
        receipt = await decide_one(shell, league, league, order, [command])
    except InvitationUnknown as error:
        # The same answer as for a made-up league, so an invalid code reveals nothing.
        raise StreamNotFound("it does not exist, or you may not see it") from error
    roles = [each.event.role for each in receipt.recorded if each.type == "member_added"]
    if not roles:
        state = (await shell.runtime.writer.load(league, stream_of(league), fresh=False)).state
        roles = [state.role_of(player)]
    content = {"league": league, "player": player, "role": roles[0]}
    return answer(receipt, content, version_of=stream_of(league))


async def good(shell: Shell, house: Created, digest: str) -> Held | None:
    """
    Return a valid invitation, even an expired one, or None.

    Only owners invite to an office. While an operator has suspended one of them, no such invitation
    works, because a suspended owner could use it to come back as somebody else.
    """
    held = house.invitation(digest)
    if held is None or held.role == "player":
        return held
    owners = [each.player for each in house.members if each.role == "owner"]
    async with shell.engine.connect() as connection:
        return None if await accounts.any_suspended(connection, owners) else held


def digest_of(code: str) -> str:
    """Return the digest of a code, which the log holds instead of the code."""
    return hashlib.sha256(code.encode()).hexdigest()


def league_in(code: str) -> LeagueId:
    """
    Return the league that *code* names. It need not exist.

    Raises:
        StreamNotFound: If the code is malformed.
    """
    try:
        raw = base64.urlsafe_b64decode(code.encode("ascii"))
    except (UnicodeEncodeError, ValueError) as error:
        raise StreamNotFound("it does not exist, or you may not see it") from error
    if len(raw) != _CODE_BYTES:
        raise StreamNotFound("it does not exist, or you may not see it")
    return LeagueId(f"lge_{UUID(bytes=raw[:16]).hex}")
