"""``holotable league import``: a list of players, sent to a server and answered row by row."""

import csv
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from service.base.client import Refused, answered, client

_COLUMNS = ("line", "outcome", "player", "claim", "detail")

_err = Console(stderr=True, soft_wrap=True, highlight=False)


def import_list(url: str, league: str, roster: Path, token: Path, dry_run: bool) -> int:
    """
    Send *roster* and print what has become of each row, as CSV.

    Claim codes stand in it and are shown this once.

    Returns:
        The exit code: 1 if the server refused the list, or would.

    Raises:
        ConnectionError: If the API cannot be reached; imported again, nobody is made twice.
    """
    try:
        with client(url, token) as api:
            found = answered(
                api.post(
                    f"/v1/leagues/{league}/members/import",
                    content=roster.read_bytes(),
                    headers={"Content-Type": "text/csv"},
                    params={"dry_run": "true"} if dry_run else {},
                )
            )
    except Refused as no:
        _print(no.problem.get("rows", []))
        _err.print(str(no), markup=False)
        return 1
    _print(found["rows"])
    return 1 if any(row["detail"] for row in found["rows"]) else 0


def _print(rows: Iterable[Mapping[str, Any]]) -> None:
    written = csv.writer(sys.stdout, lineterminator="\n")
    written.writerow(_COLUMNS)
    for row in rows:
        written.writerow([row[column] or "" for column in _COLUMNS])
