"""A tournament's floor for a terminal, read over the public API."""

from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table
from rich.text import Text

from service.base.client import Refused, answered, client

_out = Console(soft_wrap=True, highlight=False)
_err = Console(stderr=True, soft_wrap=True, highlight=False)


def show_floor(url: str, tournament: str, token_file: Path) -> int:
    """
    Print the floor of *tournament*, every table of it.

    Returns:
        0; 1 if the API does not show it to whom the token is.

    Raises:
        ConnectionError: If the API cannot be reached.
    """
    try:
        with client(url, token_file) as api:
            pages = _pages(api, tournament)
    except Refused as no:
        _err.print(f"{no}\n  next: is it a tournament of a league you belong to?", markup=False)
        return 1
    print_floor(pages)
    return 0


def _pages(api: httpx.Client, tournament: str) -> list[dict[str, Any]]:
    """Return every page of the floor."""
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while cursor is not None or not found:
        query = {} if cursor is None else {"cursor": cursor}
        found.append(answered(api.get(f"/v1/tournaments/{tournament}/floor", params=query)))
        cursor = found[-1]["next_cursor"]
    return found


def print_floor(pages: list[dict[str, Any]]) -> None:
    """Print a floor from the pages that the API answered."""
    floor = pages[0]["floor"]
    _out.print(f"{floor['name']}: {floor['state']}, {_field(floor)}", markup=False)
    if floor["level"] is not None:
        _out.print(f"level {floor['level']['number']}{_coming(floor['next_level'])}", markup=False)
    if len(floor["breaking_order"]) > 1:
        _out.print(f"tables break in this order: {_listed(floor['breaking_order'])}", markup=False)
    for page in pages:
        for table in page["floor"]["tables"]:
            _out.print(_table(table, page["names"]))


def _field(floor: dict[str, Any]) -> str:
    if floor["state"] not in ("running", "paused"):
        return f"{floor['entrants']} entrants"
    return (
        f"{floor['entrants_left']} of {floor['entrants']} left, "
        f"{floor['chips']} chips, {floor['average_stack']} on average"
    )


def _table(table: dict[str, Any], names: dict[str, str]) -> Table:
    doing = table["doing"].replace("_", " ") + (f": {table['why']}" if table["why"] else "")
    shown = Table(
        title=Text(
            f"table {table['number']}, hand {table['hand_number']}, {doing}{_blinds(table)}"
        ),
        title_justify="left",
    )
    for heading in ("seat", "player", "stack", "wager"):
        shown.add_column(heading, justify="left" if heading == "player" else "right")
    for seat in table["seats"]:
        mark = "*" if seat["seat"] == table["button"] else ""
        away = " (away)" if seat["away"] else ""
        called = names.get(seat["player"] or "", seat["entrant"])
        # Names are what people call themselves: never markup, and no control characters.
        name = Text("".join(each if each.isprintable() else "?" for each in f"{called}{away}"))
        shown.add_row(f"{mark}{seat['seat']}", name, str(seat["stack"]), str(seat["wager"]))
    return shown


def _blinds(table: dict[str, Any]) -> str:
    amounts = table["amounts"]
    return f", level {table['level']} ({amounts['small']}/{amounts['big']}/{amounts['ante']})"


def _coming(level: dict[str, Any] | None) -> str:
    if level is None:
        return ""
    amounts = f"{level['amounts']['small']}/{level['amounts']['big']}/{level['amounts']['ante']}"
    if level["due"] is not None:
        return f", the next ({amounts}) at {level['due']}"
    return f", the next ({amounts}) when {level['left_seconds']} s more have run"


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
