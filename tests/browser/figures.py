"""The figures of every page: its bytes, and what axe and the content policy object to."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import httpx
from playwright.sync_api import Page

from service.console.assets import assets
from service.console.pages import SCHEMES
from service.console.sessions import PLAIN_COOKIE
from tests.browser.chromium import WALL, overflow
from tests.browser.house import House
from tests.browser.sweeping import FIRST_PAINT_MAX, PHONE, SCRIPTS_MAX, Document, judged, unfolded
from tests.browser.views import View


@dataclass
class Figures:
    """What one page weighs, and its faults at both sizes in both schemes."""

    view: View
    page: int
    """Bytes of the page as sent."""

    first_paint: int
    """Bytes of the page and its style sheets as sent."""

    barriers: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Breaches of the content policy."""

    wide: list[str] = field(default_factory=list)
    """The looks in which the page is wider than its window."""

    def row(self) -> str:
        """Return the line of the table."""
        counts = (len(self.barriers), len(self.refused), len(self.wide))
        figures = "".join(f"{each:>10,}" for each in (self.page, self.first_paint, *counts))
        return f"{self.view.name:<28}{figures}"


def report(house: House, views: list[View]) -> Iterator[str]:
    """Yield the table, its sums, and each fault."""
    head = ("page", "paint", "axe", "policy", "wide")
    yield f"{'':<28}" + "".join(f"{each:>10}" for each in head)
    found = []
    for each in views:
        found.append(_measured(house, each))
        yield found[-1].row()
    heaviest = max(found, key=lambda each: each.first_paint)
    scripts = {path: each for path, each in assets().items() if path.endswith(".js")}
    whole = sum(len(each.content) for each in scripts.values())
    sent = sum(len(each.compressed or each.content) for each in scripts.values())
    looks = len(SCHEMES) * len((PHONE, WALL)) * len(found)
    yield (
        f"{len(found)} pages at {PHONE[0]} and {WALL[0]} pixels in both schemes: {looks} looks,"
        f" {sum(len(each.barriers) for each in found)} barriers,"
        f" {sum(len(each.refused) for each in found)} breaches of the policy,"
        f" {sum(len(each.wide) for each in found)} too wide"
    )
    yield (
        f"heaviest to the first paint: {heaviest.view.name}, {heaviest.first_paint:,} of"
        f" {FIRST_PAINT_MAX:,} bytes; scripts in all: {whole:,} of {SCRIPTS_MAX:,} bytes,"
        f" {sent:,} as sent"
    )
    for one in found:
        yield from (f"{one.view.name}: {each}" for each in one.barriers + one.refused + one.wide)


def _measured(house: House, view: View) -> Figures:
    figures = _weighed(house, view)
    page = house.open(view.person, PHONE).context.new_page()
    for width, height in (PHONE, WALL):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(view.path)
        for selector in view.press:
            page.locator(selector).first.click()
        page.wait_for_load_state("load")
        unfolded(page)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            look = f"{width} pixels, {scheme}"
            figures.barriers += [f"{look}: {each}" for each in judged(page, contrast=True)]
            if overflow(page) > 0:
                figures.wide.append(f"{look}: {overflow(page)} pixels too wide")
        figures.refused += _refused(page)
    figures.refused += house.close()
    return figures


def _refused(page: Page) -> list[str]:
    found: list[str] = page.evaluate("violations.splice(0)")
    return found


def _weighed(house: House, view: View) -> Figures:
    cookies = {} if view.person is None else {PLAIN_COOKIE: view.person.session}
    with httpx.Client(base_url=house.url, cookies=cookies, trust_env=False, timeout=30) as http:
        answer = http.get(view.path)
        document = Document()
        document.feed(answer.text)
        sheets = sum(http.get(each).num_bytes_downloaded for each in sorted(document.sheets))
    sent = answer.num_bytes_downloaded
    return Figures(view, sent, sent + sheets)
