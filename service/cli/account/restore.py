"""``holotable account restore``: let a suspended person sign in again."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.cli.common import DRY_RUN, REASON, awaited, settings
from service.cli.deeds import carried_out
from service.people import suspending
from service.people.operator_log import operator


@click.command("restore")
@click.argument("account", metavar="LOGIN")
@REASON
@DRY_RUN
def restore_account(account: str, reason: str, dry_run: bool) -> None:
    """Let the owner of LOGIN (or plr_...) sign in again. Ended tokens stay ended."""

    async def work(connection: AsyncConnection) -> str | None:
        number = await suspending.number_of_account(connection, account)
        done = await suspending.restore_account(connection, number, operator(), reason)
        return f"restored plr_{number.hex}" if done else None

    awaited(carried_out(settings(), work, dry_run=dry_run))
