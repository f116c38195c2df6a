"""``holotable league import``: a list of players, sent to a server and answered row by row."""

import csv
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console

_COLUMNS = ("line", "outcome", "player", "claim", "detail")
_SECONDS = 60.0
_DONE, _NO, _AWAY = 0, 1, 3

_err = Console(stderr=True, soft_wrap=True, highlight=False)


def import_list(url: str, league: str, roster: Path, token: Path, dry_run: bool) -> int:
    """
    Send *roster* and print what has become of each row, as CSV.

    Claim codes stand in it and are shown this once.

    Returns:
        The exit code: 1 if the server refused the list, or would.
    """
    headers = {
        "Authorization": f"Bearer {token.read_text(encoding='utf-8').strip()}",
        "Content-Type": "text/csv",
    }
    asked = f"{url.rstrip('/')}/v1/leagues/{league}/members/import"
    try:
        answer = httpx.post(
            asked,
            content=roster.read_bytes(),
            headers=headers,
            params={"dry_run": "true"} if dry_run else {},
            timeout=_SECONDS,
            trust_env=False,
        )
        found = answer.json()
    except (httpx.TransportError, json.JSONDecodeError) as error:
        _err.print(f"{url} gave no answer: {error}\n  next: import again; nobody is made twice")
        return _AWAY
    rows = found.get("rows", [])
    _print(rows)
    if answer.is_success:
        return _NO if any(row["detail"] for row in rows) else _DONE
    _err.print(f"{found.get('code')}: {found.get('detail')}", markup=False)
    return _NO


def _print(rows: Iterable[Mapping[str, Any]]) -> None:
    written = csv.writer(sys.stdout, lineterminator="\n")
    written.writerow(_COLUMNS)
    for row in rows:
        written.writerow([row[column] or "" for column in _COLUMNS])
