"""Claim codes, which turn a player without an account into somebody's account."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, ClassVar
from uuid import UUID

import msgspec
import sqlalchemy as sa
from litestar import Response
from msgspec import Meta
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.coordination import policies
from engine.coordination.aggregates import DECIDERS
from engine.league.banning import demand_unbanned
from engine.league.commands import AddMember, ChangeRole, RemoveMember
from engine.league.roles import STAFF, Role, may, needed_over
from engine.league.state import Created
from engine.league.uniting import demand_unmerged
from engine.values import LeagueId, PlayerId, identifier, number_of, stream_of
from service.api.http.access.rights import LeaguePlace, demand_form, demand_over
from service.api.http.declaring.declaration import OnPeople
from service.api.http.declaring.nothing import Nothing
from service.api.http.declaring.queries import OfPlayer
from service.api.http.operations import operation
from service.api.http.reading.clients import Address
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Asked, Shell
from service.api.http.writing.submitting import Order, answer, encoded, order_of
from service.api.league.likenesses import demand_me_distinct
from service.api.league.members import Membership
from service.api.me.accounts import AccountMade
from service.api.me.signing_in import REPLAYED, Wanted, demand_same, root, shown_again
from service.api.me.tokens import Login, Password
from service.base.errors import BadRequest, StreamNotFound
from service.director.in_play import guards_of_outsider
from service.log.writer import States, StreamEvents
from service.people import accounts, admission, entered_players, suspending
from service.people.entered_players import (
    CLAIM_FOR,
    SECRET_BYTES,
    PlayerClaim,
    claim_code,
    digest_of,
)
from service.people.idempotency import RecordedRequest
from service.people.rechecking import demand_alive
from service.people.tokens import Principal, lock_families


class ClaimCode(msgspec.Struct, kw_only=True):
    """A code with which a person claims a player. It is shown only once."""

    league: str
    player: str
    code: str | None
    """Null in the answer to a retry, which carries ``Idempotent-Replayed: true``."""

    expires_at: datetime
    """The instant after which the code is not accepted."""


class ClaimIssued(msgspec.Struct, kw_only=True):
    """A new code for one player."""

    player: str
    name: str
    """The player's name now."""

    code: str | None
    """Null in the answer to a retry, which carries ``Idempotent-Replayed: true``."""


class ClaimsIssued(msgspec.Struct, kw_only=True):
    """New codes for all unclaimed players of a league."""

    league: str
    claims: tuple[ClaimIssued, ...]
    """One code for each unclaimed player for whom the caller may issue one."""

    expires_at: datetime
    """The instant after which the codes are not accepted."""


class ClaimListed(msgspec.Struct, kw_only=True):
    """A player entered by hand or from a list, and whether somebody has claimed them."""

    player: str
    name: str
    """The player's name now."""

    role: Role | None
    """Null if the player is no longer a member."""

    claimed: bool
    """True once a person has claimed the player."""

    expires_at: datetime | None
    """The expiry of the newest code, or null once the player is claimed."""


class CodeWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A claim code, used by a person who has an account."""

    code: Annotated[str, Meta(max_length=80)]
    """The claim code, as the staff handed it out."""


class ClaimWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A claim code, with the login and the password of the new account."""

    SECRET: ClassVar = ("code", "password")

    code: Annotated[str, Meta(max_length=80)]
    """The claim code, as the staff handed it out."""

    login: Login
    """The login of the new account. It is kept in lower case."""

    password: Password
    """The password of the new account, 8 to 256 characters."""


