"""``holotable verify-receipt``: check that a signed tree holds what a receipt promises."""

import sys
from pathlib import Path

import rich_click as click

from service.cli.common import FILE
from service.transparency import convicting


@click.command("verify-receipt")
@click.argument("url")
@click.argument("receipt", type=FILE)
@click.option(
    "--key",
    required=True,
    type=FILE,
    help="File with public keys; get them from another source than URL.",
)
@click.option(
    "--token", required=True, type=FILE, help="File with a token that may read the league."
)
def verify_receipt(url: str, receipt: Path, key: Path, token: Path) -> None:
    """
    Check that the newest signed tree at URL holds every event of RECEIPT.

    Exit with 1 if one is missing, and write the evidence to RECEIPT.evidence.  Exit with 3 if
    no signed head covers them yet.
    """
    sys.exit(convicting.verify_receipt(url, receipt, key, token))
