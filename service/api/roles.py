"""
Who may ask what: a table of every route by every role, from the routes' own declarations.

Run this module to write ``docs/roles.md``.  The check is ``service.api.access``'s.
"""

import re
import sys
from pathlib import Path
from typing import get_args

from engine.league.roles import LOST_WHEN_ENTERED, Role, may
from service.api.operations import Operation
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
  their own or opens an opponent's cards.
- **entered**: may as whoever is entered there, for that entry only.
- **own**: about what is one's own; no league is asked.  **open**: no token is needed.
"""


def document() -> str:
    """Return ``docs/roles.md``."""
    columns = ("route", "scope", *ROLES, "stranger", "no token")
    lines = [_HEAD, _row(columns), _row(("---",) * len(columns))]
    for handler in ROUTES:
        described: Operation = handler.opt["operation"]
        method = next(each for each in sorted(handler.http_methods) if each != "HEAD")
        lines += [_route(f"{method} {path}", described) for path in sorted(handler.paths)]
    return "\n".join(lines) + "\n"


def _route(route: str, described: Operation) -> str:
    about = _PARAMETER.sub(r"{\1}", route)
    cells = [_cell(described, role) for role in ROLES]
    return _row((f"`{about}`", described.scope or "", *cells, *_outside(described)))


def _cell(described: Operation, role: Role) -> str:
    capability = described.capability
    if capability is None:
        return _outside(described)[0]
    if not may(role, capability):
        return "-"
    if described.needs == "own_entry":
        return "entered"
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


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
    sys.stdout.write(f"{DOCUMENT.name}\n")
