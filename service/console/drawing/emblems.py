"""The shapes on cards: the suits, the crowns of the courts and the eight faces."""

from math import cos, pi, sin

Point = tuple[float, float]


def shape(suit: str, x: float, y: float, size: float) -> str:
    """Return the shape of *suit* with its middle at *x*, *y*. It takes the colour around it."""
    half = size / 2
    match suit:
        case "circle":
            return f'<circle cx="{x:.4g}" cy="{y:.4g}" r="{half * 0.96:.3g}"/>'
        case "triangle":
            return _polygon(x, y, size, ((0, -0.54), (0.56, 0.43), (-0.56, 0.43)))
        case "square":
            return _polygon(
                x, y, size, ((-0.44, -0.44), (0.44, -0.44), (0.44, 0.44), (-0.44, 0.44))
            )
        case "sabers":
            return _saber(x, y, size)
        case "flasks":
            return _flask(x, y, size)
        case "coins":
            return _coin(x, y, half * 0.96)
        case _:
            return _stave(x, y, size)


def _polygon(x: float, y: float, size: float, corners: tuple[Point, ...]) -> str:
    points = " ".join(f"{x + size * right:.4g},{y + size * down:.4g}" for right, down in corners)
    return f'<polygon points="{points}"/>'


def _saber(x: float, y: float, size: float) -> str:
    """Draw a leaning blade with a guard, at least as broad as a line that can be seen."""
    blade = max(0.04, 1.1 / size)
    guard, hilt = blade * 2.4 + 0.02, blade * 0.8
    corners = (
        (0, -0.5), (blade, -0.42), (blade, 0.2), (guard, 0.2), (guard, 0.26), (hilt, 0.26),
        (hilt, 0.5), (-hilt, 0.5), (-hilt, 0.26), (-guard, 0.26), (-guard, 0.2), (-blade, 0.2),
        (-blade, -0.42),
    )  # fmt: skip
    lean = 0.32
    return _polygon(
        x, y, size, tuple((right - lean * down, down * 0.94) for right, down in corners)
    )


def _flask(x: float, y: float, size: float) -> str:
    corners = (
        (-0.18, -0.5), (0.18, -0.5), (0.18, -0.41), (0.11, -0.41), (0.11, -0.12), (0.43, 0.36),
        (0.36, 0.47), (-0.36, 0.47), (-0.43, 0.36), (-0.11, -0.12), (-0.11, -0.41), (-0.18, -0.41),
    )  # fmt: skip
    return _polygon(x, y, size, corners)


def _coin(x: float, y: float, radius: float) -> str:
    """Draw a disc with a square hole."""
    hole = radius * 0.36
    return (
        f'<path fill-rule="evenodd" d="M{x - radius:.4g} {y:.4g}'
        f"a{radius:.3g} {radius:.3g} 0 1 1 {2 * radius:.3g} 0"
        f"a{radius:.3g} {radius:.3g} 0 1 1 {-2 * radius:.3g} 0Z"
        f'M{x - hole:.4g} {y - hole:.4g}h{2 * hole:.3g}v{2 * hole:.3g}h{-2 * hole:.3g}Z"/>'
    )


def _stave(x: float, y: float, size: float) -> str:
    """Draw an upright rod with a knob at each end."""
    knob = max(size * 0.045, 2.1)
    top, end = y - size / 2 + knob, y + size / 2 - knob
    return (
        f'<path d="M{x:.4g} {top:.4g}V{end:.4g}"/>'
        f'<circle cx="{x:.4g}" cy="{top:.4g}" r="{knob:.3g}"/>'
        f'<circle cx="{x:.4g}" cy="{end:.4g}" r="{knob:.3g}"/>'
    )


def _star(points: int, outer: float, inner: float, turned: float = 0) -> str:
    corners = []
    for each in range(2 * points):
        angle, reach = pi * each / points - pi / 2 + turned, inner if each % 2 else outer
        corners.append(f"{reach * cos(angle):.3g} {reach * sin(angle):.3g}")
    return "M" + "L".join(corners) + "Z"


CROWNS: dict[int, str] = {
    12: '<path d="m-13 5 13-8 13 8M-13-4l13-8 13 8"/>',
    13: '<path d="M-14 2a15 15 0 0 0 28 0 17 17 0 0 1-28 0Z"/><circle cy="-9" r="3.4"/>',
    14: '<path d="M-15 6v-17l8.5 7.500L0-13l6.5 9.500L15-11V6Z"/>',
    15: '<path d="M-24 14A25 25 0 0 1 24 14M-13-1l-4-6M0-5v-8M13-1l4-6M-23 6l-6-3M23 6l6-3"/>',
}
"""The crown over the suit of a Commander, Mistress, Master and Ace, centred on 0, 0."""

FACES: dict[str, str] = {
    "17": f'<path d="{_star(4, 36, 8)}"/><path d="{_star(4, 20, 7, pi / 4)}"/>',
    "15": '<path d="M-30-32Q-34 22 0 34Q34 22 30-32Q22-6 0-6Q-22-6-30-32Z"/>'
    '<path d="M-14 10Q0-4 14 10Q0 22-14 10Z"/><circle cy="10" r="2.5"/>',
    "14": '<path d="M-24-34h48M-24 34h48M-19-34C-19-8 19 8 19 34M19-34C19-8-19 8-19 34"/>'
    '<path d="M-10-16H10M-13 24H13"/>',
    "13": '<path d="M-14 36 16-32M16-32Q-22-40-34-4Q-14-24 8-14"/>',
    "11": '<path d="M0-34v64M-14 34h28M-28-24H28M-28-24l-8 26h16ZM28-24l8 26H20Z"/>'
    '<path d="M-36 2a8 8 0 0 0 16 0M20 2a8 8 0 0 0 16 0"/>',
    "08": '<path d="M-36 34 -10-14 4 8 14-8 36 34Z"/><path d="M-18 1l8 5 6-5"/>'
    '<circle cx="20" cy="-26" r="7"/>',
    "02": '<path d="M-26 8a28 28 0 0 1 34-38 22 22 0 1 0 18 38Z"/>'
    '<path d="M-34 22q12-8 22 0t22 0 22 0M-26 34q10-6 17 0t17 0 17 0"/>',
    "00": '<path d="M-34 8q4 26 34 26T34 8M-34 8l-5 7M-34 8l8 3M34 8l5 7M34 8l-8 3"/>'
    '<circle cx="-20" cy="-10" r="6"/><circle cy="-27" r="6"/><circle cx="20" cy="-10" r="6"/>',
}
"""The emblem of each of the eight faces, centred on 0, 0."""
