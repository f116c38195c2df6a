"""
The cards of both decks, drawn from the deck's definition.

Shapes and the places of the pips show a card's suit: circles stand in a ring, triangles in a
pyramid, squares in a grid; sabers fan out, flasks stand on shelves, coins lie in a ring, staves
stand side by side. A sign is always written. Full pips are positive, hollow ones negative. Colours
are custom properties of the page, so they suit both schemes. Two cards never differ by colour
alone.
"""

from collections.abc import Callable, Iterable
from math import cos, pi, sin

from engine.kit.cards import DECKS, SYLOPS, VALUES
from service.console.drawing import emblems
from service.console.drawing.strokes import signed, written

WIDTH, HEIGHT = 100, 140
CARDS = tuple(card for deck in DECKS.values() for card in deck)
_MIDDLE = (50.0, 92.0)
_SPAN = 74.0

_ROWS_TRIANGLE: tuple[tuple[int, ...], ...] = (
    (1,), (2,), (1, 2), (1, 3), (2, 3), (1, 2, 3), (3, 4), (1, 3, 4), (2, 3, 4), (1, 2, 3, 4),
)  # fmt: skip
_ROWS_SQUARE: tuple[tuple[int, ...], ...] = (
    (1,), (2,), (3,), (2, 2), (2, 1, 2), (3, 3), (2, 3, 2), (3, 2, 3), (3, 3, 3), (3, 4, 3),
)  # fmt: skip
_ROWS_SHELF: tuple[tuple[int, ...], ...] = (
    (1,), (2,), (3,), (2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (3, 3, 3), (3, 3, 4), (3, 4, 4),
)  # fmt: skip

Placed = Iterable[tuple[float, float, float]]
"""The middle of each pip, and its size."""

_SUITS = {"C": "circle", "T": "triangle", "S": "square"}
_SUITS_76 = {"SA": "sabers", "FL": "flasks", "CO": "coins", "ST": "staves"}


def suit_of(card: str) -> str | None:
    """Return the suit of *card*, or None for a sylop and for the eight faces of ``d76``."""
    return _SUITS_76.get(card[:2]) or _SUITS.get(card[0])


def face(card: str) -> str:
    """Return the drawing of the front of *card*, without its outer element."""
    return _frame() + (_sylop(card) if card in SYLOPS else _suited(card))


def back() -> str:
    """Return the drawing of the back, which is the same for every card: the table from above."""
    around = "".join(
        f'<circle cx="{50 + 31 * sin(pi * seat / 4):.1f}" cy="{70 - 31 * cos(pi * seat / 4):.1f}" '
        f'r="5"/>'
        for seat in range(8)
    )
    return (
        _frame("var(--card-back, #0a6152)")
        + '<g fill="none" stroke="var(--card-back-line, #9fd8c8)" stroke-width="3">'
        '<rect x="9" y="9" width="82" height="122" rx="5" stroke-width="2"/>'
        '<circle cx="50" cy="70" r="17"/></g>'
        f'<g fill="var(--card-back-line, #9fd8c8)">{around}'
        '<circle cx="50" cy="70" r="5"/></g>'
    )


def _frame(fill: str = "var(--card, #fff)") -> str:
    return (
        f'<rect x="2" y="2" width="96" height="136" rx="8" fill="{fill}" '
        'stroke="var(--card-edge, #73837b)" stroke-width="1.5"/>'
    )


def _suited(card: str) -> str:
    suit, value = suit_of(card), VALUES[card]
    if suit is None:
        return _named(card, value)
    colour = f"var(--suit-{suit}, #13201b)"
    index = _index(value, colour)
    mark = _painted(emblems.shape(suit, 84, 25, 18), colour, hollow=value < 0)
    if value > 11:
        body = _court(suit, value, colour)
    else:
        pips = "".join(emblems.shape(suit, *each) for each in _PLACES[suit](abs(value)))
        body = _painted(pips, colour, hollow=value < 0)
    return index + mark + body


def _index(value: int, colour: str) -> str:
    """Return the value in the upper left corner. Two figures are a little smaller than one."""
    high = 30 if abs(value) < 10 else 26
    return f'<g stroke="{colour}">{written(signed(value), 10, 25 - high / 2, high)}</g>'


def _painted(shapes: str, colour: str, *, hollow: bool) -> str:
    fill = "none" if hollow else colour
    return (
        f'<g fill="{fill}" stroke="{colour}" stroke-width="2.4" stroke-linejoin="round" '
        f'stroke-linecap="round">{shapes}</g>'
    )


def _court(suit: str, value: int, colour: str) -> str:
    """Return the emblem of a Commander, Mistress, Master or Ace: the suit under a crown."""
    crown = emblems.CROWNS[value]
    drawn = f'<g transform="translate(50 72)" fill="none" stroke-width="3">{crown}</g>'
    return _painted(drawn + emblems.shape(suit, 50, 104, 40), colour, hollow=False)


def _named(card: str, value: int) -> str:
    """Return one of the eight faces. Its two copies differ by one or two dots."""
    colour = "var(--suit-sylop, #13201b)"
    return (
        _index(value, colour)
        + f'<g transform="translate(50 92)" fill="none" stroke="{colour}" stroke-width="3" '
        f'stroke-linecap="round" stroke-linejoin="round">{emblems.FACES[card[1:3]]}</g>'
        + _copy("ab".index(card[-1]), colour)
    )


def _sylop(card: str) -> str:
    """Return a sylop: the three shapes in each other, because it counts for every suit."""
    colour = "var(--suit-sylop, #13201b)"
    shapes = (
        emblems.shape("square", 50, 90, 64)
        + emblems.shape("circle", 50, 90, 56)
        + f'<g fill="{colour}">{emblems.shape("triangle", 50, 92, 36)}</g>'
    )
    return (
        _index(0, colour)
        + _painted(shapes, colour, hollow=True)
        + _copy(SYLOPS.index(card), colour)
    )


def _copy(index: int, colour: str) -> str:
    dots = "".join(f'<circle cx="{84 - 10 * each}" cy="20" r="3.2"/>' for each in range(index + 1))
    return f'<g fill="{colour}">{dots}</g>'


def _ring(count: int) -> Placed:
    x, y = _MIDDLE
    if count == 1:
        return [(x, y, 46)]
    inner = count > 8
    around = count - inner
    radius = 19.0 if count == 2 else 27.0
    size = min(25.0, 2 * radius * sin(pi / around) * 0.84)
    turn = [-pi / 2 + 2 * pi * each / around for each in range(around)]
    placed = [(x + radius * cos(each), y + radius * sin(each), size) for each in turn]
    return [*placed, (x, y, size)] if inner else placed


def _rows(rows: tuple[int, ...], fill: float = 0.78) -> Placed:
    """Return pips in centred rows of equal distance."""
    x, y = _MIDDLE
    step = min(_SPAN / max(*rows, len(rows), 2), 30.0)
    top = y - step * (len(rows) - 1) / 2
    size = 46.0 if rows == (1,) else step * fill
    return [
        (x + step * (column - (wide - 1) / 2), top + step * row, size)
        for row, wide in enumerate(rows)
        for column in range(wide)
    ]


def _pyramid(count: int) -> Placed:
    return _rows(_ROWS_TRIANGLE[count - 1], 0.84)


def _grid(count: int) -> Placed:
    return _rows(_ROWS_SQUARE[count - 1], 0.72)


def _shelves(count: int) -> Placed:
    return _rows(_ROWS_SHELF[count - 1], 0.86)


def _ranks(count: int, most: int, broad: float) -> Placed:
    """Return long pips side by side, in two ranks if there are more than *most*."""
    x, y = _MIDDLE
    ranks = (count,) if count <= most else ((count + 1) // 2, count // 2)
    high = 68.0 if len(ranks) == 1 else 34.0
    return [
        (
            x + min(_SPAN / wide, broad) * (each - (wide - 1) / 2),
            y + (rank - (len(ranks) - 1) / 2) * 38,
            high,
        )
        for rank, wide in enumerate(ranks)
        for each in range(wide)
    ]


def _sheaf(count: int) -> Placed:
    return _ranks(count, 4, 16)


def _fence(count: int) -> Placed:
    return _ranks(count, 6, 13)


_PLACES: dict[str, Callable[[int], Placed]] = {
    "circle": _ring,
    "triangle": _pyramid,
    "square": _grid,
    "sabers": _sheaf,
    "flasks": _shelves,
    "coins": _ring,
    "staves": _fence,
}
