"""Passwords and what they give: a person, and a root token."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from service.api.http.limiting import demand_room
from service.api.http.shell import Asked, client_address, shell_of
from service.base.errors import IdempotencyKeyReused, WrongPassword
from service.people import accounts, sign_ins, tokens
from service.people.accounts import Account

REPLAYED: Mapping[str, str] = {"Idempotent-Replayed": "true"}
"""On the answer to a retry; a secret that the first answer held is null then."""


class Wanted(NamedTuple):
    """A token to make."""

    name: str = "token"
    scopes: tuple[str, ...] = tokens.SCOPES_PLAYING
    days: int = tokens.DAYS_DEFAULT


async def signed_in(request: Asked, login: str, password: str) -> Account:
    """
    Return the person who has this login and password.

    Raises:
        WrongPassword: If nobody has; which of the two is wrong is not said.
        TooManySignIns: If it has failed too often.
    """
    shell, address = shell_of(request), client_address(request)
    shell.guesses.begin(login, address)
    try:
        person = await accounts.by_password(shell.engine, login, password, address)
    except BaseException:  # a database that is away, a client that has gone: nobody failed
        shell.guesses.undecided(login, address)
        raise
    if person is None:
        shell.guesses.failed(login, address)
        raise WrongPassword("the login or the password is wrong")
    shell.guesses.succeeded(login, address)
    return person


async def demand_same(request: Asked, login: str, password: str) -> None:
    """
    Let a retry pass that names the password of the first request.

    Passwords are left out of digests, so a retry with another one is found here.

    Raises:
        IdempotencyKeyReused: If the password is another one.
        TooManySignIns: If it has failed too often.
    """
    try:
        await signed_in(request, login, password)
    except WrongPassword as error:
        raise IdempotencyKeyReused("this key was used for another request") from error


async def demand_unchanged(connection: AsyncConnection, owner: UUID, began: datetime) -> None:
    """
    Check that the password is still the one that was checked, and let it stay until the end.

    Raises:
        WrongPassword: If it was changed after *began*.
    """
    await tokens.lock_family(connection, owner)
    if await accounts.changed_since(connection, owner, began):
        raise WrongPassword("the password has just been changed")


async def root(
    request: Asked,
    connection: AsyncConnection,
    owner: UUID,
    wanted: Wanted,
    number: UUID,
    kind: sign_ins.Kind,
    began: datetime,
) -> dict[str, object]:
    """
    Make a root token and write the sign-in down; return what its maker is shown.

    Args:
        began: When the password was asked for.  If it was changed since, it is wrong now.

    Raises:
        WrongPassword: If the password has changed meanwhile.
        QuotaExhausted: If the account has twice as many tokens as tokens may make.
    """
    shell = shell_of(request)
    await demand_unchanged(connection, owner, began)
    made, secret = tokens.new(
        shell.runtime.entropy.bytes(32),
        number,
        wanted.name,
        wanted.scopes,
        wanted.days,
        shell.now(),
    )
    # Tokens made with tokens must never keep their owner from signing in.
    held = await tokens.number_held(connection, owner, shell.now())
    demand_room("tokens", held, 2 * shell.limits.settings.account_tokens)
    await tokens.keep(connection, owner, made, secret)
    address = client_address(request)
    await sign_ins.add(connection, owner, kind, shell.now(), address=address, token=made.number)
    return shown(made, secret)


async def shown_again(connection: AsyncConnection, owner: UUID, number: UUID) -> dict[str, object]:
    """Return what a retry is shown of the token that the first request made."""
    made = await tokens.token_numbered(connection, owner, number)
    if made is None:
        raise IdempotencyKeyReused("the token of the first request is gone")
    return shown(made, None)


def shown(made: tokens.Token, secret: str | None) -> dict[str, object]:
    """Return a token as its maker is shown it."""
    return {
        "id": f"tok_{made.number.hex}",
        "token": secret,
        "name": made.name,
        "scopes": made.scopes,
        "expires_at": made.expires_at,
        "parent": None if made.parent is None else f"tok_{made.parent.hex}",
    }
