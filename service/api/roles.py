"""
The table of roles and routes, made from the declarations of the routes.

Run this module to write ``docs/roles.md``. ``service.api.http.access.rights`` makes the checks.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from engine.league.roles import CLOCK_AND_SEATING, LOST_WHEN_ENTERED, Role, may
from service.api.http.declaring.declaration import OnPeople, Operation
from service.api.routes import ROUTES

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "roles.md"
ROLES: tuple[Role, ...] = get_args(Role)

_PARAMETER = re.compile(r"\{(\w+):\w+\}")
_HEAD = """\
# Who may do what

Made by `python -m service.api.roles` from the declaration of each route; do not edit.

A token needs the scope, and the caller's role in the object's league must allow the action. A
stranger is not a member of that league and gets 404, as if the object did not exist. A member with
an insufficient role gets 403.

- **yes**: the role may. **-**: it may not.
- **not entered**: the role may, unless the member is entered in the tournament. So nobody rules on
  their own pot or opens an opponent's cards. A member who is on the waitlist or waits for approval
  counts as entered. Nobody with such an office can enter once play has begun.
- **by terms**: the role may. A person entered in the tournament may do it only if its terms say
  `staff_may_play`. Such a person may run the clock and the seating, and enter house bots
  until play begins, but nothing else.
- **entered**: only the player of the entry may, for that entry.
- **own**: the route concerns only the caller's own account or player.
- **open**: the route needs no token.
"""

_PEOPLE = """
## Who may act on people

Owners and directors have `manage_players`, which covers people without an office. Only owners have
`manage_members`. It is needed to give an office, to take one away, or to issue a code for one. A
route that changes the members of a league, or their roles, declares which capability it needs:

- **no office**: the capability the caller needs if the person is not a member, or only a player.
- **an office**: the capability the caller needs if the person holds an office or will get one.
- **own**: the route concerns the caller.

A code can do no more than its issuer may still do. If the player of a claim code now holds an
office, the code is valid only if its issuer was an owner and still is one. The same is true of each
code for a new password. When an owner loses that role, all invitations to offices end. Nobody
becomes an owner through a code. A removed member may come back as a player with a code that is
still valid, unless they are banned. An owner's token with `leagues:manage` can give offices, so its
holder can get every right.
"""


def document() -> str:
    """Return the text of ``docs/roles.md``."""
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
    """Yield each route's name for the tables, with its declaration."""
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
    """Return the two cells for a stranger and for a caller without a token."""
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
