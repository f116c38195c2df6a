"""``holotable league restore``: let a suspended league take commands again."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.cli.common import DRY_RUN, REASON, awaited, settings
from service.cli.deeds import carried_out
from service.people import suspending
from service.people.operator_log import operator


@click.command("restore")
@click.argument("league")
@REASON
@DRY_RUN
def restore_league(league: str, reason: str, dry_run: bool) -> None:
    """Let LEAGUE take commands again. Open decisions get their full time again."""

    async def work(connection: AsyncConnection) -> str | None:
        done = await suspending.restore_league(connection, league, operator(), reason)
        return f"restored {league}" if done else None

    awaited(carried_out(settings(), work, dry_run=dry_run))
