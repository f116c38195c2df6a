"""QR codes as SVG, for links on paper and on screens."""

from functools import lru_cache

import segno
from markupsafe import Markup, escape

from service.api.http.problems.answers import SHELL_CATALOGUE
from service.base.errors import Overloaded
from service.base.pools import DRAWING
from service.console.calling import Problem

_BORDER = 2
_KEPT = 1024


async def qr_svg(text: str, label: str) -> Markup:
    """
    Return a code that holds *text*. Screen readers read *label*.

    A code takes 20 milliseconds, so it is drawn beside the event loop and kept for a while.

    Raises:
        Problem: If too many codes wait to be drawn.
    """
    try:
        drawn = await DRAWING.run(None, _drawn, text)
    except Overloaded as error:
        raise Problem(503, {"code": error.code, "title": SHELL_CATALOGUE[error.code][1]}) from error
    named = f'<svg role="img" aria-label="{escape(label)}" '
    return Markup(drawn.replace("<svg ", named, 1))  # noqa: S704 - a drawing of our own


@lru_cache(maxsize=_KEPT)
def _drawn(text: str) -> str:
    return segno.make(text, error="m", micro=False).svg_inline(
        omitsize=True, border=_BORDER, svgclass=None, lineclass=None
    )
