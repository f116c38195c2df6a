"""
Figures and signs as strokes, so that every device shows the same card.

A figure is 28 units high. All of them are drawn with round ends and no fill.
"""

HEIGHT = 28
_GAP = 6.5

_FIGURES: dict[str, tuple[float, str]] = {
    "0": (18, "M9 0a9 9 0 0 1 9 9v10a9 9 0 0 1-18 0V9a9 9 0 0 1 9-9Z"),
    "1": (8, "M0 5.5 8 0v28"),
    "2": (17, "M.5 8.2a8.2 8.2 0 0 1 16.2-.4c.6 6.6-16.7 12.7-16.7 20.2H17.5"),
    "3": (17, "M1 0h15L8 11a8.6 8.6 0 1 1-8 11.8"),
    "4": (19, "M13.5 28V0L0 19.5h19"),
    "5": (17, "M15.5 0H3L1.5 12.6a8.7 8.7 0 1 1-1.2 10.2"),
    "6": (18, "M12.5 0 2 14.2M9 10.2a8.9 8.9 0 1 1 0 17.8a8.9 8.9 0 1 1 0-17.8Z"),
    "7": (17, "M0 0h17L6 28"),
    "8": (
        17,
        "M8.5 0a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13Z"  # noqa: ISC004 - one path
        "M8.5 13a7.5 7.5 0 1 1 0 15a7.5 7.5 0 1 1 0-15Z",
    ),
    "9": (18, "M5.5 28 16 13.8M9 0a8.9 8.9 0 1 1 0 17.8a8.9 8.9 0 1 1 0-17.8Z"),
    "+": (14, "M0 14h14M7 7v14"),
    "-": (14, "M0 14h14"),
}  # fmt: skip


def signed(value: int) -> str:
    """Return *value* as it is written on a card: with its sign, and 0 without one."""
    return f"{value:+d}" if value else "0"


def width(text: str) -> float:
    """Return the width of *text* in units."""
    return sum(_FIGURES[each][0] for each in text) + _GAP * (len(text) - 1)


def written(text: str, x: float, y: float, height: float) -> str:
    """
    Return *text* as one path.

    Args:
        text: Figures and signs.
        x: The left edge.
        y: The upper edge.
        height: The height of a figure. The stroke grows with it.
    """
    scale = height / HEIGHT
    at, parts = 0.0, []
    for each in text:
        wide, path = _FIGURES[each]
        parts.append(f'<path transform="translate({at:g})" d="{path}"/>')
        at += wide + _GAP
    return (
        f'<g transform="translate({x:g} {y:g}) scale({scale:.4g})" fill="none" '
        f'stroke-width="4.6" stroke-linecap="round" stroke-linejoin="round">{"".join(parts)}</g>'
    )


def centred(text: str, x: float, y: float, height: float) -> str:
    """Return *text* as one path, with its middle at *x* and its upper edge at *y*."""
    return written(text, x - width(text) * height / HEIGHT / 2, y, height)
