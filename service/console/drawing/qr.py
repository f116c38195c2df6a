"""QR codes as SVG, for links on paper and on screens."""

from collections.abc import Callable
from functools import lru_cache
from io import BytesIO
from typing import TypeVar

import segno
from markupsafe import Markup, escape

from service.api.http.problems.answers import SHELL_CATALOGUE
from service.base.errors import Overloaded
from service.base.pools import DRAWING
from service.console.calling import Problem

_BORDER = 2
_KEPT = 1024

Drawn = TypeVar("Drawn")


async def qr_svg(text: str, label: str) -> Markup:
    """
    Return a code that holds *text*. Screen readers read *label*.

    Raises:
        Problem: If too many codes wait to be drawn.
    """
    drawn = await _aside(None, _drawn, text)
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
    return await _aside(client, _file, text)


async def _aside(client: str | None, draw: Callable[[str], Drawn], text: str) -> Drawn:
    """Draw beside the event loop, because a code takes 20 milliseconds."""
    try:
        return await DRAWING.run(client, draw, text)
    except Overloaded as error:
        raise Problem(503, {"code": error.code, "title": SHELL_CATALOGUE[error.code][1]}) from error


@lru_cache(maxsize=_KEPT)
def _file(text: str) -> bytes:
    written = BytesIO()
    segno.make(text, error="m", micro=False).save(
        written, kind="svg", xmldecl=False, nl=False, omitsize=True, border=_BORDER,
        svgclass=None, lineclass=None,
    )  # fmt: skip
    return written.getvalue()


@lru_cache(maxsize=_KEPT)
def _drawn(text: str) -> str:
    return segno.make(text, error="m", micro=False).svg_inline(
        omitsize=True, border=_BORDER, svgclass=None, lineclass=None
    )
