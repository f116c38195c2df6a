"""
A table of every route by every role, from the declarations of the routes.

Run this module to write ``docs/roles.md``.  ``service.api.http.access`` makes the checks.
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

Made by `python -m service.api.roles` from the declaration of each route; do not edit.

A token needs the scope, and the role in the object's league must allow the rest. A stranger is no
member of that league and gets 404, as if the object did not exist. A member whose role does not
suffice gets 403.

- **yes**: the role may. **-**: it may not.
- **not entered**: the role may, unless the person is entered in the tournament. So nobody rules on
  a pot of their own or opens an opponent's cards. Waiting on the waitlist or for approval counts as
  entered. Nobody with such an office can enter once play has begun.
- **by terms**: the role may. A person entered in the tournament may only if its terms say
  `staff_may_play`, and then keeps the clock and the seating, and nothing else.
- **entered**: only the player of the entry may, for that entry.
- **own**: it concerns the caller's own things, in no league. **open**: no token is needed.
"""

_PEOPLE = """
## Who may act on people

Directors have `manage_players` too. It acts on people without an office. Only owners decide on
offices: `manage_members` is needed to give an office, to take one, or to give out a code for one. A
route that changes the members of a league, or their roles, declares its needs:

- **no office**: what the caller needs if the person is no member, or only a player.
- **an office**: what the caller needs if the person holds an office or will get one.
- **own**: it concerns the caller.

A code is worth what its giver may still do. If the player of a claim code now holds an office, the
code holds only if an owner gave it out who still is an owner. The same is true of each code for a
new password. When an owner stops being one, all invitations to offices end. Nobody becomes an owner
by a code. Somebody who was removed may come back as a player with a code that still holds; a ban
keeps them out. Anybody with an owner's token and `leagues:manage` can give offices, so they can
reach everything.
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
    """Yield the name of every route in the tables, with its declaration."""
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
    """Return the cells of a stranger, and of a caller without a token."""
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
