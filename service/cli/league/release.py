"""``holotable league release``: give a packed league up to its copy in another cell, for ever."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.cli.common import DRY_RUN, REASON, awaited, settings
from service.cli.deeds import NotDone, carried_out
from service.people import relocations
from service.people.operator_log import operator
from service.people.relocations import ARRIVAL, RelocationRefused
from service.relocating.ended import Ended, ended_since_packed


@click.command("release")
@click.argument("league")
@click.argument("arrival")
@click.option(
    "--even-so",
    is_flag=True,
    help="Release it although something of its people has ended since it was packed.",
)
@REASON
@DRY_RUN
def release_league(league: str, arrival: str, even_so: bool, reason: str, dry_run: bool) -> None:
    """
    Give the packed LEAGUE up to its copy with the code ARRIVAL, for ever.

    Prints the code that opens that copy.  Take a backup of the new cell first: this cell's copy
    never takes a command again.  It is refused if one of its people was erased or suspended since
    it was packed, has another password, or ended a token: FILE would bring all of it back.
    """
    if not arrival.startswith(ARRIVAL):
        raise click.UsageError(f"an arrival code begins with {ARRIVAL}")

    async def work(connection: AsyncConnection) -> str:
        try:
            released = await relocations.release(connection, league, arrival, operator(), reason)
        except RelocationRefused as refused:
            raise NotDone(str(refused), refused.step) from None
        ended = await ended_since_packed(connection, league)
        if ended.people and not (even_so or released.before):
            raise _too_late(league, ended)
        lines = [f"{league} is given up to the copy {arrival}", *_still_there(ended)]
        if not dry_run:
            step = f"holotable league restore {league} --release {released.code} --reason WHY"
            lines += [f"release code: {released.code}", f"  next: on the new cell: {step}"]
        return "\n".join(lines)

    awaited(carried_out(settings(), work, dry_run=dry_run))


def _too_late(league: str, ended: Ended) -> NotDone:
    lines = [f"  {player}: {what}" for player, what in ended.people]
    return NotDone(
        "\n".join(["since it was packed, this ended, and the file would bring it back:", *lines]),
        f"run `holotable league restore {league} --reason WHY` here, suspend it and pack it again "
        "for a cell that has no copy of it; or give --even-so, and end all of this there too",
    )


def _still_there(ended: Ended) -> list[str]:
    """Return what ended here and must be ended in the new cell too, in words."""
    lines = [f"{player}: {what} here since it was packed" for player, what in ended.people]
    if ended.texts:
        lines.append(f"{ended.texts} texts were erased here since it was packed")
    if ended.claims:
        lines.append(f"{ended.claims} claims were emptied here since it was packed")
    return [*lines, "do the same in the new cell"] if lines else []
