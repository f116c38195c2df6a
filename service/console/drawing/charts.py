"""
Charts as SVG: a bump chart for standings, a curve for a rating, columns for counts.

Only attributes and classes are written; ``static/css/data.css`` gives colours and widths. Every
chart stands beside a table with the same figures, so a chart is hidden from screen readers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import ceil, floor

from markupsafe import Markup

WIDTH = 480
HEIGHT = 300
TOP, RIGHT, BOTTOM, LEFT = 16, 150, 36, 56
CURVE_RIGHT = 64
"""The room beside a curve, for its last value."""

NAME_HEIGHT = 17
"""The least distance of two names, in units of the drawing."""

PLACE_HEIGHT = 20
"""The least distance of two places in a bump chart."""

CURVE_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
"""The distances of the rules behind a curve."""

FEW = 12
"""The largest count that is drawn as single bars."""

NAME_LENGTH = 18
"""The characters of a name that fit beside a chart. The table has the whole name."""


@dataclass(frozen=True, slots=True)
class ChartSeries:
    """One line of a chart: a value for each stop, or None where there is none."""

    name: str
    values: Sequence[int | None]
    lit: bool = False
    """Whether the line is the one that the reader looks for."""


@dataclass(frozen=True, slots=True)
class _Frame:
    stops: int
    low: float
    high: float
    left: int = LEFT
    right: int = RIGHT
    height: int = HEIGHT

    def x(self, stop: int) -> float:
        return self.left + (WIDTH - self.left - self.right) * stop / max(1, self.stops - 1)

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low or 1)
        return self.height - BOTTOM - (self.height - TOP - BOTTOM) * share


def bump(courses: Sequence[ChartSeries], labels: Sequence[str]) -> Markup:
    """Return the places of *courses* over the evenings, with the first place at the top."""
    last = max((value for course in courses for value in course.values if value), default=1)
    height = max(HEIGHT, TOP + BOTTOM + PLACE_HEIGHT * (last - 1))
    frame = _Frame(len(labels), last, 1, left=36, height=height)
    places = "".join(
        f'<text class="axis" x="20" y="{frame.y(place):.1f}" dy=".36em" text-anchor="end">'
        f"{place}</text>"
        for place in range(1, last + 1)
    )
    drawn = places + _labels(labels, frame) + _courses(courses, frame, stops=True)
    return _drawing(drawn, height)


def curve(
    values: Sequence[float], labels: Sequence[str], mark: Callable[[float], str], last: str
) -> Markup:
    """
    Return one line of *values*, such as a rating, which may lie below zero.

    Args:
        mark: Writes a number beside the axis.
        last: The last value, as it is written beside the line.
    """
    low, high = min(values), max(values)
    step = next(each for each in CURVE_STEPS if each * 5 >= high - low)
    ticks = [step * each for each in range(floor(low / step), ceil(high / step) + 1)]
    top = ticks[-1] if len(ticks) > 1 else ticks[0] + step
    frame = _Frame(len(values), ticks[0], top, right=CURVE_RIGHT)
    rules = "".join(
        f'<line class="rule" x1="{LEFT}" x2="{WIDTH - CURVE_RIGHT}" y1="{frame.y(tick):.1f}" '
        f'y2="{frame.y(tick):.1f}"/>'
        f'<text class="axis" x="{LEFT - 10}" y="{frame.y(tick):.1f}" dy=".36em" text-anchor="end">'
        f"{escape(mark(tick))}</text>"
        for tick in ticks
    )
    points = [(frame.x(stop), frame.y(value)) for stop, value in enumerate(values)]
    x, y = points[-1]
    line = (
        f'<g class="lit"><path class="course" d="{_straight(points)}"/>'
        f'<circle class="stop" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
        f'<text class="name" x="{x + 14:.1f}" y="{y:.1f}" dy=".36em">{escape(last)}</text></g>'
    )
    return _drawing(rules + _labels(labels, frame) + line)


def columns(values: Sequence[int], labels: Sequence[str], lit: range = range(0)) -> Markup:
    """
    Return one upright bar for each value, such as simulated ends. *lit* are the likely ones.

    A few bars have their counts above them and a label each. Of many, every seventh part has one.
    """
    few = len(values) <= FEW
    frame = _Frame(len(values), 0, max(values, default=0) or 1, left=0)
    wide = (WIDTH - 1) / max(1, len(values))
    bar = wide * 0.55 if few else wide - 2
    every = 1 if few else -(-len(labels) // 7)
    foot = HEIGHT - BOTTOM
    drawn = [f'<line class="rule" x1="0" x2="{WIDTH}" y1="{foot}" y2="{foot}"/>']
    for index, (value, label) in enumerate(zip(values, labels, strict=True)):
        top, middle = frame.y(value), (index + 0.5) * wide
        drawn.append(
            f'<g{_class("lit" if index in lit else "")}><rect class="bar-mark" '
            f'x="{index * wide + (wide - bar) / 2:.1f}" y="{top:.1f}" width="{bar:.1f}" '
            f'height="{foot - top:.1f}" rx="2"/></g>'
        )
        if few and value:
            drawn.append(_centred(middle, top - 6, str(value), "name"))
        if index % every == 0:
            drawn.append(_centred(middle, HEIGHT - 6, label, "axis"))
    return _drawing("".join(drawn))


def _centred(x: float, y: float, text: str, name: str) -> str:
    """Return *text* with its middle at *x*."""
    return (
        f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{escape(text)}</text>'
    )


def _courses(courses: Sequence[ChartSeries], frame: _Frame, *, stops: bool) -> str:
    ordered = sorted(courses, key=lambda course: course.lit)
    heights = _name_heights(courses, frame)
    return "".join(_course(course, frame, heights[course.name], stops=stops) for course in ordered)


def _course(course: ChartSeries, frame: _Frame, name_y: float, *, stops: bool) -> str:
    points = [
        (frame.x(stop), frame.y(value))
        for stop, value in enumerate(course.values)
        if value is not None
    ]
    if not points:
        return ""
    path = _smooth(points) if stops else _straight(points)
    marks = points if stops else points[-1:]
    circles = "".join(f'<circle class="stop" cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x, y in marks)
    return (
        f'<g{_class("lit" if course.lit else "")}><path class="course" d="{path}"/>{circles}'
        f'<text class="name" x="{points[-1][0] + 14:.1f}" y="{name_y:.1f}" dy=".36em">'
        f"{_short(course.name)}</text></g>"
    )


def _name_heights(courses: Sequence[ChartSeries], frame: _Frame) -> dict[str, float]:
    """Return the height of each name, so that names at the line ends do not overlap."""
    wanted = sorted(
        (frame.y(next(v for v in reversed(course.values) if v is not None)), course.name)
        for course in courses
        if any(value is not None for value in course.values)
    )
    heights: dict[str, float] = {}
    lowest = float("-inf")
    for height, name in wanted:
        lowest = max(height, lowest + NAME_HEIGHT)
        heights[name] = lowest
    above = lowest - (frame.height - BOTTOM)
    if above > 0:
        following = float("inf")
        for _, name in reversed(wanted):
            following = min(heights[name], following - NAME_HEIGHT, frame.height - BOTTOM)
            heights[name] = following
    return {course.name: heights.get(course.name, 0) for course in courses}


def _straight(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _smooth(points: Sequence[tuple[float, float]]) -> str:
    """Return a path that leaves and reaches each point level, as lines of a bump chart do."""
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x1, y1), (x2, y2) in pairwise(points):
        middle = (x1 + x2) / 2
        path += f"C{middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
    return path


def _labels(labels: Sequence[str], frame: _Frame) -> str:
    every = max(1, -(-len(labels) // 7))
    return "".join(
        f'<text class="axis" x="{frame.x(stop):.1f}" y="{frame.height - 4}" text-anchor="middle">'
        f"{escape(label)}</text>"
        for stop, label in enumerate(labels)
        if stop % every == 0
    )


def _short(name: str) -> str:
    return escape(name if len(name) <= NAME_LENGTH else name[: NAME_LENGTH - 1].rstrip() + "…")


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


def _drawing(content: str, height: int = HEIGHT) -> Markup:
    return Markup(  # noqa: S704  names are escaped above
        f'<svg viewBox="0 0 {WIDTH} {height}" aria-hidden="true">{content}</svg>'
    )