@operation(
    "POST", "/v1/leagues/{league_id:str}/players/{player_id:str}/claim", "renew_claim",
    "Issue a new claim code for an entered player. The old code becomes invalid.",
    needs="manage_players", scope="leagues:manage", body=Nothing, answer=ClaimCode, status=201,
    problems=("forbidden", "not_claimable", "merged_player"),
    on_people=OnPeople("claim", "issues a new claim code", "manage_members"),
)  # fmt: skip
async def renew_claim(
    principal: Principal,
    player_id: str,
    place: LeaguePlace,
    order: Order,
    now: datetime,
    shell: Shell,
) -> Response[bytes]:
    """Issue a new code, unless somebody has already claimed the player."""
    demand_form(player_id, "plr")
    role = place.state.role_of(PlayerId(player_id))
    demand_over(place.role, role)
    demand_unmerged(place.state, PlayerId(player_id))
    if role == "owner":
        raise BadRequest("not_claimable", "no code makes an owner; an owner has to appoint them")
    code = claim_code(number_of(player_id), shell.runtime.entropy.bytes(SECRET_BYTES))
    made = ClaimCode(league=place.id, player=player_id, code=code, expires_at=now + CLAIM_FOR)
    said = RecordedRequest(order.command_id, order.request, principal.account.number)
    async with shell.engine.begin() as connection:
        before = await shell.requests.before(connection, said, now)
        if before is not None:
            made.code, made.expires_at = None, (before.at or now) + CLAIM_FOR
            return encoded(made, 201, dict(REPLAYED))
        await lock_families(connection, [principal.account.number, number_of(player_id)])
        await demand_alive(connection, principal, now)
        await suspending.demand_open(connection, place.id)
        if not await entered_players.renew_claim(
            connection, place.id, player_id, digest_of(code), now, by=principal.account.number
        ):
            raise BadRequest("not_claimable", "this player cannot be claimed in this league")
    return encoded(made, 201)


@operation(
    "POST", "/v1/leagues/{league_id:str}/claims", "issue_claims",
    "Issue new claim codes for all unclaimed players. The old codes become invalid.",
    needs="manage_players", scope="leagues:manage", body=Nothing, answer=ClaimsIssued, status=201,
    problems=("forbidden",),
    on_people=OnPeople("claim", "replaces all claim codes", "manage_members"),
    key_required=True,
)  # fmt: skip
async def issue_claims(
    principal: Principal, place: LeaguePlace, order: Order, now: datetime, shell: Shell
) -> Response[bytes]:
    """Issue all codes again, for example after a lost answer. Only owners get codes for offices."""
    said = RecordedRequest(order.command_id, order.request, principal.account.number)
    issued: list[ClaimIssued] = []
    async with shell.engine.begin() as connection:
        before = await shell.requests.before(connection, said, now)
        again = before is not None
        first = now if before is None else before.at or now
        unclaimed = await entered_players.unclaimed_in(connection, place.id)
        if not again:
            await lock_families(connection, [principal.account.number, *unclaimed])
            await demand_alive(connection, principal, now)
            await suspending.demand_open(connection, place.id)
        for number, name in unclaimed.items():
            player = PlayerId(identifier("plr", number))
            if not _claimed_by_leave_of(place, player):
                continue
            code = claim_code(number, shell.runtime.entropy.bytes(SECRET_BYTES))
            if not again and not await entered_players.renew_claim(
                connection, place.id, player, digest_of(code), now, by=principal.account.number
            ):
                continue  # claimed meanwhile
            shown = ClaimIssued(player=player, name=name, code=None if again else code)
            issued.append(shown)
    made = ClaimsIssued(league=place.id, claims=tuple(issued), expires_at=first + CLAIM_FOR)
    return encoded(made, 201, dict(REPLAYED) if again else None)


