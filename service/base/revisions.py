"""
The migrations that this code knows, read from their files.

Only a migration needs Alembic. Every process asks which schema it runs on, and would otherwise
load Alembic and each migration at its start.
"""

import re
from functools import cache
from pathlib import Path

from service.base import shipped

FOLDER = shipped.MIGRATIONS

_LINE = re.compile(r"^(down_)?revision = (?:['\"](\w+)['\"]|None)$", re.MULTILINE)


def known() -> tuple[str, ...]:
    """Return the revisions of all migrations, from the first to the head."""
    return _in(FOLDER)


@cache
def _in(folder: Path) -> tuple[str, ...]:
    after = dict(_link(file) for file in (folder / "versions").glob("*.py"))
    found: list[str] = []
    while after:
        found.append(after.pop(found[-1] if found else ""))
    return tuple(found)


def _link(file: Path) -> tuple[str, str]:
    """Return the revision that a migration follows, or "" for the first, and its own."""
    lines = dict(_LINE.findall(file.read_text(encoding="utf-8")))
    return lines["down_"], lines[""]
