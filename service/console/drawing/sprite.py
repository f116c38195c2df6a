"""
One file with every card and die as a symbol.

A page shows a symbol with ``<use href="…#C+05">``. The symbol takes the custom properties of the
place where it is used.

``python -m service.console.drawing.sprite`` writes the file again after a change of a drawing.
"""

from collections.abc import Iterator
from pathlib import Path

from service.console.drawing import cards, dice
from service.console.drawing.cards import CARDS

FILE = Path(__file__).resolve().parents[1] / "static" / "cards.svg"
BACK = "back"
BACKS_MAX = 5
"""Most backs in one drawing. They overlap."""

_STEP = 55


def symbols() -> Iterator[tuple[str, str, str]]:
    """Yield each symbol's name, its view box and its drawing."""
    card = f"0 0 {cards.WIDTH} {cards.HEIGHT}"
    die = f"0 0 {dice.SIZE} {dice.SIZE}"
    yield BACK, card, cards.back()
    for count in range(1, BACKS_MAX + 1):
        yield backs(count), backs_box(count), _backs(count)
    for each in CARDS:
        yield each, card, cards.face(each)
    for number in dice.GOLD_FACES:
        yield gold(number), die, dice.gold(number)
    for suit in dice.SILVER_FACES:
        yield silver(suit), die, dice.silver(suit)
    for number in dice.SPIKE_FACES:
        yield spike(number), die, dice.spike(number)


def backs(count: int) -> str:
    """Return the name of *count* overlapping backs."""
    return f"backs{count}"


def backs_box(count: int) -> str:
    """Return the view box of *count* overlapping backs."""
    return f"0 0 {cards.WIDTH + _STEP * (count - 1)} {cards.HEIGHT}"


def _backs(count: int) -> str:
    return "".join(
        f'<use href="#{BACK}" x="{_STEP * each}" width="{cards.WIDTH}" height="{cards.HEIGHT}"/>'
        for each in range(count)
    )


def gold(number: int) -> str:
    """Return the name of the gold die that shows *number*."""
    return f"gold{number}"


def silver(suit: str) -> str:
    """Return the name of the silver die that shows *suit*."""
    return f"silver-{suit}"


def spike(number: int) -> str:
    """Return the name of the common die that shows *number*."""
    return f"spike{number}"


def sprite() -> str:
    """Return the whole file."""
    drawn = "\n".join(
        f'<symbol id="{name}" viewBox="{box}">{drawing}</symbol>'
        for name, box, drawing in symbols()
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg">\n{drawn}\n</svg>\n'


if __name__ == "__main__":
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(sprite(), encoding="utf-8")
