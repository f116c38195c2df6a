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
"""Told how much is done, and how much there is."""

Elsewhere = Callable[[Plan, Told], Awaitable[list[Part]]]
"""Returns what each unit found, in the order of the plan; tells how much of its weight is done."""


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
    Prove a league's log, and that its read models follow from it.

    Args:
        connection: Of its own, of a role that may read log, keys, jobs and read models;
            transactions are made and ended here.
        keys: Open the league's sealed values.
        tournament: Decide only this tournament's hands again; bytes and chains are
            always proved whole, because they are one thing.
        progress: Told now and then how far it is.
        signer: Asked what it remembers; without one only the kept heads are compared.
        elsewhere: Does the units in other processes; without it they are done here.

    Returns:
        The report; whatever does not hold is in it and raises nothing.

    Raises:
        EventUnreadable: If the league's key is missing or another secret wrapped it.
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
