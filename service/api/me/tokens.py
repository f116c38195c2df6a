"""Making, listing, rotating and ending tokens."""

from datetime import datetime
from typing import Annotated, ClassVar
from uuid import UUID

import msgspec
from litestar import Response
from msgspec import Meta

from service.api.http.access.authentication import forget
from service.api.http.declaring.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.reading.clients import Address
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Asked, Shell
from service.api.http.wire.limiting import demand_room
from service.api.http.writing.submitting import Order, encoded, order_of
from service.api.me.signing_in import REPLAYED, Wanted, root, shown, shown_again, signed_in
from service.base.errors import StreamNotFound, Unauthenticated, scopes_missing
from service.people import resetting, sign_ins, tokens
from service.people.accounts import Proven
from service.people.idempotency import RecordedRequest
from service.people.rechecking import demand_alive
from service.people.tokens import Principal

SCOPES_OF_PEOPLE = tokens.SCOPES_OF_PEOPLE
"""The scopes that people may ask for."""

Login = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._@+-]+$")]
Password = Annotated[str, Meta(min_length=8, max_length=256)]
PasswordGiven = Annotated[str, Meta(max_length=256)]
Label = Annotated[str, Meta(min_length=1, max_length=80)]
Scope = Annotated[str, Meta(pattern="^(" + "|".join(tokens.SCOPES_OF_PEOPLE) + ")$")]


class TokenWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """
    A new token, made with login and password or with another token.

    A token made with another token has at most the other's scopes and lifetime, and ends with it.
    """

    SECRET: ClassVar = ("password",)

    login: Login | None = None
    """The login of the account, together with `password`. Null uses the token of the request."""

    password: PasswordGiven | None = None
    """The password of the account, or null."""

    name: Label = "token"
    """A name by which the owner tells tokens apart, 1 to 80 characters."""

    scopes: tuple[Scope, ...] = tokens.SCOPES_DEFAULT
    """The rights of the token. A child has no scope that its maker lacks."""

    expires_in_days: Annotated[int, Meta(ge=1, le=366)] = tokens.DAYS_DEFAULT
    """The lifetime. A child ends with its maker at the latest."""


class TokenShown(msgspec.Struct, kw_only=True):
    """A token with its secret, which is shown only once."""

    id: str
    """The identifier with which the token can be ended. It is no secret."""

    token: str | None
    """Null in the answer to a retry, which carries ``Idempotent-Replayed: true``."""

    name: str
    """The name by which the owner tells tokens apart."""

    scopes: tuple[str, ...]
    """The rights of the token."""

    expires_at: datetime
    """The instant from which the token is not accepted."""

    parent: str | None
    """The token that made this one, and that this one ends with. Null if a password made it."""


class TokenListed(msgspec.Struct, kw_only=True):
    """A token without its secret."""

    id: str
    """The identifier with which the token can be ended."""

    name: str
    """The name by which the owner tells tokens apart."""

    scopes: tuple[str, ...]
    """The rights of the token."""

    created_at: datetime
    """The time at which the token was made."""

    last_used_at: datetime | None
    """The last use, to within five minutes, or null before the first."""

    expires_at: datetime
    """The instant from which the token is not accepted."""

    revoked_at: datetime | None
    """The time at which the token was ended early, or null."""

    parent: str | None
    """The token that made this one, or null if a password made it."""


class SignedOut(msgspec.Struct, kw_only=True):
    """The numbers of tokens and calendar keys that ended."""

    tokens: int
    """The number of tokens that ended, with the one in use."""

    calendar_keys: int
    """The number of calendar keys that ended."""


@operation(
    "POST", "/v1/tokens", "make_token",
    "Make a token, with a password or with a token that has the scope `tokens:manage`.",
    needs="anyone", answer=TokenShown, status=201,
    problems=(
        "unauthenticated", "wrong_password", "too_many_sign_ins", "forbidden", "quota_exhausted",
        "account_suspended",
    ),
)  # fmt: skip
async def make_token(
    request: Asked, address: Address, body: TokenWanted, raw: bytes, shell: Shell
) -> Response[bytes]:
    """Make a root token for a password, or a child token for a token."""
    now = shell.now()
    by: Proven | tokens.Principal
    if body.login is not None and body.password is not None:
        by = await signed_in(shell, address, body.login, body.password)
    else:
        by = _maker(request, body)
    person = by.account
    order, number = order_of(request, raw, account=person.player), shell.runtime.entropy.uuid()
    wanted = Wanted(body.name, body.scopes, body.expires_in_days)
    said = RecordedRequest(order.command_id, raw, person.number, number)
    async with shell.engine.begin() as connection:
        before = await shell.requests.before(connection, said, now)
        if before is not None and before.made is not None:
            again = await shown_again(connection, person.number, before.made)
            return encoded(again, 201, dict(REPLAYED))
        if isinstance(by, Proven):
            made = await root(
                shell, address, connection, person.number, wanted, number, "password", by.kept
            )
            return encoded(made, 201)
        child, secret = tokens.new(
            shell.runtime.entropy.bytes(32), number, *wanted, shell.now(), parent=by
        )
        await demand_alive(connection, by, shell.now())
        held = await tokens.number_held(connection, person.number, shell.now())
        demand_room("tokens", held, shell.limits.settings.account_tokens)
        await tokens.keep(connection, person.number, child, secret)
    return encoded(shown(child, secret), 201)


