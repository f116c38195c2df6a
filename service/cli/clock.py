"""``holotable clock``: show the steps of the database's clock, or believe one."""

from datetime import timedelta

import asyncpg
import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.addresses import asyncpg_dsn
from service.base.settings import Settings
from service.base.sources import READ_CLOCK, ClockReading
from service.cli.common import DRY_RUN, USAGE, awaited, out, settings
from service.cli.deeds import NotDone, carried_out
from service.log.keys import driver_of
from service.people import operator_log

_BELIEVE = "SELECT believe_clock($1, $2)"

_SETTLED = """
    SELECT noticed_at, ahead_us, settled, settled_at, settled_by, reason FROM clock_step
     WHERE settled IS NOT NULL ORDER BY id DESC LIMIT 10
"""


@click.group()
def clock() -> None:
    """Show the steps of the database's clock, or believe one before its ten minutes are over."""


@clock.command("show")
def clock_show() -> None:
    """Print the step in doubt and the last ten settled. Exit with 1 if one is in doubt."""
    awaited(show(settings()))


@clock.command("believe")
@click.option("--operator", required=True, metavar="NAME", help="Person who answers for it.")
@click.option("--reason", required=True, help="Reason for believing the clock.")
@DRY_RUN
def clock_believe(operator: str, reason: str, dry_run: bool) -> None:
    """
    Believe the database's clock from now on. The step counts as an outage: nobody times out.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_migrate.
    """
    awaited(believe(settings(), operator, reason, dry_run=dry_run))


async def show(settings: Settings) -> int:
    """Print the step in doubt and the last ten settled. Return 1 if one is in doubt."""
    connection = await asyncpg.connect(asyncpg_dsn(settings.database_url))
    try:
        [row] = await connection.fetch(READ_CLOCK)
        reading = ClockReading(*row)
        settled = await connection.fetch(_SETTLED)
    finally:
        await connection.close()
    for row in reversed(settled):
        by = f" by {row['settled_by']}: {row['reason']}" if row["settled_by"] else ""
        out.print(
            f"{row['noticed_at']:%Y-%m-%d %H:%M:%S} a step of {_seconds(row['ahead_us'])}, "
            f"{row['settled']} at {row['settled_at']:%Y-%m-%d %H:%M:%S}{by}"
        )
    if reading.noticed_at is None:
        out.print(f"no step is in doubt; it is {reading.time:%Y-%m-%d %H:%M:%S} UTC")
        return 0
    out.print(
        f"the database's clock has been {_seconds(reading.ahead_us)} off since "
        f"{reading.noticed_at:%Y-%m-%d %H:%M:%S}; the service uses "
        f"{reading.time:%Y-%m-%d %H:%M:%S} UTC\n"
        "  next: if that clock is wrong, set it right; if it is right, believe it with "
        "`holotable clock believe`"
    )
    return 1


async def believe(settings: Settings, operator: str, reason: str, *, dry_run: bool = False) -> int:
    """
    Make the service believe the database's clock at once. Return 2 if no step is in doubt.

    Args:
        settings: With the login of ``holotable_migrate``. No process of the service has it.
    """

    async def work(connection: AsyncConnection) -> str:
        if not operator.strip() or not reason.strip():
            raise NotDone("the operator or the reason is empty", "give both", USAGE)
        ahead = await (await driver_of(connection)).fetchval(_BELIEVE, operator, reason)
        if ahead is None:
            raise NotDone("no step is in doubt", "see `holotable clock show`", USAGE)
        step = _seconds(ahead)
        await operator_log.add(connection, [None], operator, "clock_believed", step, reason[:500])
        return f"a step of {step} is believed from now on; it makes nobody time out"

    return await carried_out(settings, work, dry_run=dry_run)


def _seconds(microseconds: int) -> str:
    return f"{timedelta(microseconds=microseconds).total_seconds():+.1f} s"
