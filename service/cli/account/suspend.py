"""``holotable account suspend``: end every session of a person, and stop new sign-ins."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.cli.common import DRY_RUN, REASON, awaited, settings
from service.cli.deeds import carried_out
from service.people import suspending
from service.people.operator_log import operator


@click.command("suspend")
@click.argument("account", metavar="LOGIN")
@REASON
@DRY_RUN
def suspend_account(account: str, reason: str, dry_run: bool) -> None:
    """
    End every token, session and stream of LOGIN (or plr_...), and let nobody sign in to it.

    Its seats stay, and the clock answers for them.  Needs HOLOTABLE_DATABASE_URL with the login
    of holotable_migrate.
    """

    async def work(connection: AsyncConnection) -> str | None:
        number = await suspending.number_of_account(connection, account)
        ended = await suspending.suspend_account(connection, number, operator(), reason)
        return None if ended is None else f"suspended plr_{number.hex}; {ended} tokens ended"

    awaited(carried_out(settings(), work, dry_run=dry_run))
