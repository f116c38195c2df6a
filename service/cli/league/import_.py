"""``holotable league import``: players from a table."""

import csv
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import rich_click as click

from service.base.client import Refused, answered, client
from service.cli.common import DRY_RUN, FILE, NO
from service.cli.league.asking import print_refusal

_COLUMNS = ("line", "outcome", "player", "claim", "detail")


@click.command("import")
@click.argument("url")
@click.argument("league_id", metavar="LEAGUE")
@click.argument("roster", metavar="FILE", type=FILE)
@click.option("--token", required=True, type=FILE, help="File with a token that may manage LEAGUE.")
@DRY_RUN
def league_import(url: str, league_id: str, roster: Path, token: Path, dry_run: bool) -> None:
    """Import the players in FILE (CSV) into LEAGUE: all, or none if a row is faulty."""
    # The output holds claim codes, which are shown only once.  A retry creates nobody twice.
    try:
        with client(url, token) as api:
            found = answered(
                api.post(
                    f"/v1/leagues/{league_id}/members/import",
                    content=roster.read_bytes(),
                    headers={"Content-Type": "text/csv"},
                    params={"dry_run": "true"} if dry_run else {},
                )
            )
    except Refused as no:
        _print_rows(no.problem.get("rows", []))
        sys.exit(print_refusal(no))
    _print_rows(found["rows"])
    sys.exit(NO if any(row["detail"] for row in found["rows"]) else 0)


def _print_rows(rows: Iterable[Mapping[str, object]]) -> None:
    written = csv.writer(sys.stdout, lineterminator="\n")
    written.writerow(_COLUMNS)
    for row in rows:
        written.writerow([row[column] or "" for column in _COLUMNS])
