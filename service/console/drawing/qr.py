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

    Raises:
        Problem: If too many codes wait to be drawn.
    """
    drawn = await _aside(None, text)
    named = f'<svg role="img" aria-label="{escape(label)}" '
    return Markup(drawn.replace("<svg ", named, 1))  # noqa: S704 - a drawing of our own


async def qr_file(text: str, client: str) -> bytes:
    """
    Return a code that holds *text* as a file of its own, for one of many images on a page.

    Args:
        client: The account or address that asks. The images of one page must not keep all others
            waiting.

    Raises:
        Problem: If too many codes wait to be drawn.
    """
    drawn = await _aside(client, text)
    return drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).encode()


async def _aside(client: str | None, text: str) -> str:
    """Draw beside the event loop, because a code takes 20 milliseconds."""
    try:
        return await DRAWING.run(client, _drawn, text)
    except Overloaded as error:
        raise Problem(503, {"code": error.code, "title": SHELL_CATALOGUE[error.code][1]}) from error


@lru_cache(maxsize=_KEPT)
def _drawn(text: str) -> str:
    return segno.make(text, error="m", micro=False).svg_inline(
        omitsize=True, border=_BORDER, svgclass=None, lineclass=None
    )
