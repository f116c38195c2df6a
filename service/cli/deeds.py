"""Operators' commands as transactions, which a dry run rolls back."""

from collections.abc import Awaitable, Callable
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.database import async_engine
from service.base.errors import StreamNotFound
from service.base.settings import Settings
from service.cli.common import NO, USAGE, err, out, plain
from service.people import accounts

Work = Callable[[AsyncConnection], Awaitable[str | None]]
"""Does the work in a transaction. Returns a report, or None if there was nothing to do."""


_BOUNDED = sa.text(
    "SELECT set_config('lock_timeout', :most, true),"
    " set_config('idle_in_transaction_session_timeout', :most, true)"
)
PATIENCE_SECONDS = 20.0
"""
A command waits this long for others, and they wait this long for a command that hangs.

A command may hold locks that every append needs. If its terminal is stopped or its machine dies,
the server rolls it back after this time, and play goes on.
"""


class NotDone(Exception):
    """The command is not possible. The transaction is rolled back."""

    def __init__(self, message: str, step: str, code: int = NO) -> None:
        super().__init__(message)
        self.step = step
        self.code = code


async def carried_out(
    settings: Settings, work: Work, *, dry_run: bool, patience: float = PATIENCE_SECONDS
) -> int:
    """
    Do *work* in one transaction and print its report. A dry run rolls it back.

    A dry run therefore counts the real changes.

    Args:
      patience: Seconds, as :data:`PATIENCE_SECONDS`.

    Returns:
      0, 1 if there was nothing to do, 2 if the object does not exist, or the code of a `NotDone`.
    """
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.connect() as connection, connection.begin() as transaction:
            # This begins the transaction. Calls of the driver would not begin one.
            await connection.execute(_BOUNDED, {"most": f"{round(1000 * patience)}ms"})
            said = await work(connection)
            if dry_run:
                await transaction.rollback()
    except NotDone as error:
        err.print(f"{error}\n  next: {error.step}", markup=False)
        return error.code
    except StreamNotFound as error:
        err.print(f"{error}\n  next: give its login or identifier", markup=False)
        return USAGE
    finally:
        await engine.dispose()
    if said is None:
        err.print("nothing to do: this is already the case", markup=False)
        return NO
    out.print(plain(f"dry run, nothing was done: {said}" if dry_run else said), markup=False)
    return 0


async def account_of(connection: AsyncConnection, login: str) -> UUID:
    """Return the account of *login*, or end the command."""
    owner = await accounts.number_of_login(connection, login)
    if owner is None:
        raise NotDone(f"there is no account {login}", f"run `holotable account create {login}`")
    return owner
