"""
Lists of players as CSV, read strictly. Every fault is reported with its line.

The columns are ``name``, and optionally ``email``, ``role`` and ``external_id``.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args

from engine.league.roles import Role
from service.people.csv_lists import Cells, Fault, read_cells
from service.people.entered_players import identity_of
from service.people.names import named

ROWS_MAX = 500
BYTES_MAX = 128 * 1024
COLUMNS = ("name", "email", "role", "external_id")

_NAME_MAX, _EMAIL_MAX, _EXTERNAL_MAX = 80, 254, 64
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_EXTERNAL = re.compile(r"[\x21-\x7e]+")
_ROLES: tuple[Role, ...] = tuple(each for each in get_args(Role) if each != "owner")


class Row(NamedTuple):
    """One player of a list."""

    line: int
    """The line on which the row begins. The header is line 1."""

    name: str
    role: Role
    identity: str


class Roster(NamedTuple):
    """A list as it was read: the usable rows, and the faults of the others."""

    rows: tuple[Row, ...]
    faults: tuple[Fault, ...]


def read_roster(content: bytes) -> Roster:
    """
    Read a list of players.

    Raises:
      BadRequest: ``invalid_unicode``, or ``invalid_csv`` if its rows cannot be separated.
    """
    rows: list[Row] = []
    faults: list[Fault] = []
    for cells in read_cells(content, COLUMNS, ("name",), ROWS_MAX):
        found = cells if isinstance(cells, Fault) else _row(cells)
        if isinstance(found, Row):
            rows.append(found)
        else:
            faults.append(found)
    return Roster(tuple(rows), (*faults, *_repeated(rows)))


def _row(cells: Cells) -> Row | Fault:
    line, given = cells
    fault = next(_faults(given), None)
    if fault is not None:
        return Fault(line, *fault)
    name = named(given["name"])
    identity = identity_of(name, given.get("email"), given.get("external_id"))
    # The reader of the file has checked that it names a role.
    role: Any = given.get("role", "player").casefold()
    return Row(line, name, role, identity)


def _faults(given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    name, email = given.get("name", ""), given.get("email")
    external, role = given.get("external_id"), given.get("role", "player")
    if not 0 < len(name) <= _NAME_MAX:
        yield "name", f"a name has 1 to {_NAME_MAX} characters"
    try:
        named(name)
    except ValueError as error:
        yield "name", str(error)
    if email is not None and (len(email) > _EMAIL_MAX or _EMAIL.fullmatch(email) is None):
        yield "email", "this is not an e-mail address"
    if role.casefold() not in _ROLES:
        yield "role", f"a role is one of {', '.join(_ROLES)}"
    if external is not None and (
        len(external) > _EXTERNAL_MAX or _EXTERNAL.fullmatch(external) is None
    ):
        yield "external_id", f"an external id is 1 to {_EXTERNAL_MAX} ASCII characters, no spaces"


def _repeated(rows: list[Row]) -> Iterator[Fault]:
    """Yield a fault for each repeated player. Namesakes need an external id or addresses."""
    lines: dict[str, int] = {}
    for row in rows:
        first = lines.setdefault(row.identity, row.line)
        if first != row.line:
            yield Fault(row.line, "repeated", f"the same player is on line {first}")
