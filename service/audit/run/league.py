"""
Auditing a league at once: the units of its plan one after another, or in several processes.

A worker does the same units as jobs (``service.tasks.audits``).
"""

from collections.abc import Awaitable, Callable
from time import monotonic

import httpx
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import number_of
from service.audit.report import Report
from service.audit.run.plan import Plan, make_plan
from service.audit.run.units import Part, Told, finish, perform
from service.log.keys import Keys, LeagueKeys, driver_of

Progress = Callable[[int, int], Awaitable[None]]
"""Called with the weight done and the total weight."""

Elsewhere = Callable[[Plan, Told], Awaitable[list[Part]]]
"""
Performs the units elsewhere and returns their parts in the order of the plan.

It reports the weight done so far to its second argument.
"""


async def audit_league(
    connection: AsyncConnection,
    keys: Keys,
    league: str,
    *,
    tournament: str | None = None,
    progress: Progress | None = None,
    signer: httpx.AsyncClient | None = None,
    elsewhere: Elsewhere | None = None,
) -> Report:
    """
    Prove a league's log, and prove that its read models follow from it.

    Args:
        connection: A connection of its own, of a role that may read log, keys, jobs and read
            models. This function begins and ends its transactions.
        keys: The keys that open the league's sealed values.
        tournament: Decide again only the hands of this tournament. Bytes and chains are
            always proved as a whole.
        progress: Called from time to time with the progress.
        signer: A client for the signer. Without it, only the stored heads are compared.
        elsewhere: Performs the units in other processes. Without it, this process does them.

    Returns:
        The report. It lists everything that does not hold, and no fault is raised.

    Raises:
        EventUnreadable: If the league's key is missing, or wrapped by another secret.
    """
    began = monotonic()
    driver = await driver_of(connection)
    opened = await keys.of(connection, number_of(league))
    plan = await make_plan(driver, league, tournament, signer)
    await connection.rollback()

    async def told(done: int) -> None:
        if progress is not None:
            await progress(done, plan.weight)

    if elsewhere is not None:
        parts = await elsewhere(plan, told)
    else:
        parts = await _here(connection, opened, plan, told)
    return await finish(connection, plan, parts, monotonic() - began)


async def _here(
    connection: AsyncConnection, opened: LeagueKeys, plan: Plan, told: Told
) -> list[Part]:
    done = 0

    async def of_unit(weight: int) -> None:
        await told(done + weight)

    parts: list[Part] = []
    for unit in plan.units:
        parts.append(await perform(connection, opened, plan, unit, of_unit))
        done += unit.weight
    return parts
