"""
Suspending and restoring accounts and leagues, by order of an operator.

A suspended account has no tokens, and nobody can sign in to it. Its seats stay: the clock answers
for them, as for any absent player. A suspended league takes no commands. Its reads and audits go
on, and the time of its suspension counts as an outage of this league alone.

Every function works in the caller's transaction. For a dry run, roll it back.
"""

from datetime import datetime, timedelta
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import identifier, number_of
from service.base.errors import LeagueSuspended, StreamNotFound
from service.base.sources import service_now
from service.log.keys import driver_of
from service.log.subscription import DOORS
from service.people import accounts, operator_log, relocations, tokens
from service.people.schema import account

_SHORTEST = timedelta(microseconds=1)
"""An outage must not have length 0."""

_CLOSE = "UPDATE append_turn SET suspended_at = $2 WHERE league = $1 AND suspended_at IS NULL"
_CLOSED = "SELECT suspended_at IS NOT NULL FROM append_turn WHERE league = $1"
_OPEN = """
    WITH before AS (SELECT suspended_at FROM append_turn WHERE league = $1 FOR UPDATE)
    UPDATE append_turn SET suspended_at = NULL FROM before
     WHERE league = $1 AND before.suspended_at IS NOT NULL RETURNING before.suspended_at
"""


async def suspend_league(connection: AsyncConnection, league: str, by: str, reason: str) -> bool:
    """
    Let a league take no commands from the commit on. Return False if it was suspended already.

    Appends that are under way end before. No later one passes, in any process.

    Raises:
      StreamNotFound: If there is no such league.
    """
    now = await service_now(connection)  # begins the transaction, unlike the driver's own calls
    driver, number = await driver_of(connection), await _known(connection, league)
    await driver.execute("SELECT take_append_turn($1)", number)
    done = await driver.execute(_CLOSE, number, now)
    if done == "UPDATE 0":
        return False
    await operator_log.add(connection, [number], by, "league_suspended", league, reason)
    await driver.execute("SELECT pg_notify($1, 'league')", DOORS)
    return True


async def restore_league(connection: AsyncConnection, league: str, by: str, reason: str) -> bool:
    """
    Let a league take commands again. Return False if it was not suspended.

    The suspension becomes an outage of the league: open decisions get their full time again, and
    its level clocks stood still.

    Raises:
      StreamNotFound: If there is no such league.
    """
    now = await service_now(connection)
    driver, number = await driver_of(connection), await _known(connection, league)
    since = await driver.fetchval(_OPEN, number)
    if since is None:
        return False
    now = max(now, since + _SHORTEST)
    await driver.execute(
        "INSERT INTO outage (process, since_at, until_at, league) VALUES ($1, $2, $3, $4)",
        f"suspension of {league}",
        since,
        now,
        number,
    )
    await operator_log.add(connection, [number], by, "league_restored", league, reason)
    await driver.execute("SELECT pg_notify($1, 'league')", DOORS)
    return True


async def demand_open(connection: AsyncConnection, league: str) -> None:
    """
    Check that a league is open, for a command that never reaches its log.

    A process may not have heard of the suspension yet. What it then accepted could be missing in a
    file that was packed a moment later.

    Raises:
      LeagueSuspended: If an operator has suspended it.
    """
    driver = await driver_of(connection)
    if await driver.fetchval(_CLOSED, number_of(league)):
        raise LeagueSuspended("an operator has suspended the league; it takes no commands")


async def demand_here(connection: AsyncConnection, league: str) -> None:
    """
    Check that a league is not between two cells, for work that a suspended league still takes.

    No worker does such work on it, so it would wait for ever.

    Raises:
      LeagueSuspended: If it was packed or released, or waits for its release here.
    """
    driver = await driver_of(connection)
    if await relocations.stage_of(driver, number_of(league)) is not None:
        raise LeagueSuspended("the league moves to another installation; it takes nothing here")


async def suspend_account(
    connection: AsyncConnection, number: UUID, by: str, reason: str
) -> int | None:
    """
    End every token of an account, and let nobody sign in to it.

    Returns:
      The number of tokens that ended, or None if the account was suspended already.

    Raises:
      StreamNotFound: If there is no such account.
    """
    now = await service_now(connection)
    if await _suspended_at(connection, number) is not None:
        return None
    await _keep(connection, number, now)
    ended = await tokens.revoke_all(connection, number, now)
    await _record(connection, number, by, "account_suspended", reason)
    return ended


async def restore_account(connection: AsyncConnection, number: UUID, by: str, reason: str) -> bool:
    """
    Let the account's owner sign in again. Return False if it was not suspended.

    Tokens stay ended. The owner makes new ones with the password.

    Raises:
      StreamNotFound: If there is no such account.
    """
    if await _suspended_at(connection, number) is None:
        return False
    await _keep(connection, number, None)
    await _record(connection, number, by, "account_restored", reason)
    return True


async def number_of_account(connection: AsyncConnection, named: str) -> UUID:
    """
    Return the account that an operator names by its login or as ``plr_…``.

    Raises:
      StreamNotFound: If there is no such account.
    """
    found = await accounts.number_of_login(connection, named)
    if found is None and named.startswith("plr_"):
        try:
            wanted = number_of(named)
        except ValueError:
            wanted = None
        found = await connection.scalar(sa.select(account.c.id).where(account.c.id == wanted))
    if found is None:
        raise StreamNotFound(f"there is no account {named}")
    return found


async def _suspended_at(connection: AsyncConnection, number: UUID) -> datetime | None:
    """Return since when an account is suspended, and lock its tokens until the transaction ends."""
    await tokens.lock_family(connection, number)
    found = await connection.execute(
        sa.select(account.c.suspended_at).where(
            account.c.id == number, account.c.login.is_not(None)
        )
    )
    row = found.one_or_none()
    if row is None:
        raise StreamNotFound(f"there is no account plr_{number.hex}")
    at: datetime | None = row.suspended_at
    return at


async def _keep(connection: AsyncConnection, number: UUID, at: datetime | None) -> None:
    await connection.execute(
        sa.update(account).where(account.c.id == number).values(suspended_at=at)
    )
    await connection.execute(sa.select(sa.func.pg_notify(DOORS, f"account {number.hex}")))


async def _record(
    connection: AsyncConnection, number: UUID, by: str, kind: operator_log.Kind, reason: str
) -> None:
    await operator_log.add(connection, [None], by, kind, f"plr_{number.hex}", reason)


async def _known(connection: AsyncConnection, league: str) -> UUID:
    driver = await driver_of(connection)
    try:
        number = number_of(league)
    except ValueError:
        number = None
    if (
        number is None
        or identifier("lge", number) != league
        or not await driver.fetchval("SELECT EXISTS (SELECT FROM events WHERE league = $1)", number)
    ):
        raise StreamNotFound(f"there is no league {league}")
    return number
