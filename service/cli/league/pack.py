"""``holotable league pack``: copy a suspended league into a file for another cell."""

from pathlib import Path

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.settings import Settings
from service.base.sources import SystemEntropy
from service.cli.backup_options import sealing_passphrase_in
from service.cli.common import DRY_RUN, FILE, NO, awaited, err, out, settings, stop
from service.cli.deeds import NotDone, carried_out
from service.people import relocations
from service.people.operator_log import operator
from service.people.relocations import Relocation, RelocationRefused
from service.relocating.packing import pack


@click.command("pack")
@click.argument("league_id", metavar="LEAGUE")
@click.argument("target", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--to", "cell", required=True, help="The other cell, for the operators' log.")
@click.option(
    "--passphrase-file", required=True, type=FILE, help="File with a passphrase that seals FILE."
)
@DRY_RUN
def league_pack(
    league_id: str, target: Path, cell: str, passphrase_file: Path, dry_run: bool
) -> None:
    """
    Copy LEAGUE (lge_...) into the new FILE for another cell.  The league must be suspended.

    From then on nothing is appended to it, not even an audit's report, until `holotable league
    restore` keeps it here.  FILE holds its key and its people: guard it as the server.  Needs
    HOLOTABLE_DATABASE_URL with the login of holotable_migrate, HOLOTABLE_SECRET_KEY, and the
    signer's two settings if there is one.
    """
    passphrase = sealing_passphrase_in(passphrase_file)
    if target.exists():
        stop(NO, f"{target} exists already", "give another file")
    awaited(_packed(settings(), league_id, target, cell, passphrase, dry_run=dry_run))


async def _packed(
    settings: Settings, league: str, target: Path, cell: str, passphrase: str, *, dry_run: bool
) -> int:
    entropy = SystemEntropy()
    marked = Relocation(entropy.uuid(), entropy.bytes(32), cell, None)

    async def work(connection: AsyncConnection) -> str:
        nonlocal marked
        try:
            marked = await relocations.begin(connection, league, operator(), marked, f"to {cell}")
        except RelocationRefused as refused:
            raise NotDone(str(refused), refused.step) from None
        return f"{league} is packed: nothing is appended to it any more"

    done = await carried_out(settings, work, dry_run=dry_run)
    if done != 0 or dry_run:
        return done
    try:
        found = await pack(settings, league, marked, target, passphrase)
    except RelocationRefused as refused:
        err.print(f"{refused}\n  next: {refused.step}", markup=False)
        return NO
    out.print(
        f"{target}: {found.events} events, {found.people} accounts ({found.shared} of them also in "
        f"other leagues here), {found.tokens} tokens, {found.size} bytes",
        markup=False,
    )
    out.print("  next: run `holotable league unpack FILE` on the other cell", markup=False)
    return 0