@operation(
    "GET", "/v1/tokens", "list_tokens", "List the caller's tokens, newest first.",
    needs="account", scope=tokens.MANAGE, answer=Page[TokenListed],
    problems=("invalid_cursor",),
)  # fmt: skip
async def list_tokens(shell: Shell, principal: Principal, pages: Pages) -> Response[bytes]:
    """List the caller's tokens, revoked ones included."""
    found = await tokens.tokens_of(shell.engine, principal.account.number)
    items = [
        TokenListed(
            id=f"tok_{each.number.hex}",
            name=each.name,
            scopes=each.scopes,
            created_at=each.created_at,
            last_used_at=each.last_used_at,
            expires_at=each.expires_at,
            revoked_at=each.revoked_at,
            parent=None if each.parent is None else f"tok_{each.parent.hex}",
        )
        for each in found
    ]
    paged = pages.listing(f"tokens {principal.account.player}", str, str)
    return pages.answer(paged.newest(items))


@operation(
    "DELETE", "/v1/tokens/{token_id:str}", "revoke_token",
    "End a token and its children. A token without `tokens:manage` can only end itself.",
    needs="account", status=204, problems=("forbidden",),
)  # fmt: skip
async def revoke_token(token_id: str, shell: Shell, principal: Principal) -> None:
    """End a token. Other processes may accept it for five more seconds."""
    number = _number(token_id)
    if number != principal.token:
        _demand_manage(principal)
    async with shell.engine.begin() as connection:
        if not await tokens.revoke(connection, principal.account.number, number, shell.now()):
            raise StreamNotFound("it does not exist, or you may not see it")
    forget(shell, principal)


@operation(
    "POST", "/v1/tokens/{token_id:str}/rotate", "rotate_token",
    "Give the token in use, or one of its children, a new secret.",
    needs="account", scope=tokens.MANAGE, body=Nothing, answer=TokenShown,
)  # fmt: skip
async def rotate_token(
    token_id: str, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """
    Replace the secret. The id, the scopes and the expiry stay, and the old secret becomes invalid.
    """
    number = _number(token_id)
    secret, me = tokens.token_text(shell.runtime.entropy.bytes(32)), principal.account.number
    said = RecordedRequest(order.command_id, order.request, me, number)
    async with shell.engine.begin() as connection:
        if await shell.requests.before(connection, said, shell.now()) is not None:
            again = await shown_again(connection, me, number)
            return encoded(again, 200, dict(REPLAYED))
        await demand_alive(connection, principal, shell.now())
        made = await tokens.rotate(connection, me, number, principal.token, secret, shell.now())
        if made is None:
            raise StreamNotFound("it does not exist, or you may not see it")
    forget(shell, principal)
    return encoded(shown(made, secret))


@operation(
    "DELETE", "/v1/tokens", "sign_out_everywhere",
    "End the caller's tokens, calendar keys and browsers that get push messages, and the reset "
    "codes that the caller issued.",
    needs="account", scope=tokens.MANAGE, answer=SignedOut,
)  # fmt: skip
async def sign_out_everywhere(
    address: Address, shell: Shell, principal: Principal
) -> Response[bytes]:
    """End all tokens of the caller, including the one in use, and what they may have made."""
    me, now = principal.account.number, shell.now()
    async with shell.engine.begin() as connection:
        ended = SignedOut(
            tokens=await tokens.revoke_all(connection, me, now),
            calendar_keys=await resetting.end_beside(connection, me, now),
        )
        await sign_ins.add(connection, me, "signed_out", now, address=address)
    forget(shell, principal)
    return encoded(ended)


def _maker(request: Asked, body: TokenWanted) -> tokens.Principal:
    """
    Return the caller, with a token that may make the token in *body*.

    Raises:
        Unauthenticated: If the request has neither a password nor a token.
        Forbidden: If the caller's token lacks a scope.
    """
    principal = request.scope.get("user")
    if not isinstance(principal, tokens.Principal):
        raise Unauthenticated("send a login and a password, or a bearer token")
    _demand_manage(principal)
    beyond = sorted(set(body.scopes) - principal.scopes)
    if beyond:
        raise scopes_missing(*beyond)
    return principal


def _demand_manage(principal: tokens.Principal) -> None:
    if tokens.MANAGE not in principal.scopes:
        raise scopes_missing(tokens.MANAGE)


def _number(token_id: str) -> UUID:
    try:
        return UUID(hex=token_id.removeprefix("tok_"))
    except ValueError as error:
        raise StreamNotFound("it does not exist, or you may not see it") from error
