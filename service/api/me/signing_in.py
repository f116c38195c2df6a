"""Signing in by password, and the root token that it makes."""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from service.api.http.shell import Shell
from service.api.http.wire.limiting import demand_room
from service.base.errors import IdempotencyKeyReused, WrongPassword
from service.people import accounts, sign_ins, tokens
from service.people.accounts import Proven
from service.people.rechecking import demand_unchanged

REPLAYED: Mapping[str, str] = {"Idempotent-Replayed": "true"}
"""The header of an answer to a retry. Secrets of the first answer are null in it."""


class Wanted(NamedTuple):
    """The name, the scopes and the lifetime of a new token."""

    name: str = "token"
    scopes: tuple[str, ...] = tokens.SCOPES_PLAYING
    days: int = tokens.DAYS_DEFAULT


async def signed_in(shell: Shell, address: str, login: str, password: str) -> Proven:
    """
    Return the account with this login and password.

    Raises:
        WrongPassword: If there is none. The error does not say which of the two is wrong.
        TooManySignIns: If too many attempts have failed.
    """
    shell.guesses.begin(login, address)
    try:
        person = await accounts.by_password(
            shell.engine, login, password, shell.settings.password_memory_kib, address
        )
    except BaseException:  # the database or the client was away, which is no failed attempt
        shell.guesses.undecided(login, address)
        raise
    if person is None:
        shell.guesses.failed(login, address)
        raise WrongPassword("the login or the password is wrong")
    shell.guesses.succeeded(login, address)
    return person


async def demand_same(shell: Shell, address: str, login: str, password: str) -> None:
    """
    Check that a retry gives the password of the first request.

    Request digests leave out passwords, so a retry with a different password is found here.

    Raises:
        IdempotencyKeyReused: If the password is a different one.
        TooManySignIns: If too many attempts have failed.
    """
    try:
        await signed_in(shell, address, login, password)
    except WrongPassword as error:
        raise IdempotencyKeyReused("this key was used for another request") from error


async def root(
    shell: Shell,
    address: str,
    connection: AsyncConnection,
    owner: UUID,
    wanted: Wanted,
    number: UUID,
    kind: sign_ins.Kind,
    kept: str,
) -> dict[str, object]:
    """
    Make a root token, record the sign-in, and return the token as its owner sees it.

    Args:
        kept: The hash of the password that was given.

    Raises:
        WrongPassword: If the account has another password by now.
        AccountSuspended: If an operator has suspended the account.
        QuotaExhausted: If the account has twice as many tokens as it may make with tokens.
    """
    await demand_unchanged(connection, owner, kept)
    made, secret = tokens.new(
        shell.runtime.entropy.bytes(32),
        number,
        wanted.name,
        wanted.scopes,
        wanted.days,
        shell.now(),
    )
    # Tokens made by other tokens must not stop their owner from signing in.
    held = await tokens.number_held(connection, owner, shell.now())
    demand_room("tokens", held, 2 * shell.limits.settings.account_tokens)
    await tokens.keep(connection, owner, made, secret)
    await sign_ins.add(connection, owner, kind, shell.now(), address=address, token=made.number)
    return shown(made, secret)


async def shown_again(connection: AsyncConnection, owner: UUID, number: UUID) -> dict[str, object]:
    """Return the token of the first request for the answer to a retry, without its secret."""
    made = await tokens.token_numbered(connection, owner, number)
    if made is None:
        raise IdempotencyKeyReused("the token of the first request has been deleted")
    return shown(made, None)


def shown(made: tokens.Token, secret: str | None) -> dict[str, object]:
    """Return a token as its owner sees it."""
    return {
        "id": f"tok_{made.number.hex}",
        "token": secret,
        "name": made.name,
        "scopes": made.scopes,
        "expires_at": made.expires_at,
        "parent": None if made.parent is None else f"tok_{made.parent.hex}",
    }
