"""
Tables as CSV (RFC 4180): UTF-8, CRLF, a header, quotes only where they are needed.

Numbers are written with a point and without grouping. Money is in minor units, with its
currency beside it. Instants are RFC 3339 in UTC. Booleans are ``true`` and ``false``, and
null is an empty cell. A text that a spreadsheet would run as a formula gets a leading
apostrophe. Numbers never do.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal

Cell = str | int | Decimal | datetime | None

MEDIA_TYPE = "text/csv; header=present"

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\N{FULLWIDTH EQUALS SIGN}",
            "\N{FULLWIDTH PLUS SIGN}", "\N{FULLWIDTH HYPHEN-MINUS}",
            "\N{FULLWIDTH COMMERCIAL AT}")  # fmt: skip
"""Beginnings, after any blanks, that some spreadsheet takes for a formula."""


def lines(rows: Iterable[Sequence[Cell]]) -> bytes:
    """
    Return *rows* as lines of CSV.

    >>> lines([("Calrissian, Lando", Decimal("12.50")), ("=1+1", -3)]).splitlines()
    [b'"Calrissian, Lando",12.50', b"'=1+1,-3"]
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    for row in rows:
        writer.writerow([_cell(cell) for cell in row])
    return written.getvalue().encode()


def _cell(cell: Cell) -> str:
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case int():
            return str(cell)
        case Decimal():
            return f"{cell:f}"
        case datetime():
            return cell.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case str():
            return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA) else cell
