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
