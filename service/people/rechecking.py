"""
Checks of a caller in the transaction that acts.

A password is checked before the transaction, because hashing is slow. It may have been changed
since. Both checks lock the family of tokens, so nothing changes before the transaction ends.
"""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.errors import AccountSuspended, WrongPassword
from service.people import accounts, tokens


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
