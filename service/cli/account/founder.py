"""``holotable account founder``: let a person found leagues."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.cli.common import DRY_RUN, awaited, settings
from service.cli.deeds import carried_out
from service.people import admission, suspending
from service.people.operator_log import operator


@click.command("founder")
@click.argument("account", metavar="LOGIN")
@click.option("--end", is_flag=True, help="Take the permission back. Existing leagues stay.")
@DRY_RUN
def founder(account: str, end: bool, dry_run: bool) -> None:
    """Let LOGIN found leagues where HOLOTABLE_FOUND_LEAGUES=invite."""

    async def work(connection: AsyncConnection) -> str | None:
        number = await suspending.number_of_account(connection, account)
        done = await admission.let_found(connection, number, operator(), may=not end)
        return (
            f"plr_{number.hex} {'may no longer' if end else 'may'} found leagues" if done else None
        )

    awaited(carried_out(settings(), work, dry_run=dry_run))
