"""``holotable maintenance``: refuse commands for a while, and take them again."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.cli.common import DRY_RUN, REASON, awaited, settings
from service.cli.deeds import carried_out
from service.people import maintenance as upkeep
from service.people.operator_log import operator


@click.group()
def maintenance() -> None:
    """Let the installation take no commands for a while. Reads go on, and clocks stand still."""


@maintenance.command("on")
@click.option(
    "--retry-after",
    type=click.IntRange(1, 86_400),
    default=300,
    show_default=True,
    help="Seconds after which refused clients should ask again.",
)
@REASON
@DRY_RUN
def maintenance_on(retry_after: int, reason: str, dry_run: bool) -> None:
    """Refuse commands with 503 from now on, until `holotable maintenance off`."""

    async def work(connection: AsyncConnection) -> str | None:
        done = await upkeep.begin(connection, operator(), reason, retry_after)
        return "maintenance has begun" if done else None

    awaited(carried_out(settings(), work, dry_run=dry_run))


@maintenance.command("off")
@REASON
@DRY_RUN
def maintenance_off(reason: str, dry_run: bool) -> None:
    """Take commands again. The maintenance counts as an outage."""

    async def work(connection: AsyncConnection) -> str | None:
        done = await upkeep.end(connection, operator(), reason)
        return "maintenance has ended" if done else None

    awaited(carried_out(settings(), work, dry_run=dry_run))
