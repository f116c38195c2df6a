"""A league's data, taken away whole and checked elsewhere; players brought in."""

import sys
from pathlib import Path

import rich_click as click

from service.commands.exits import awaited
from service.commands.loading import FILE, owner, settings


@click.group()
def league() -> None:
    """Take a league's data away in an archive, check one, or bring players in."""


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


@league.command("import")
@click.argument("url")
@click.argument("league_id", metavar="LEAGUE")
@click.argument("roster", metavar="FILE", type=FILE)
@click.option("--token", required=True, type=FILE, help="A token that may manage LEAGUE.")
@click.option("--dry-run", is_flag=True, help="Say what would happen, and do nothing.")
def import_players(url: str, league_id: str, roster: Path, token: Path, dry_run: bool) -> None:
    """Make members of the players in FILE, as CSV: all, or with a faulty row none; 1 if refused."""
    sys.exit(owner("service.importing:import_list")(url, league_id, roster, token, dry_run))
