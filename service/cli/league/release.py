"""``holotable league release``: give a packed league up to its copy in another cell, for ever."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.cli.common import DRY_RUN, REASON, awaited, settings
from service.cli.deeds import NotDone, carried_out
from service.people import relocations
from service.people.operator_log import operator
from service.people.relocations import ARRIVAL, RelocationRefused


@click.command("release")
@click.argument("league")
@click.argument("arrival")
@REASON
@DRY_RUN
def release_league(league: str, arrival: str, reason: str, dry_run: bool) -> None:
    """
    Give the packed LEAGUE up to its copy with the code ARRIVAL, for ever.

    Prints the code that opens that copy.  Take a backup of the new cell first: this cell's copy
    never takes a command again.
    """
    if not arrival.startswith(ARRIVAL):
        raise click.UsageError(f"an arrival code begins with {ARRIVAL}")

    async def work(connection: AsyncConnection) -> str:
        try:
            code = await relocations.release(connection, league, arrival, operator(), reason)
        except RelocationRefused as refused:
            raise NotDone(str(refused), refused.step) from None
        erased = await relocations.erased_since(connection, league)
        lines = [f"{league} is given up to the copy {arrival}"]
        if erased:
            lines.append(f"{erased} texts were erased here since it was packed: erase them there")
        if not dry_run:
            step = f"holotable league restore {league} --release {code} --reason WHY"
            lines += [f"release code: {code}", f"  next: on the new cell: {step}"]
        return "\n".join(lines)

    awaited(carried_out(settings(), work, dry_run=dry_run))
