"""``holotable verify-head``: check that a league's newest head continues the one seen."""

import sys
from pathlib import Path

import rich_click as click

from service.cli.common import FILE
from service.transparency import verifying


@click.command("verify-head")
@click.argument("url")
@click.argument("league")
@click.option(
    "--key",
    required=True,
    type=FILE,
    help="File with public keys; get them from another source than URL.",
)
@click.option("--token", required=True, type=FILE, help="File with a token that may read LEAGUE.")
@click.option(
    "--seen",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="File that keeps the last good head; the first run makes it.",
)
def verify_head(url: str, league: str, key: Path, token: Path, seen: Path) -> None:
    """Check that LEAGUE's newest signed head at URL continues the one seen. Exit with 1 if not."""
    sys.exit(verifying.verify_head(url, league, key, token, seen))
