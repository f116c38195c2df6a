"""``holotable league money``: the books of a tournament."""

import json
import sys
from pathlib import Path

import rich_click as click

from service.cli.league.asking import KEY, TOKEN, key_or_new, print_answer


@click.command("money")
@click.argument("url")
@click.argument("tournament")
@click.option(
    "--paid",
    type=(str, str, int),
    metavar="ENTRANT KIND AMOUNT",
    default=None,
    help="Record a payment: buy_in, fee, rebuy, add_on, bounty or refund.",
)
@KEY
@TOKEN
def league_money(
    url: str, tournament: str, paid: tuple[str, str, int] | None, key: str | None, token: Path
) -> None:
    """Print the books of TOURNAMENT as JSON, in minor units, or record a payment."""
    if key and paid is None:
        raise click.UsageError("--key is only for --paid: the books need no key")
    if paid is None:
        sys.exit(print_answer(url, f"tournaments/{tournament}/ledger", token, None))
    entrant, kind, amount = paid
    body = json.dumps({"entrant": entrant, "kind": kind, "amount": amount}).encode()
    sys.exit(print_answer(url, f"tournaments/{tournament}/payments", token, body, key_or_new(key)))
