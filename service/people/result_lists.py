"""
Lists of results of past tournaments as CSV. Every fault is reported with its line.

Each row is one player's result in one tournament. The columns are ``tournament``, ``place`` and
``points``, and optionally ``date``. The player is named by ``player`` (``plr_…``), or as in a list
of players by ``name``, ``email`` and ``external_id``. Tournaments count in the order in which they
first appear.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from service.people.csv_lists import Cells, Fault, read_cells
from service.people.entered_players import identity_of
from service.people.names import NO_INSTANT, named

ROWS_MAX = 2000
BYTES_MAX = 256 * 1024
COLUMNS = ("tournament", "date", "player", "name", "email", "external_id", "place", "points")
SCALE_MAX = 6
"""Most fraction digits of points."""

_TITLE_MAX = 120
_TITLE = re.compile(NO_INSTANT)
_PLAYER = re.compile(r"plr_[0-9a-f]{32}")
_PLACE = re.compile(r"[1-9][0-9]{0,5}")
_POINTS = re.compile(r"-?(0|[1-9][0-9]{0,12})(\.[0-9]{1,6})?")


class ResultRow(NamedTuple):
    """One player's result in one tournament."""

    line: int
    tournament: str
    played_on: str | None
    player: str | None
    """The player's identifier, or None if the row has a name instead."""

    name: str | None
    identity: str | None
    """The identity by which the league may know the player, or None without a name."""

    exact: bool
    """True if an e-mail address or an external id distinguishes the player from namesakes."""

    place: int
    points: str


class Results(NamedTuple):
    """A list as it was read: the usable rows, and the faults of the others."""

    rows: tuple[ResultRow, ...]
    faults: tuple[Fault, ...]

    @property
    def scale(self) -> int:
        """The largest number of fraction digits of the points."""
        return max((len(each.points.partition(".")[2]) for each in self.rows), default=0)


def read_results(content: bytes) -> Results:
    """
    Read a list of results.

    Raises:
      BadRequest: ``invalid_unicode``, or ``invalid_csv`` if its rows cannot be separated.
    """
    rows: list[ResultRow] = []
    faults: list[Fault] = []
    for cells in read_cells(content, COLUMNS, ("tournament", "place", "points"), ROWS_MAX):
        found = cells if isinstance(cells, Fault) else _row(cells)
        if isinstance(found, ResultRow):
            rows.append(found)
        else:
            faults.append(found)
    return Results(tuple(rows), (*faults, *_dated_twice(rows)))


def _row(cells: Cells) -> ResultRow | Fault:
    line, given = cells
    fault = next(_faults(given), None)
    if fault is not None:
        return Fault(line, *fault)
    name, email, external = (given.get(each) for each in ("name", "email", "external_id"))
    return ResultRow(
        line=line,
        tournament=named(given["tournament"]),
        played_on=given.get("date"),
        player=given.get("player"),
        name=None if name is None else named(name),
        identity=None if name is None else identity_of(name, email, external),
        exact=email is not None or external is not None,
        place=int(given["place"]),
        points=f"{Decimal(given['points']).normalize():f}",
    )


def _faults(given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    title = given.get("tournament", "")
    if not 0 < len(title) <= _TITLE_MAX:
        yield "tournament", f"a tournament's name has 1 to {_TITLE_MAX} characters"
    if _TITLE.match(title) is None:
        yield "tournament", "a tournament's name must not be an instant"
    for cell in (title, given.get("name", "a")):
        try:
            named(cell)
        except ValueError as error:
            yield "characters", str(error)
    if "date" in given and not _is_date(given["date"]):
        yield "date", "a date looks like 2024-03-31"
    if "player" not in given and "name" not in given:
        yield "player", "the row needs a player: the identifier in `player`, or a name in `name`"
    if "player" in given and _PLAYER.fullmatch(given["player"]) is None:
        yield "player", "a player's identifier is plr_ and 32 hexadecimal digits"
    if _PLACE.fullmatch(given.get("place", "")) is None:
        yield "place", "a place is a whole number from 1"
    if _POINTS.fullmatch(given.get("points", "")) is None:
        yield "points", f"points are a decimal number with at most {SCALE_MAX} fraction digits"


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _dated_twice(rows: list[ResultRow]) -> Iterator[Fault]:
    """Yield a fault for each row whose tournament had another date before."""
    first: dict[str, ResultRow] = {}
    for row in rows:
        before = first.setdefault(row.tournament, row)
        if before.played_on != row.played_on:
            detail = f"the tournament has another date on line {before.line}"
            yield Fault(row.line, "date", detail)
