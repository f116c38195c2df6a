"""``holotable league suspend``: let a league take no commands."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.cli.common import DRY_RUN, REASON, awaited, settings
from service.cli.deeds import carried_out
from service.people import suspending
from service.people.operator_log import operator


@click.command("suspend")
@click.argument("league")
@REASON
@DRY_RUN
def suspend_league(league: str, reason: str, dry_run: bool) -> None:
    """
    Let LEAGUE (lge_...) take no commands. Reads and audits go on, and its clocks stand still.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_migrate.
    """

    async def work(connection: AsyncConnection) -> str | None:
        done = await suspending.suspend_league(connection, league, operator(), reason)
        return f"suspended {league}" if done else None

    awaited(carried_out(settings(), work, dry_run=dry_run))
