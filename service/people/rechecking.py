"""
Checks of a caller in the transaction that acts.

A password is checked before the transaction, because hashing is slow. A token is checked before the
request, and a process believes it for some seconds. Whatever outlasts the request, such as another
token, needs the check here. Both checks lock the family of tokens, so nothing changes before the
transaction ends. The author of words is checked here too, under a lock of the accounts.
"""

from datetime import datetime
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.errors import AccountSuspended, Unauthenticated, WrongPassword
from service.people import accounts, tokens
from service.people.schema import account, token
from service.people.tokens import Principal


async def demand_unchanged(connection: AsyncConnection, owner: UUID, kept: str) -> None:
    """
    Check that an account still has the password that was given.

    Clocks could not tell: a new password counts from its commit, which comes after its instant.

    Args:
      kept: The hash that the password matched.

    Raises:
      WrongPassword: If the account has another password by now, or none.
      AccountSuspended: If an operator has suspended the account.
    """
    await tokens.lock_family(connection, owner)
    if await accounts.suspended(connection, owner):
        raise AccountSuspended("the operator has suspended this account; ask the operator")
    if await accounts.password_kept(connection, owner) != kept:
        raise WrongPassword("the password has just been changed")


async def demand_writer(connection: AsyncConnection, author: UUID, subject: UUID | None) -> None:
    """
    Check that the author of words about *subject* was not erased.

    An erasure empties only words that are stored already. So neither of them is erased before the
    transaction ends.

    Raises:
      Unauthenticated: If the author was erased.
    """
    people = [author] if subject is None else [author, subject]
    await connection.execute(
        sa.select(account.c.id)
        .where(account.c.id.in_(people))
        .order_by(account.c.id)
        .with_for_update(read=True)
    )
    if (await accounts.standing(connection, [author])).get(f"plr_{author.hex}") == "erased":
        raise Unauthenticated("the account was erased")


async def demand_alive(connection: AsyncConnection, principal: Principal, now: datetime) -> None:
    """
    Check that the token of a request still has its secret, and has not ended.

    Raises:
      Unauthenticated: If it was rotated or revoked, or has expired.
    """
    await tokens.lock_family(connection, principal.account.number)
    found = await connection.scalar(
        sa.select(token.c.id).where(
            token.c.id == principal.token,
            token.c.hash == principal.digest,
            token.c.revoked_at.is_(None),
            token.c.expires_at > now,
        )
    )
    if found is None:
        raise Unauthenticated("the token is unknown, expired or revoked")
