"""Leagues, as their directors keep them from a shell."""

import sys
from pathlib import Path

import rich_click as click

from service.commands.loading import FILE, owner


@click.group()
def league() -> None:
    """Keep a league on a server that runs, with a token of its director."""


@league.command("import")
@click.argument("url")
@click.argument("league_id", metavar="LEAGUE")
@click.argument("roster", metavar="FILE", type=FILE)
@click.option("--token", required=True, type=FILE, help="A token that may manage LEAGUE.")
@click.option("--dry-run", is_flag=True, help="Say what would happen, and do nothing.")
def import_players(url: str, league_id: str, roster: Path, token: Path, dry_run: bool) -> None:
    """Make members of the players in FILE, as CSV: all, or with a faulty row none; 1 if refused."""
    sys.exit(owner("service.importing:import_list")(url, league_id, roster, token, dry_run))
