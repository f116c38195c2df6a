"""Seat cards on paper: every code is there, however many cards are printed."""

import re
import zlib

import pytest
from playwright.sync_api import Page

from tests.browser.house import House

pytestmark = pytest.mark.slow

CARDS = 60
LINES = 400
"""A code is drawn with more lines than this, and everything else on a card with fewer."""


def drawings(pdf: bytes) -> list[int]:
    """Return the number of lines in each path of a PDF."""
    found = []
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL):
        try:
            text = zlib.decompress(stream)
        except zlib.error:
            continue
        found += [len(re.findall(rb" l\s", path)) for path in re.split(rb"\s(?:[SsfF]\*?)\s", text)]
    return found


def printed(page: Page) -> list[int]:
    """Print a page, and return the number of lines in each code on the paper."""
    return [each for each in drawings(page.pdf()) if each > LINES]


def test_every_code_is_on_the_paper(house: House) -> None:
    """A browser may print once the page is loaded. Codes that load later would be missing."""
    owner, league = house.league()
    evening = house.evening(owner, league, name="Big night")
    for number in range(CARDS):
        owner.post(f"/v1/tournaments/{evening}/walk-ins", {"name": f"Player {number + 1}"})
    page = house.open(owner).context.new_page()
    page.route("**/code.svg", lambda route: route.abort())
    page.goto(f"/tournaments/{evening}/prints")
    assert printed(page) == [], "without the images there is no code to count"
    page.unroute_all()
    page.reload()

    assert page.locator(".seat-card img").count() == CARDS
    assert len(printed(page)) == CARDS
