"""``holotable account invite``: a code with which people sign up."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.sources import SystemEntropy
from service.cli.common import awaited, settings
from service.cli.deeds import carried_out
from service.people import admission
from service.people.operator_log import operator


@click.command("invite")
@click.option("--uses", type=click.IntRange(1, 1000), default=1, show_default=True)
@click.option("--days", type=click.IntRange(1, 365), default=7, show_default=True)
@click.option("--founder", is_flag=True, help="The accounts may found leagues too.")
def invite(uses: int, days: int, founder: bool) -> None:
    """
    Print, once, a code with which people sign up where HOLOTABLE_SIGN_UP=invite.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_migrate.
    """

    async def work(connection: AsyncConnection) -> str | None:
        return await admission.invite(
            connection, SystemEntropy(), operator(), uses=uses, days=days, founds=founder
        )

    awaited(carried_out(settings(), work, dry_run=False))
