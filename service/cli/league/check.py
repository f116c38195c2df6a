"""``holotable league check``: check an archive without a database."""

import sys
from pathlib import Path

import rich_click as click

from service.cli.common import FILE, NO, err, out
from service.exports.checking import check_archive


@click.command("check")
@click.argument("file", type=FILE)
@click.option(
    "--key",
    type=FILE,
    default=None,
    help="File with public keys; get them from another source than FILE.",
)
def league_check(file: Path, key: Path | None) -> None:
    """Check the archive FILE without a database. Exit with 1 if a check fails."""
    keys = () if key is None else tuple(key.read_text(encoding="ascii").split())
    found = check_archive(file, keys)
    for fault in found.faults:
        err.print(f"check failed: {fault}", markup=False)
    if not found.holds:
        sys.exit(NO)
    out.print(
        f"holds: {found.events} events of {found.streams} streams, {found.heads} signed heads, "
        f"{found.texts} texts, root {found.root}"
    )
    if found.voided:
        out.print(f"{found.voided} damaged events were voided by a repair")