@operation(
    "GET", "/v1/leagues/{league_id:str}/claims", "list_claims",
    "List the entered players by name, and whether each has been claimed. Without codes.",
    needs="manage_players", scope="leagues:manage", answer=Page[ClaimListed],
    problems=("invalid_cursor",),
)  # fmt: skip
async def list_claims(
    place: LeaguePlace, shell: Shell, pages: Pages, player: OfPlayer
) -> Response[bytes]:
    """List the entered players, so that staff see who still needs a code."""
    async with shell.engine.connect() as connection:
        found = await entered_players.entered_in(connection, place.id, player)
    paged = pages.listing(f"claims {place.id} {player}", str, str)
    page = paged.cut(found, lambda each: (each.name, each.player))
    shown = [
        ClaimListed(
            player=each.player,
            name=each.name,
            role=place.state.role_of(PlayerId(each.player)),
            claimed=each.claimed,
            expires_at=None if each.claimed else each.until,
        )
        for each in page.items
    ]
    return pages.answer(Page(items=shown, next_cursor=page.next_cursor))


@operation(
    "POST", "/v1/claims", "claim_player", "Sign up as an entered player, with a claim code.",
    needs="anyone", answer=AccountMade, status=201,
    problems=(
        "not_found", "login_taken", "too_many_sign_ins", "sign_up_closed", "league_suspended",
    ),
    on_people=OnPeople("by_claim", "makes an account for an entered player", "caller"),
)  # fmt: skip
async def claim_player(
    request: Asked, address: Address, body: ClaimWanted, now: datetime, raw: bytes, shell: Shell
) -> Response[bytes]:
    """Make an account for the player. People who have one use ``POST /v1/me/claims``."""
    admission.demand_open(shell.settings.sign_up, body.code)  # the staff's code invites as well
    order = order_of(request, raw, account=f"claim:{body.code}")
    token, number = shell.runtime.entropy.uuid(), entered_players.number_in(body.code)
    if number is None:
        raise StreamNotFound("it does not exist, or you may not see it")
    shell.limits.sign_up(request.scope)
    hashed = await accounts.hashed(body.password, shell.settings.password_memory_kib, address)
    claim = PlayerClaim(body.code, body.login, body.password)
    said = RecordedRequest(order.command_id, raw, number, token)
    try:
        async with shell.engine.begin() as connection:
            before = await shell.requests.before(connection, said, now)
            if before is not None:
                shown = await shown_again(connection, number, before.made or token)
            else:
                found, _ = await demand_claimable(shell, connection, body.code, now)
                await suspending.demand_open(connection, found.league)
                if await entered_players.claim_player(connection, claim, hashed, now) is None:
                    raise StreamNotFound("it does not exist, or you may not see it")
                shown = await root(
                    shell, address, connection, number, Wanted(), token, "claimed", hashed
                )
            name = await accounts.name_of(connection, number)
    except sa.exc.IntegrityError as error:
        raise BadRequest("login_taken", "the login is already taken", login=body.login) from error
    if before is not None:
        await demand_same(shell, address, body.login, body.password)
    made = {
        "id": identifier("plr", number),
        "login": body.login.lower(),
        "name": name,
        "token": shown,
    }
    return encoded(made, 201, None if before is None else dict(REPLAYED))


