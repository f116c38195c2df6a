"""``holotable prune``: delete records beside the log that are older than their period."""

import asyncpg
import rich_click as click

from service.base.addresses import asyncpg_dsn
from service.base.settings import Settings
from service.cli.common import DRY_RUN, awaited, out, settings
from service.people import operator_log
from service.tasks import forgetting


@click.command()
@DRY_RUN
def prune(dry_run: bool) -> None:
    """
    Delete jobs, tokens and other records that are older than their period. Never an event.

    The workers do this every night.  Needs HOLOTABLE_DATABASE_URL with the login of
    holotable_worker; HOLOTABLE_KEEP_... set the periods.  See docs/operating.
    """
    awaited(_prune(settings(), dry_run=dry_run))


async def _prune(told: Settings, *, dry_run: bool) -> int:
    connection = await asyncpg.connect(asyncpg_dsn(told.database_url))
    try:
        now = await connection.fetchval("SELECT service_time()")
        by = operator_log.operator()
        found = await forgetting.prune(connection, told, now, by, dry_run=dry_run)
    finally:
        await connection.close()
    periods = forgetting.kept_for(told)
    for name, number in found.items():
        period = f", kept for {periods[name].days} days" if name in periods else ""
        out.print(f"{name:<18} {number:>9}{period}", markup=False)
    out.print("nothing was deleted" if dry_run else "deleted")
    return 0
