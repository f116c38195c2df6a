"""``holotable league release``: give a packed league up to its copy in another cell, for ever."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import number_of
from service.base.errors import CheckpointRefused
from service.base.settings import Settings
from service.cli.common import DRY_RUN, NO, REASON, awaited, err, settings
from service.cli.deeds import NotDone, Work, carried_out
from service.people import relocations
from service.people.operator_log import operator
from service.people.relocations import ARRIVAL, RelocationRefused
from service.relocating.ended import Ended, ended_since_packed
from service.transparency.signing import SignerAway, asking, give_up


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
    it was packed, has another password, or ended a token: FILE would bring all of it back.  From
    then on this cell's signer signs nothing of the league, even after a backup is restored.
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

    awaited(_released(settings(), league, work, dry_run=dry_run))


async def _released(told: Settings, league: str, work: Work, *, dry_run: bool) -> int:
    """Release the league, then have the signer refuse every later head of it."""
    code = await carried_out(told, work, dry_run=dry_run)
    if code or dry_run:
        return code
    try:
        async with asking(told) as signer:
            if signer is not None:
                await give_up(signer, number_of(league))
    except (SignerAway, CheckpointRefused) as error:
        said = f"{error}: the signer would still sign for a copy from an older backup"
        step = "see to the signer, and run the command again before you go on"
        err.print(f"{said}\n  next: {step}", markup=False)
        return NO
    return 0


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
