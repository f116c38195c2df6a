"""
Who may ask what: a table of every route by every role, from the routes' own declarations.

Run this module to write ``docs/roles.md``.  The check is ``service.api.http.access``'s.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from engine.league.roles import CLOCK_AND_SEATING, LOST_WHEN_ENTERED, Role, may
from service.api.http.declaration import OnPeople, Operation
from service.api.routes import ROUTES

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "roles.md"
ROLES: tuple[Role, ...] = get_args(Role)

_PARAMETER = re.compile(r"\{(\w+):\w+\}")
_HEAD = """\
# Who may do what

Made by `python -m service.api.roles` from what each route declares; do not edit.

A token must allow the scope, and the role in the league of the object must permit the rest.
To a stranger, who is no member of that league, the object is not there (404); a member whose
role does not suffice is told so (403).

- **yes**: may; **-**: may not.
- **not entered**: may, unless entered in the tournament it is about: nobody rules on a pot of
  their own or opens an opponent's cards.  Whoever waits in line or for approval counts as
  entered.  Nobody enters with such an office once play has begun.
- **by terms**: may; somebody entered in the tournament only if its terms say
  `staff_may_play`. That is the clock and the seating, and nothing else.
- **entered**: may as whoever is entered there, for that entry only.
- **own**: about what is one's own; no league is asked.  **open**: no token is needed.
"""

_PEOPLE = """
## Who may act on people

`manage_players`, which directors have too, acts on people without an office. Offices are the
owners' business, by name: only who has `manage_members` gives one, takes one, or gives out a code
that leads to one. A route that changes who belongs to a league, and as what, declares so:

- **no office**: what the caller needs if the person is no member, or plays only.
- **an office**: what the caller needs if the person holds an office or is to get one.
- **own**: it is about the caller.

A code is worth what its giver may still do. A claim code for somebody who holds an office by now
is good only if an owner gave it out who is an owner still. The same holds for each code for a new
password. When an owner stops being one, all invitations to offices end. Nobody becomes an owner by
a code. Who was removed may come back as a player by a code that is still good: a ban keeps somebody
out. Whoever holds an owner's token with `leagues:manage` can give offices, and so can come to
everything.
"""


def document() -> str:
    """Return ``docs/roles.md``."""
    columns = ("route", "scope", *ROLES, "stranger", "no token")
    lines = [_HEAD, *_begin(columns)]
    lines += [_route(route, described) for route, described in _declared()]
    lines += [_PEOPLE, *_begin(("route", "what it does", "no office", "an office"))]
    lines += [
        _on_people(route, described, described.on_people)
        for route, described in _declared()
        if described.on_people is not None
    ]
    return "\n".join(lines) + "\n"


def _declared() -> Iterator[tuple[str, Operation]]:
    """Yield every route as the tables name it, with its declaration."""
    for handler in ROUTES:
        method = next(each for each in sorted(handler.http_methods) if each != "HEAD")
        for path in sorted(handler.paths):
            yield _PARAMETER.sub(r"{\1}", f"`{method} {path}`"), handler.opt["operation"]


def _route(route: str, described: Operation) -> str:
    cells = [_cell(described, role) for role in ROLES]
    return _row((route, described.scope or "", *cells, *_outside(described)))


def _on_people(route: str, described: Operation, declared: OnPeople) -> str:
    if declared.offices == "caller":
        return _row((route, declared.deed, "own", "own"))
    offices = "-" if declared.offices == "nobody" else f"`{declared.offices}`"
    return _row((route, declared.deed, f"`{described.needs}`", offices))


def _cell(described: Operation, role: Role) -> str:
    capability = described.capability
    if capability is None:
        return _outside(described)[0]
    if not may(role, capability):
        return "-"
    if described.needs == "own_entry":
        return "entered"
    if capability in CLOCK_AND_SEATING:
        return "by terms"
    return "not entered" if capability in LOST_WHEN_ENTERED else "yes"


def _outside(described: Operation) -> tuple[str, str]:
    """Return what a stranger may, and who shows no token."""
    match described.needs:
        case "anyone":
            return "open", "open"
        case "account":
            return "own", "-"
        case _:
            return "-", "-"


def _begin(columns: tuple[str, ...]) -> tuple[str, str]:
    return _row(columns), _row(("---",) * len(columns))


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
    sys.stdout.write(f"{DOCUMENT.name}\n")
