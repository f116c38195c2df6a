"""Proving the logs at the end: chains, audits with the signer, read models, chips."""

from dataclasses import dataclass

import asyncpg

from engine.values import identifier
from service.audit.run.league import audit_league
from service.base.database import async_engine
from service.log.keys import Keys
from service.projections.rebuilding.comparing import compare_league
from service.transparency.signing import asking
from tests.chaos.room import Room
from tests.chaos.verdict import Logs, logs_of, repeated, unbalanced


@dataclass(frozen=True, slots=True)
class Proved:
    """The logs, and the faults found in them."""

    logs: Logs
    broken: list[str]


async def prove(room: Room, keys: Keys) -> Proved:
    """Read everything and check it."""
    settings = room.settings("audit")
    connection = await asyncpg.connect(room.superuser.partition("?")[0])
    try:
        logs, opened = await logs_of(connection, keys)
    finally:
        await connection.close()
    broken = repeated(logs) + unbalanced(logs, opened)
    engine = async_engine(settings.database_url, 2)
    try:
        async with engine.connect() as driver, asking(settings) as signer:
            for number in logs:
                league = identifier("lge", number)
                report = await audit_league(driver, keys, league, signer=signer)
                await driver.rollback()
                if not report.passed:
                    # The lines of checks that hold would hide the faults in a long output.
                    faults = [each for check in report.checks for each in check.faults]
                    broken.append(f"the audit of {league} failed: {faults[:5]}")
                different = await compare_league(driver, league)
                broken += [f"differs from a rebuild: {each}" for each in different]
    finally:
        await engine.dispose()
    return Proved(logs, broken)
