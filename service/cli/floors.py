"""What whoever directs looks at."""

import sys
from pathlib import Path

import rich_click as click

from service.cli.loading import FILE, owner


@click.command()
@click.argument("tournament")
@click.option("--url", default="http://127.0.0.1:8000", show_default=True, help="Of the API.")
@click.option("--token", required=True, type=FILE, help="A token that may read the league.")
def floor(tournament: str, url: str, token: Path) -> None:
    """Show TOURNAMENT's floor: tables, seats, stacks, what each does, the next level."""
    sys.exit(owner("service.cli.watch_floor:show_floor")(url, tournament, token))