@operation(
    "POST", "/v1/me/claims", "join_player",
    "Take the place of an entered player, with the caller's account.",
    needs="account", scope="tables:play", answer=Membership, status=201,
    problems=(
        "not_found", "not_claimable", "entered_by_hand", "player_banned", "merged_player",
        "name_taken",
    ),
    on_people=OnPeople("by_claim", "gives the caller an entered player's place", "caller"),
)  # fmt: skip
async def join_player(
    body: CodeWanted, order: Order, now: datetime, shell: Shell, principal: Principal
) -> Response[bytes]:
    """
    Give the caller the player's office and remove the player from the league. The code is used up.

    Results of the player stay theirs until an owner merges the two. While the player is entered in
    a tournament that is not over, the call is refused and the code stays valid.
    """
    me = principal.account
    other = PlayerId(identifier("plr", entered_players.number_in(body.code) or UUID(int=0)))
    try:
        async with shell.engine.begin() as connection:
            said = RecordedRequest(order.command_id, order.request, me.number)
            found: entered_players.Claimable | None = None
            league: LeagueId | None
            if await shell.requests.before(connection, said, now) is not None:
                league = await entered_players.joined(connection, me.number)
                if league is None:
                    raise StreamNotFound("it does not exist, or you may not see it")
            else:
                await lock_families(connection, [me.number, number_of(other)])
                await demand_alive(connection, principal, now)
                found, house = await demand_claimable(shell, connection, body.code, now)
                await demand_me_distinct(connection, principal, house)
                await entered_players.join_player(connection, body.code, me.number)
                league = house.league

            async def decide(states: States) -> Sequence[StreamEvents]:
                house = (await states.load(stream_of(league))).state
                if found is None:
                    return [StreamEvents(stream_of(league))]
                # Offices may have changed since the code was checked.
                if not _good(house, found):
                    raise StreamNotFound("it does not exist, or you may not see it")
                guards = await guards_of_outsider(states, shell.runtime.pool, league, other)
                commands = _instead(house, PlayerId(me.player), other, now)
                events, _ = policies.decide_in_turn(DECIDERS["league"], house, commands)
                return [StreamEvents(stream_of(league), events), *guards]

            # A refusal rolls back, so the code stays valid. A retry after a crash is a duplicate.
            receipt = await shell.runtime.writer.submit(league, order, decide)
    except sa.exc.IntegrityError as error:
        raise BadRequest("not_claimable", "your own account was entered from a list") from error
    state = (await shell.runtime.writer.load(league, stream_of(league), fresh=False)).state
    content = {"league": league, "player": me.player, "role": state.role_of(me.player)}
    return answer(receipt, content, version_of=stream_of(league))


async def demand_claimable(
    shell: Shell, connection: AsyncConnection, code: str, now: datetime
) -> tuple[entered_players.Claimable, Created]:
    """
    Return the claim that *code* stands for, and the state of its league.

    A code can do no more than its issuer may still do. If the player now holds an office, the
    issuer must be an owner, and not be suspended by an operator. Nobody claims a merged player:
    another one stands for both.

    Raises:
        StreamNotFound: If the code is not valid.
    """
    found = await entered_players.claimable(connection, code, now)
    if found is not None:
        loaded = await shell.runtime.writer.load(found.league, stream_of(found.league))
        house: Created = loaded.state
        office = house.role_of(found.player) in STAFF
        givers = [found.by] if office and found.by is not None else []
        if _good(house, found) and not await accounts.any_suspended(connection, givers):
            return found, house
    raise StreamNotFound("it does not exist, or you may not see it")


def _good(house: Created, found: entered_players.Claimable) -> bool:
    """Return whether nobody stands for the player, and the issuer may still give the office."""
    if house.one(found.player) != found.player:
        return False
    role = house.role_of(found.player)
    giver = None if found.by is None else house.role_of(found.by)
    return role not in STAFF or (role != "owner" and may(giver, needed_over(role)))


def _instead(
    house: Created, me: PlayerId, other: PlayerId, now: datetime
) -> list[AddMember | ChangeRole | RemoveMember]:
    """
    Return the commands that give *other*'s membership to *me*.

    *me* gets the office of *other*, unless *me* already holds one.

    Raises:
        StreamNotFound: If *other* is no longer a member.
        PlayerBanned: If *other* or *me* is banned.
    """
    role = house.role_of(other)
    if role is None:
        raise StreamNotFound("it does not exist, or you may not see it")
    demand_unbanned(house, other, now)
    held = house.role_of(me)
    leaves = RemoveMember(player=other)
    if held is None:
        return [AddMember(player=me, role=role, now=now), leaves]
    if held in STAFF:
        return [leaves]
    demand_unbanned(house, me, now)
    return [ChangeRole(player=me, role=role), leaves]


def _claimed_by_leave_of(place: LeaguePlace, player: PlayerId) -> bool:
    """Return whether the caller may issue a code for *player*."""
    role = place.state.role_of(player)
    return role not in (None, "owner") and may(place.role, needed_over(role))
