"""A league's data, taken away whole and checked elsewhere."""

import sys
from pathlib import Path

import rich_click as click

from service.commands.exits import awaited
from service.commands.loading import FILE, owner, settings


@click.group()
def league() -> None:
    """Take a league's whole data away in one archive, or check such an archive."""


@league.command("export")
@click.argument("league_id", metavar="LEAGUE")
@click.argument("target", type=click.Path(path_type=Path))
def export_league(league_id: str, target: Path) -> None:
    """
    Write LEAGUE (lge_...) to the file TARGET, or into the directory TARGET.

    The log with every hash, signed heads, texts, names, and tables as CSV; sealed values
    stay sealed.  Needs HOLOTABLE_DATABASE_URL with the login of holotable_api, and
    HOLOTABLE_SECRET_KEY.
    """
    awaited(owner("service.exports.operating:export")(settings(), league_id, target))


@league.command("check")
@click.argument("file", type=FILE)
@click.option("--key", type=FILE, default=None, help="Public keys, from elsewhere than FILE.")
def check_league(file: Path, key: Path | None) -> None:
    """Check the archive FILE by itself, without any database; 1 if anything does not hold."""
    sys.exit(owner("service.exports.operating:check")(file, key))
