"""The look of the console: contrast in both schemes, weight, and its content security policy."""

import re
from itertools import product
from pathlib import Path

import pytest

from service.console.assets import PLAY, REPLAY, STYLE, assets
from service.console.drawing import icons

CONSOLE = Path(icons.__file__).parent.parent
CSS = CONSOLE / "static" / "css"
TEMPLATES = sorted((CONSOLE / "templates").rglob("*.html"))
STYLES_MAX = 12_000
"""Bytes, compressed. Together with the largest page they stay under 20 KB (``test_table.py``)."""

SCHEMES = ("light", "dark")
TEXT = 4.5
"""The least contrast of text, by WCAG 2.2 (1.4.3)."""

MARK = 3.0
"""The least contrast of controls and states (1.4.11)."""

READ = [
    *product(
        ("ink", "ink-soft", "accent", "accent-strong", "warn", "bad"), ("paper", "raised", "sunk")
    ),
    ("ink", "accent-soft"),
    ("ink", "warn-soft"),
    ("ink", "bad-soft"),
    ("ink-soft", "accent-soft"),
    ("accent", "accent-soft"),
    ("warn", "warn-soft"),
    ("bad", "bad-soft"),
    ("on-accent", "accent"),
    ("on-accent", "accent-strong"),
    ("on-bad", "bad"),
    *product(
        ("suit-circle", "suit-triangle", "suit-square", "suit-sylop", "suit-staves"), ("card",)
    ),
]
SEEN = [("edge", "paper"), ("edge", "raised"), ("edge", "sunk")]


def _tokens() -> dict[str, tuple[str, str]]:
    text = (CSS / "tokens.css").read_text(encoding="utf-8")
    found = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", text)
    return {name: (light, dark) for name, light, dark in found}


def _light(colour: str) -> float:
    """Return the relative luminance of *colour*, as WCAG defines it."""
    shares = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    dark, light = sorted((_light(one), _light(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", range(2), ids=SCHEMES)
def test_text_can_be_read_in_both_schemes(scheme: int) -> None:
    tokens = _tokens()
    found = {pair: contrast(*(tokens[name][scheme] for name in pair)) for pair in READ}

    assert {pair: round(ratio, 2) for pair, ratio in found.items() if ratio < TEXT} == {}


@pytest.mark.parametrize("scheme", range(2), ids=SCHEMES)
def test_edges_of_controls_can_be_seen_in_both_schemes(scheme: int) -> None:
    tokens = _tokens()
    found = {pair: contrast(*(tokens[name][scheme] for name in pair)) for pair in SEEN}

    assert {pair: round(ratio, 2) for pair, ratio in found.items() if ratio < MARK} == {}


def test_black_on_white_has_the_greatest_contrast() -> None:
    """The measure itself agrees with the standard."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


def test_only_tokens_name_colours() -> None:
    """A colour outside the tokens would be wrong in one of the schemes. Paper is always white."""
    named = {
        sheet.name: re.findall(r"#[0-9a-fA-F]{3,8}\b(?=[;, )])", sheet.read_text(encoding="utf-8"))
        for sheet in CSS.glob("*.css")
        if sheet.name not in {"tokens.css", "print.css"}
    }

    assert {
        name: colours for name, colours in named.items() if set(colours) - {"#fff", "#000"}
    } == {}


@pytest.mark.parametrize(
    ("most", "own"),
    [
        (STYLE, ["door"]),
        (STYLE, ["floor"]),
        (STYLE, ["room"]),
        (STYLE, ["proof"]),
        (STYLE, ["league"]),
        (PLAY, ["desk"]),
        (REPLAY, ["forms", "desk"]),
    ],
)
def test_the_styles_of_a_page_are_small(most: str, own: list[str]) -> None:
    """A page has one file with most of its styles, the sheet for paper, and those of its own."""
    sheets = (most, *(f"css/{name}.css" for name in ("print", *own)))

    assert sum(len(assets()[sheet].compressed or b"") for sheet in sheets) < STYLES_MAX


def test_templates_hold_no_styles_and_no_scripts() -> None:
    """The policy of the pages refuses all of it."""
    refused = re.compile(r"\sstyle=|<style|\son[a-z]+=|<script(?![^>]*\ssrc=)|javascript:")
    found = {
        str(path.relative_to(CONSOLE)): match.group()
        for path in TEMPLATES
        if (match := refused.search(path.read_text(encoding="utf-8")))
    }

    assert found == {}


def test_the_sprite_is_the_one_that_the_drawing_makes() -> None:
    """Run ``python -m service.console.drawing.icons`` after a change."""
    assert (CONSOLE / "static" / "icons.svg").read_text(encoding="utf-8") == icons.sprite()
    assert (CONSOLE / "static" / "favicon.svg").read_text(encoding="utf-8") == icons.favicon()


def test_every_icon_that_a_template_names_exists() -> None:
    named = {
        name
        for path in TEMPLATES
        for name in re.findall(r"\bicon\(\"([\w-]+)\"", path.read_text(encoding="utf-8"))
    }

    assert named <= set(icons.ICONS)
