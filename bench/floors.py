"""
The floors: ratios to a peer in the same run, because absolute figures differ between machines.

A bench returns a :class:`Figure` for each of its floors. ``python -m bench`` prints all of them as
one table.
"""

import statistics
from collections.abc import Sequence
from typing import NamedTuple

import msgspec


class Floor(NamedTuple):
    """The least ratio, and the ratio to aim at."""

    least: float
    aim: float


FLOORS = {
    "engine: check or call": Floor(20, 30),
    "engine: folds and raises": Floor(10, 20),
    "action: bare INSERT": Floor(0.75, 1),
    "action: bare INSERT, slow commits": Floor(0.75, 1),
    "action: written service": Floor(2, 3),
    "action: written service, slow commits": Floor(2, 3),
    "two processes": Floor(1, 1.8),
    "append": Floor(10, 20),
    "replay": Floor(2.5, 3),
    "rebuild": Floor(5, 8),
    "audit: seasons": Floor(8, 12),
    "audit: six seats to the showdown": Floor(8, 12),
}
"""
By name, with the peer after the colon where there are two.

The engine is measured with its commitments, an action over HTTP in one process, two processes on
one league with the players of each table spread over both, an append from 64 streams at once, a
replay with its hashes verified, and a rebuild of all projections.
"""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table: medians of several rounds."""

    name: str
    unit: str
    ours: float
    peer: float
    against: str
    """The peer, and its work."""

    ratio: float
    """The median of the rounds' ratios."""

    least: float
    aim: float
    met: bool


def figure(
    name: str, unit: str, ours: Sequence[float], peer: Sequence[float], against: str
) -> Figure:
    """Return the row for the rates of both sides in the same rounds."""
    floor = FLOORS[name]
    ratio = statistics.median(mine / its for mine, its in zip(ours, peer, strict=True))
    return Figure(
        name=name,
        unit=unit,
        ours=statistics.median(ours),
        peer=statistics.median(peer),
        against=against,
        ratio=ratio,
        least=floor.least,
        aim=floor.aim,
        met=ratio >= floor.least,
    )


def table(figures: Sequence[Figure]) -> str:
    """Return the table as text."""
    head = ("what", "ours", "peer", "unit", "ratio", "floor", "aim", "met", "peer is")
    rows = [head, *map(_row, figures)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if 1 <= number <= 6 and number != 3 else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _row(each: Figure) -> tuple[str, ...]:
    met = "no" if not each.met else "aim" if each.ratio >= each.aim else "yes"
    return (
        each.name, f"{each.ours:,.0f}", f"{each.peer:,.0f}", each.unit, f"{each.ratio:.2f}",
        f"{each.least:g}", f"{each.aim:g}", met, each.against,
    )  # fmt: skip
