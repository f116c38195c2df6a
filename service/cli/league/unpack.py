"""``holotable league unpack``: write a packed league into this cell, where it stays closed."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import asyncpg
import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.settings import Settings
from service.base.sources import SystemEntropy
from service.cli.backup_options import sealing_passphrase_in
from service.cli.common import DRY_RUN, FILE, awaited, settings
from service.cli.deeds import NotDone, carried_out
from service.log.keys import driver_of
from service.people.operator_log import operator
from service.people.relocations import RelocationRefused
from service.relocating.unpacking import Unpacked, unpack


def _pairs(_: click.Context, option: click.Parameter, given: tuple[str, ...]) -> Mapping[str, str]:
    chosen: dict[str, str] = {}
    for each in given:
        old, told, new = each.partition("=")
        if not told or not old or not new or old in chosen:
            raise click.BadParameter("give OLD=NEW, once for each account", param=option)
        chosen[old] = new
    return chosen


@click.command("unpack")
@click.argument("file", type=FILE)
@click.option("--passphrase-file", required=True, type=FILE, help="File with FILE's passphrase.")
@click.option(
    "--account",
    "chosen",
    metavar="OLD=NEW",
    multiple=True,
    callback=_pairs,
    help="A new login for an account whose login is taken here, or the login here of the same "
    "account.  May be given again.",
)
@DRY_RUN
def league_unpack(
    file: Path, passphrase_file: Path, chosen: Mapping[str, str], dry_run: bool
) -> None:
    """
    Write the league in FILE into this cell, and check every byte of its log.

    It stays closed until `holotable league restore` gets the code that `holotable league release`
    prints on the old cell.  Needs HOLOTABLE_DATABASE_URL with the login of holotable_migrate, and
    this cell's HOLOTABLE_SECRET_KEY.
    """
    passphrase = sealing_passphrase_in(passphrase_file)
    awaited(_unpacked(settings(), file, passphrase, chosen, dry_run=dry_run))


async def _unpacked(
    settings: Settings, file: Path, passphrase: str, chosen: Mapping[str, str], *, dry_run: bool
) -> int:
    async def work(connection: AsyncConnection) -> str:
        try:
            found = await unpack(
                cast("asyncpg.Connection", await driver_of(connection)),
                settings,
                file,
                passphrase,
                chosen,
                by=operator(),
                drawn=SystemEntropy().bytes(8),
            )
        except RelocationRefused as refused:
            raise NotDone(str(refused), refused.step) from None
        return _said(found, dry_run=dry_run)

    return await carried_out(settings, work, dry_run=dry_run)


def _said(found: Unpacked, *, dry_run: bool) -> str:
    if found.before:
        lines = [f"{found.league} is here already, from this file"]
    else:
        counted = ", ".join(f"{each} {name}" for name, each in found.rows.items() if each)
        lines = [
            f"{found.league}: {found.events} events; hash chains, tree and signed heads hold",
            f"rows: {counted}",
            f"accounts: {found.accounts.copied} copied",
            *(f"  plr_{number.hex}: {said}" for number, said in found.accounts.mapped),
        ]
    if not dry_run:
        step = f"holotable league release {found.league} {found.arrival} --reason WHY"
        lines += [f"arrival code: {found.arrival}", f"  next: on the old cell: {step}"]
    return "\n".join(lines)
