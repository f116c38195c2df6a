"""``holotable league entries``: the entrants of a tournament, and answers to applicants."""

import json
import sys
from pathlib import Path

import rich_click as click

from service.cli.league.asking import TOKEN, print_answer, print_list


@click.command("entries")
@click.argument("url")
@click.argument("tournament")
@click.option("--approve", metavar="ENTRANT", default=None, help="Approve ENTRANT.")
@click.option(
    "--refuse", nargs=2, metavar="ENTRANT REASON", default=None, help="Refuse ENTRANT for REASON."
)
@TOKEN
def league_entries(
    url: str,
    tournament: str,
    approve: str | None,
    refuse: tuple[str, str] | None,
    token: Path,
) -> None:
    """List the entrants, waitlist and applicants of TOURNAMENT, or answer an applicant."""
    if approve and refuse:
        raise click.UsageError("give one answer at a time: --approve or --refuse")
    path = f"tournaments/{tournament}/registrations"
    if approve is not None:
        sys.exit(print_answer(url, f"{path}/{approve}/approve", token, b"{}"))
    if refuse is not None:
        entrant, reason = refuse
        body = json.dumps({"reason": reason}).encode()
        sys.exit(print_answer(url, f"{path}/{entrant}/refuse", token, body))
    sys.exit(print_list(url, path, token))
