"""Changing and resetting passwords, and the list of sign-ins."""

from datetime import datetime
from typing import Annotated, ClassVar
from uuid import UUID

import msgspec
from litestar import Response
from msgspec import Meta
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.league.roles import Role, may
from engine.league.state import Created
from engine.values import PlayerId, identifier, number_of, stream_of
from service.api.http.access.authentication import forget, forget_person
from service.api.http.access.rights import LeaguePlace, demand_form
from service.api.http.declaring.declaration import OnPeople
from service.api.http.declaring.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.reading.clients import Address, MailLanguage
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order, encoded
from service.api.me.emails import tell_former
from service.api.me.signing_in import REPLAYED, signed_in
from service.api.me.tokens import Password, PasswordGiven
from service.base.errors import BadRequest, StreamNotFound, WrongPassword
from service.base.languages import Language
from service.people import accounts, emails, operator_log, resetting, sign_ins, tokens
from service.people.idempotency import RecordedRequest
from service.people.rechecking import demand_alive, demand_unchanged
from service.people.sealed_addresses import AddressKeys
from service.people.tokens import MANAGE, Principal


class PasswordChange(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The current password and the new one."""

    SECRET: ClassVar = ("password", "new_password")

    password: PasswordGiven | None = None
    """The current password. Null only for an account that has none."""

    new_password: Password
    """The new password, 8 to 256 characters."""

    remove_email: bool = False
    """True to remove the e-mail addresses of the account too."""


class PasswordChanged(msgspec.Struct, kw_only=True):
    """The number of tokens that ended. The token of the request stays valid."""

    tokens_ended: int
    """The number of tokens that ended."""

    email: str | None
    """
    The confirmed address, or null. It can reset the new password: remove it if it is not yours.
    """


class ResetOffered(msgspec.Struct, kw_only=True):
    """A code for setting one new password. It is shown only once."""

    player: str
    code: str | None
    """Null in the answer to a retry, which carries ``Idempotent-Replayed: true``."""

    expires_at: datetime
    """The instant after which the code is not accepted."""


class ResetWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A reset code and the new password."""

    SECRET: ClassVar = ("code", "password")

    code: Annotated[str, Meta(max_length=80)]
    """The reset code, as the owner or the operator handed it out."""

    password: Password
    """The new password, 8 to 256 characters."""

    remove_email: bool = False
    """True to remove the e-mail addresses of the account too."""


class PasswordReset(msgspec.Struct, kw_only=True):
    """The login of the account with the new password."""

    login: str
    """The login of the account, in lower case."""

    email: str | None
    """
    The confirmed address, or null. It can reset the new password: remove it if it is not yours.
    """


class SignInListed(msgspec.Struct, kw_only=True):
    """A sign-in, or an action that ended tokens."""

    at: datetime
    """The time of the sign-in or action."""

    kind: sign_ins.Kind
    """`signed_up`, `claimed`, `password` and `operator` made a token, the others ended tokens."""

    address: str | None
    """Null if an operator did it on the server's command line."""

    token: str | None
    """The root token that the sign-in made, or null."""


@operation(
    "PUT", "/v1/me/password", "change_password",
    "Change the caller's password and end all tokens except the one in use and its ancestors.",
    needs="account", answer=PasswordChanged,
    problems=("wrong_password", "too_many_sign_ins"),
)  # fmt: skip
async def change_password(
    body: PasswordChange,
    address: Address,
    language: MailLanguage,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """
    Change the password. Every token needs the old password, with any scopes.

    An account without a password gets its first one from a session that is nobody's child. Nothing
    ends then, because nobody could know an earlier password.
    """
    if body.password is None:
        return await _first_password(body, address, language, shell, principal)
    proven = await signed_in(shell, address, principal.account.login, body.password)
    me = proven.account
    kept = await accounts.hashed(body.new_password, shell.settings.password_memory_kib, address)
    async with shell.engine.begin() as connection:
        await demand_unchanged(connection, me.number, proven.kept)
        ended = await resetting.set_password(
            connection,
            me.number,
            kept,
            shell.now(),
            "password_changed",
            address=address,
            but=principal.token,
        )
        email = await _email_kept(shell, language, connection, me.number, remove=body.remove_email)
    forget(shell, principal)
    return encoded(PasswordChanged(tokens_ended=ended, email=email))


async def _first_password(
    body: PasswordChange, address: str, language: Language, shell: Shell, principal: Principal
) -> Response[bytes]:
    """
    Set the first password of the caller's account.

    Raises:
        WrongPassword: If the account has one, or the token may not manage the account.
    """
    me = principal.account.number
    if principal.account.has_password or MANAGE not in principal.scopes:
        raise WrongPassword("the current password is needed")
    kept = await accounts.hashed(body.new_password, shell.settings.password_memory_kib, address)
    async with shell.engine.begin() as connection:
        await demand_alive(connection, principal, shell.now())
        held = await tokens.token_numbered(connection, me, principal.token)
        root = held is not None and held.parent is None
        if not root or not await accounts.set_first_password(connection, me, kept, shell.now()):
            raise WrongPassword("the current password is needed")
        await sign_ins.add(connection, me, "password_changed", shell.now(), address=address)
        email = await _email_kept(shell, language, connection, me, remove=body.remove_email)
    forget_person(shell, me)
    return encoded(PasswordChanged(tokens_ended=0, email=email))


@operation(
    "POST", "/v1/leagues/{league_id:str}/players/{player_id:str}/password-reset",
    "offer_password_reset",
    "Issue a password reset code for an account made by a claim code of this league.",
    needs="manage_members", scope="leagues:manage", body=Nothing, answer=ResetOffered, status=201,
    problems=("forbidden", "not_resettable"),
    on_people=OnPeople("reset", "issues a code for a new password", "manage_members"),
)  # fmt: skip
async def offer_password_reset(
    player_id: str,
    place: LeaguePlace,
    order: Order,
    now: datetime,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """
    Issue a reset code and record it in the staff log. Only an operator can do it for an owner.
    """
    demand_form(player_id, "plr")
    role = place.state.role_of(PlayerId(player_id))
    me = principal.account
    person, said = number_of(player_id), RecordedRequest(order.command_id, order.request, me.number)
    code = resetting.code_text(shell.runtime.entropy.bytes(resetting.SECRET_BYTES))
    made = ResetOffered(player=player_id, code=code, expires_at=now + resetting.GOOD_FOR)
    async with shell.engine.begin() as connection:
        before = await shell.requests.before(connection, said, now)
        if before is not None:
            made.code, made.expires_at = None, (before.at or now) + resetting.GOOD_FOR
            return encoded(made, 201, dict(REPLAYED))
        await demand_alive(connection, principal, now)
        if not _in_reach(role) or not await resetting.resettable_by(connection, place.id, person):
            raise BadRequest(
                "not_resettable",
                "only the operator can reset this password: the player is an owner or no member, "
                "or the account was not made by this league's code, or is used in another league",
            )
        await resetting.offer(connection, person, code, now, league=place.id, by=me.number)
        await operator_log.add(
            connection, [number_of(place.id)], me.player, "password_reset_offered", player_id
        )
    return encoded(made, 201)


@operation(
    "POST", "/v1/password-resets", "reset_password",
    "Set a new password with a reset code and end all tokens of the account.",
    needs="anyone", answer=PasswordReset, problems=("not_found",),
    on_people=OnPeople("by_reset", "sets a new password for the code's account", "caller"),
)  # fmt: skip
async def reset_password(
    body: ResetWanted, address: Address, language: MailLanguage, shell: Shell
) -> Response[bytes]:
    """Use up a reset code. If the answer is lost, the caller can sign in with the new password."""
    kept = await accounts.hashed(body.password, shell.settings.password_memory_kib, address)
    async with shell.engine.begin() as connection:
        found = await resetting.good(connection, body.code, shell.now())
        if found is None or not await _given_rightly(shell, connection, found):
            raise StreamNotFound("it does not exist, or you may not see it")
        await resetting.set_password(
            connection, found.person, kept, shell.now(), "password_reset", address=address
        )
        email = await _email_kept(
            shell, language, connection, found.person, remove=body.remove_email
        )
    forget_person(shell, found.person)
    return encoded(PasswordReset(login=found.login, email=email))


@operation(
    "GET", "/v1/me/sign-ins", "list_sign_ins",
    "List the sign-ins of the caller's account in the last 90 days, newest first.",
    needs="account", scope=MANAGE, answer=Page[SignInListed],
    problems=("invalid_cursor",),
)  # fmt: skip
async def list_sign_ins(shell: Shell, principal: Principal, pages: Pages) -> Response[bytes]:
    """List the sign-ins that made root tokens, and the actions that ended tokens."""
    me = principal.account
    async with shell.engine.connect() as connection:
        found = await sign_ins.sign_ins_of(connection, me.number)
    paged = pages.listing(f"sign-ins {me.player}", int)
    page = paged.cut(found, lambda each: (each.id,), descending=True)
    shown = [
        SignInListed(
            at=each.at,
            kind=each.kind,
            address=each.address,
            token=None if each.token is None else f"tok_{each.token.hex}",
        )
        for each in page.items
    ]
    return pages.answer(Page(items=shown, next_cursor=page.next_cursor))


async def _email_kept(
    shell: Shell, language: Language, connection: AsyncConnection, person: UUID, *, remove: bool
) -> str | None:
    """Return the confirmed address of an account, after removing it if that is wanted."""
    keys = AddressKeys(*shell.settings.secret_keys)
    if remove:
        await tell_former(
            shell, language, connection, person, await emails.remove(connection, keys, person)
        )
    return (await emails.email_of(connection, keys, person)).address


def _in_reach(role: Role | None) -> bool:
    """Return whether owners may reset the password of a member with this role."""
    return role not in (None, "owner")


async def _given_rightly(shell: Shell, connection: AsyncConnection, found: resetting.Reset) -> bool:
    """Return whether the issuer of a reset code could still issue it. An operator always can."""
    if found.league is None or found.by is None:
        return True
    if await accounts.any_suspended(connection, [found.by]):
        return False
    loaded = await shell.runtime.writer.load(found.league, stream_of(found.league))
    house: Created = loaded.state
    person = PlayerId(identifier("plr", found.person))
    return _in_reach(house.role_of(person)) and may(house.role_of(found.by), "manage_members")
