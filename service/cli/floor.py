"""``holotable floor``: a tournament's floor in a terminal, read over the public API."""

import sys
from pathlib import Path

import httpx
import rich_click as click
from rich.table import Table
from rich.text import Text

from service.base.client import Refused, answered, client
from service.base.documents import Document
from service.cli.common import FILE, NO, err, out


@click.command()
@click.argument("tournament")
@click.option("--url", default="http://127.0.0.1:8000", show_default=True, help="URL of the API.")
@click.option(
    "--token", required=True, type=FILE, help="File with a token that may read the league."
)
def floor(tournament: str, url: str, token: Path) -> None:
    """Show the floor of TOURNAMENT: tables, seats, stacks, states and the next level."""
    try:
        with client(url, token) as api:
            pages = _pages(api, tournament)
    except Refused as no:
        err.print(f"{no}\n  next: check that the tournament is in a league of yours", markup=False)
        sys.exit(NO)
    print_floor(pages)


def _pages(api: httpx.Client, tournament: str) -> list[Document]:
    """Return every page of the floor."""
    found: list[Document] = []
    cursor: str | None = None
    while cursor is not None or not found:
        query = {} if cursor is None else {"cursor": cursor}
        found.append(answered(api.get(f"/v1/tournaments/{tournament}/floor", params=query)))
        cursor = found[-1]["next_cursor"]
    return found


def print_floor(pages: list[Document]) -> None:
    """Print a floor from the pages that the API answered."""
    floor = pages[0]["floor"]
    out.print(f"{floor['name']}: {floor['state']}, {_field(floor)}", markup=False)
    if floor["level"] is not None:
        out.print(f"level {floor['level']['number']}{_coming(floor['next_level'])}", markup=False)
    if len(floor["breaking_order"]) > 1:
        out.print(f"tables break in this order: {_listed(floor['breaking_order'])}", markup=False)
    for page in pages:
        for table in page["floor"]["tables"]:
            out.print(_table(table, page["names"]))


def _field(floor: Document) -> str:
    if floor["state"] not in ("running", "paused"):
        return f"{floor['entrants']} entrants"
    return (
        f"{floor['entrants_left']} of {floor['entrants']} left, "
        f"{floor['chips']} chips, {floor['average_stack']} on average"
    )


def _table(table: Document, names: dict[str, str]) -> Table:
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
        # People choose their names, so a name is never markup and shows no control characters.
        name = Text("".join(each if each.isprintable() else "?" for each in f"{called}{away}"))
        shown.add_row(f"{mark}{seat['seat']}", name, str(seat["stack"]), str(seat["wager"]))
    return shown


def _blinds(table: Document) -> str:
    amounts = table["amounts"]
    return f", level {table['level']} ({amounts['small']}/{amounts['big']}/{amounts['ante']})"


def _coming(level: Document | None) -> str:
    if level is None:
        return ""
    amounts = f"{level['amounts']['small']}/{level['amounts']['big']}/{level['amounts']['ante']}"
    if level["due"] is not None:
        return f", the next ({amounts}) at {level['due']}"
    return f", the next ({amounts}) when {level['left_seconds']} s more have run"


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
