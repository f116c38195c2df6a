"""
The dice: gold for the target, silver for its suit, and two common ones for the spike.

Each kind has its own outline: the gold die is an octagon, the silver die a disc, a spike die a
square. So they are told apart without colour.
"""

from engine.kit.dice import GOLD, SILVER
from service.console.drawing.emblems import shape
from service.console.drawing.strokes import centred, signed

SIZE = 100
GOLD_FACES = tuple(sorted(set(GOLD)))
SILVER_FACES = SILVER
SPIKE_FACES = (1, 2, 3, 4, 5, 6)

_OCTAGON = "M31 3H69L97 31V69L69 97H31L3 69V31Z"
_INNER = "M35 13H65L87 35V65L65 87H35L13 65V35Z"
_PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((50, 50),),
    2: ((29, 29), (71, 71)),
    3: ((27, 27), (50, 50), (73, 73)),
    4: ((29, 29), (71, 29), (29, 71), (71, 71)),
    5: ((28, 28), (72, 28), (50, 50), (28, 72), (72, 72)),
    6: ((29, 26), (71, 26), (29, 50), (71, 50), (29, 74), (71, 74)),
}


def gold(number: int) -> str:
    """Return the gold die that shows *number*."""
    return (
        f'<path d="{_OCTAGON}" fill="var(--die-gold, #f0cf72)" '
        'stroke="var(--die-edge, #7a5600)" stroke-width="3" stroke-linejoin="round"/>'
        f'<path d="{_INNER}" fill="none" stroke="var(--die-edge, #7a5600)" '
        'stroke-width="1.5" opacity=".45"/>'
        f'<g stroke="#13201b">{centred(signed(number), 50, 33, 34)}</g>'
    )


def silver(suit: str) -> str:
    """Return the silver die that shows *suit*."""
    return (
        '<circle cx="50" cy="50" r="47" fill="var(--die-silver, #dfe5e6)" '
        'stroke="var(--edge, #56656b)" stroke-width="3"/>'
        '<circle cx="50" cy="50" r="39" fill="none" stroke="var(--edge, #56656b)" '
        'stroke-width="1.5" opacity=".45"/>'
        f'<g fill="#13201b">{shape(suit, 50, 50, 44)}</g>'
    )


def spike(number: int) -> str:
    """Return a common die that shows *number*."""
    pips = "".join(f'<circle cx="{x}" cy="{y}" r="8"/>' for x, y in _PIPS[number])
    return (
        '<rect x="4" y="4" width="92" height="92" rx="16" fill="var(--card, #fff)" '
        'stroke="var(--edge, #56656b)" stroke-width="3"/>'
        f'<g fill="var(--ink, #13201b)">{pips}</g>'
    )
