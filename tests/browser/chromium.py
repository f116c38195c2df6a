"""Debian's Chromium, which Playwright drives, and the pages that it opens."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

WHOLE = shutil.which("chromium") or shutil.which("chromium-browser")
"""The path of Chromium, or None on a machine that has none."""

PROGRAM = shutil.which("chromium-headless-shell") or WHOLE
"""
The path of the program that opens pages.

The shell is Chromium without its own windows and menus. Nobody sees them here, and they need a
quarter of the processor. It shows no notifications.
"""

WHY = "there is no chromium; install Debian's package: apt-get install -y chromium"
PHONE, DESK, WALL = (360, 740), (1280, 800), (1920, 1080)
"""The window sizes at which pages are checked, in pixels."""

_LISTENER = """
window.violations = [];
document.addEventListener("securitypolicyviolation",
  (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
"""


@contextmanager
def chromium(program: str | None = PROGRAM, flags: tuple[str, ...] = ()) -> Iterator[Browser]:
    """Run Chromium, or another *program* of it, without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage", *flags]
        )
        yield browser
        browser.close()


class Seen:
    """The complaints of a browser's pages."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.complaints: list[str] = []
        context.add_init_script(_LISTENER)
        context.on("page", self._watch)

    def _watch(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.complaints.append(f"script: {error}"))
        page.on("console", self._heard)

    def _heard(self, message: Any) -> None:
        refused = "Content Security Policy" in message.text
        if message.type == "error" and (refused or "Failed to load resource" not in message.text):
            self.complaints.append(message.text)

    def violations(self) -> list[str]:
        """Return everything that the policy of the open pages has refused, and their errors."""
        found = [each for page in self.context.pages for each in page.evaluate("violations")]
        return [*found, *self.complaints]


def open_context(browser: Browser, size: tuple[int, int] = PHONE, **more: Any) -> Seen:
    """Open a new browser profile."""
    width, height = size
    options = {"viewport": {"width": width, "height": height}, "locale": "en-GB"} | more
    return Seen(browser.new_context(**options))


def barriers(page: Page) -> list[str]:
    """Return axe's findings on a page: the rule and the first element of each violation."""
    # Listing passed rules too would take as long again.
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found]


def overflow(page: Page) -> int:
    """Return by how many pixels a page is wider than its window."""
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    return int(page.evaluate(wide))


def covered(page: Page) -> list[str]:
    """
    Return the elements that lie wholly under fixed content when the keyboard comes to them.

    The keyboard goes through the whole page, forwards and then backwards. A page without sticky or
    fixed content covers nothing.

    Source: WCAG 2.2, 2.4.11 Focus Not Obscured (Minimum).
    """
    if not page.evaluate(_STAYS):
        return []
    found: dict[str, None] = {}
    for key in ("Tab", "Shift+Tab"):
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        for _ in range(_STOPS_MAX):
            page.keyboard.press(key)
            stop = page.evaluate(_FOCUS)
            if stop is None:
                break
            if stop["covered"]:
                found[f"{key}: {stop['what']}"] = None
        else:
            found[f"{key}: more than {_STOPS_MAX} stops"] = None
    return list(found)


_STOPS_MAX = 300
_STAYS = """() => [...document.querySelectorAll("body *")].some((each) =>
  ["sticky", "fixed"].includes(getComputedStyle(each).position) && each.getClientRects().length)"""

# An element is seen if one of its points is: no other element, or only a part of it, lies there.
_FOCUS = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const box = at.getBoundingClientRect();
  const stays = (each) => each && (["sticky", "fixed"].includes(getComputedStyle(each).position)
    ? !each.contains(at) : stays(each.parentElement));
  const across = [0.1, 0.5, 0.9];
  const points = across.flatMap((x) => across.map((y) =>
    document.elementFromPoint(box.left + x * box.width, box.top + y * box.height)));
  const seen = points.some((each) => !each || !stays(each));
  return {covered: !seen, what: at.outerHTML.slice(0, 120)};
}"""
