"""``holotable account uninvite``: end an invitation."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.cli.common import DRY_RUN, awaited, settings
from service.cli.deeds import carried_out
from service.people import admission
from service.people.operator_log import operator


@click.command("uninvite")
@click.argument("invitation", metavar="INVITATION")
@DRY_RUN
def uninvite(invitation: str, dry_run: bool) -> None:
    """
    End an invitation, named by its code or as the operators' log names it (inv_...).

    Accounts that it has opened stay.
    """

    async def work(connection: AsyncConnection) -> str | None:
        done = await admission.uninvite(connection, invitation, operator())
        return "the invitation opens no more accounts" if done else None

    awaited(carried_out(settings(), work, dry_run=dry_run))
