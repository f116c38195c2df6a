"""
Lists that organisers send as CSV, separated into rows.

The header names the columns, in any order. Columns are separated by commas or, as in some
spreadsheets, by semicolons. The text is UTF-8, with or without a byte order mark.
"""

import csv
import io
import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from service.base.errors import BadRequest

_DETAIL_MAX = 500
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Fault(NamedTuple):
    """A fault in a row."""

    line: int
    code: str
    detail: str


class Cells(NamedTuple):
    """The filled cells of one row, by column."""

    line: int
    """The line on which the row begins. The header is line 1."""

    given: dict[str, str]


def read_cells(
    content: bytes, known: Sequence[str], needed: Collection[str], rows_max: int
) -> Iterator[Cells | Fault]:
    """
    Yield the rows of a list that are not empty, or their faults.

    Raises:
      BadRequest: ``invalid_unicode``, or ``invalid_csv`` if the rows cannot be separated, the
        header is wrong or there are too many rows.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRequest("invalid_unicode", "the body is not UTF-8") from error
    lines = _lines(text)
    first = next(lines, None)
    if first is None:
        raise BadRequest("invalid_csv", "the list is empty; it needs a header and rows")
    columns = _columns(first[1], known, needed)
    for count, (line, cells) in enumerate(lines, start=1):
        if count > rows_max:
            raise BadRequest(
                "invalid_csv", f"a list has {rows_max} rows at most", rows_max=rows_max
            )
        if len(cells) != len(columns):
            detail = f"the row has {len(cells)} cells, the header {len(columns)}"
            yield Fault(line, "cells", detail)
            continue
        pairs = zip(columns, cells, strict=True)
        given = {column: cell.strip() for column, cell in pairs if cell.strip()}
        if any(_CONTROL.search(each) for each in given.values()):
            yield Fault(
                line, "characters", "a cell holds a line break or another control character"
            )
            continue
        yield Cells(line, given)


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, each with its first line."""
    header = text.partition("\n")[0]
    delimiter = ";" if ";" in header and "," not in header else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise BadRequest("invalid_csv", f"line {line}: {error}", line=line) from error
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            yield line, cells


def _columns(cells: list[str], known: Sequence[str], needed: Collection[str]) -> tuple[str, ...]:
    columns = tuple(cell.strip().casefold() for cell in cells)
    unknown = [each for each in columns if each not in known]
    if unknown:
        listed = ", ".join(known)
        detail = f"the header has unknown columns: {', '.join(unknown)}; known are {listed}"
        raise BadRequest("invalid_csv", detail[:_DETAIL_MAX], unknown=unknown)
    twice = sorted({each for each in columns if columns.count(each) > 1})
    if twice:
        raise BadRequest("invalid_csv", f"the header repeats columns: {', '.join(twice)}")
    for each in needed:
        if each not in columns:
            raise BadRequest("invalid_csv", f"the header has no column `{each}`")
    return columns
