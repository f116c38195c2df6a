"""``holotable verify-head`` and ``verify-receipt``: check what a signer has signed."""

import sys
from pathlib import Path

import rich_click as click

from service.cli.common import FILE
from service.transparency import convicting, verifying


@click.command("verify-head")
@click.argument("url")
@click.argument("league")
@click.option("--key", required=True, type=FILE, help="Public keys, from elsewhere than URL.")
@click.option("--token", required=True, type=FILE, help="A token that may read LEAGUE.")
@click.option(
    "--seen",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Remembers the head that held; made by the first run.",
)
def verify_head(url: str, league: str, key: Path, token: Path, seen: Path) -> None:
    """Check LEAGUE's newest signed head at URL, and that it continues the one seen; 1 if not."""
    sys.exit(verifying.verify_head(url, league, key, token, seen))


@click.command("verify-receipt")
@click.argument("url")
@click.argument("receipt", type=FILE)
@click.option("--key", required=True, type=FILE, help="Public keys, from elsewhere than URL.")
@click.option("--token", required=True, type=FILE, help="A token that may read the league.")
def verify_receipt(url: str, receipt: Path, key: Path, token: Path) -> None:
    """
    Check that every event of RECEIPT stands in the newest signed tree at URL.

    1 if one does not, and then the evidence is written to RECEIPT.evidence; 3 while no
    signed head reaches so far.
    """
    sys.exit(convicting.verify_receipt(url, receipt, key, token))
