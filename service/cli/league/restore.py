"""``holotable league restore``: let a suspended league take commands again."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.cli.common import DRY_RUN, REASON, awaited, settings
from service.cli.deeds import NotDone, carried_out
from service.people import relocations, suspending
from service.people.operator_log import operator
from service.people.relocations import RelocationRefused


@click.command("restore")
@click.argument("league")
@click.option(
    "--release",
    "code",
    default=None,
    help="The code that `league release` printed, for a league that was unpacked here.",
)
@REASON
@DRY_RUN
def restore_league(league: str, code: str | None, reason: str, dry_run: bool) -> None:
    """
    Let LEAGUE take commands again. Open decisions get their full time again.

    A league that was packed and not released stays here: its file is worthless from then on.
    """

    async def work(connection: AsyncConnection) -> str | None:
        by = operator()
        try:
            await relocations.end(connection, league, code, by, reason)
        except RelocationRefused as refused:
            raise NotDone(str(refused), refused.step) from None
        done = await suspending.restore_league(connection, league, by, reason)
        return f"restored {league}" if done else None

    awaited(carried_out(settings(), work, dry_run=dry_run))
