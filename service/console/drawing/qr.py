"""QR codes as SVG, for links on paper and on screens."""

import segno
from markupsafe import Markup, escape

_BORDER = 2


def qr_svg(text: str, label: str) -> Markup:
    """Return a code that holds *text*. *label* is what a screen reader says."""
    drawn = segno.make(text, error="m", micro=False).svg_inline(
        omitsize=True, border=_BORDER, svgclass=None, lineclass=None
    )
    named = f'<svg role="img" aria-label="{escape(label)}" '
    return Markup(drawn.replace("<svg ", named, 1))  # noqa: S704 - a drawing of our own
