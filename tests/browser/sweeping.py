"""The demands on every screen: access as declared, small, accessible, useful by itself."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import httpx
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Request, Response

from service.console.app import routes, serves
from service.console.declaring import Screen
from service.console.pages import SCHEMES
from tests.browser.chromium import PHONE as SHORT
from tests.browser.chromium import WALL, covered, overflow

PHONE = (360, 800)
FIRST_PAINT_MAX = 20 * 1024
"""
Bytes of a page and its style sheets, as sent.

A page that may hold hidden cards is not compressed, because its length would reveal them. The same
limit applies to it.
"""

SCRIPTS_MAX = 60 * 1024
FILES = ("/static/", "/favicon", "/manifest", "/live")
"""Paths that are not pages."""

ELSEWHERE = ("/v1", "/docs", "/static/", "/openapi")
_PARAMETER = re.compile(r"\{(\w+):str\}")
_AXE = """(contrast) => axe.run({
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
  rules: {"target-size": {enabled: true}, "color-contrast": {enabled: contrast}},
  resultTypes: ["violations"]})"""


def pages() -> Iterator[Screen]:
    """Yield every declared page."""
    for each in routes():
        screen: Screen = each.opt["screen"]
        if screen.method == "GET" and not screen.path.startswith(FILES):
            yield screen


def filled(path: str, scenes: tuple[dict[str, str], ...]) -> list[str]:
    """Return *path* filled in for each scene, without repetitions."""
    found = [_PARAMETER.sub(lambda name, scene=scene: scene[name[1]], path) for scene in scenes]
    return list(dict.fromkeys(found))


@dataclass
class Document(HTMLParser):
    """The content of a page before any script runs."""

    headings: int = 0
    forms: list[dict[str, str]] = field(default_factory=list)
    bare: list[str] = field(default_factory=list)
    """The forms with fields and no button, or without the token."""

    links: set[str] = field(default_factory=set)
    sheets: set[str] = field(default_factory=set)
    parts: list[str] = field(default_factory=list)
    shapes: set[str] = field(default_factory=set)
    """The kinds of elements, by tag and class."""

    _inside: list[set[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take one element."""
        given = {name: value or "" for name, value in attrs}
        self.headings += tag == "h1"
        self.shapes.add(f"{tag}.{given.get('class', '')}")
        if "data-part" in given and "data-from" not in given:
            self.parts.append(given["data-part"])
        if tag == "a" and given.get("href", "").startswith("/"):
            self.links.add(urlsplit(given["href"]).path)
        # A sheet for other media is fetched later, after the first paint.
        if tag == "link" and given.get("rel") == "stylesheet" and "media" not in given:
            self.sheets.add(given["href"])
        if tag == "form":
            self.forms.append(given)
            self._inside.append(set())
        elif self._inside and tag in ("button", "input", "select", "textarea"):
            self._inside[-1] |= {given.get("name", ""), given.get("type", tag)}

    def handle_endtag(self, tag: str) -> None:
        """Judge a form that ends."""
        if tag == "form" and self._inside:
            found, given = self._inside.pop(), self.forms[-1]
            posted = given.get("method") == "post"
            typed = found - {"hidden", "csrf", "key", "if_match", "then", "decision", "", "button"}
            pressed = {"button", "submit"} & found
            if (typed and not pressed) or (posted and not {"csrf", "key"} <= found):
                self.bare.append(given.get("action", ""))


@dataclass
class Sweep:
    """
    One reader's way through every screen, with all faults found.

    Args:
        http: A client with the audience's cookie, that does not follow redirects.
        signed_in: False for a stranger.
        owner: True if no screen may be refused.
    """

    http: httpx.Client
    signed_in: bool
    owner: bool
    faults: list[str] = field(default_factory=list)
    weights: dict[str, int] = field(default_factory=dict)
    forms: dict[str, set[str]] = field(default_factory=dict)
    """The forms of each page that a browser should open."""

    _shapes: set[str] = field(default_factory=set)
    """The contents of the pages of the present screen."""

    def fault(self, where: str, what: str) -> None:
        """Note a fault."""
        self.faults.append(f"{where}: {what}")

    def read(self, screen: Screen, scenes: tuple[dict[str, str], ...]) -> None:
        """Request a screen for every scene."""
        unknown = set(screen.parameters) - scenes[0].keys()
        if unknown:
            self.fault(screen.path, f"the scenery has no {', '.join(sorted(unknown))}")
            return
        self._shapes = set()
        statuses = [self._read(screen, path) for path in filled(screen.path, scenes)]
        closed = not screen.open and not self.signed_in
        if not closed and (screen.open or self.owner) and not {200, 303} & set(statuses):
            self.fault(screen.path, f"nothing but {statuses}")

    def _read(self, screen: Screen, path: str) -> int:
        answer = self.http.get(path)
        if not screen.open and not self.signed_in:
            if not answer.headers.get("location", "").startswith("/sign-in"):
                self.fault(path, f"a stranger gets {answer.status_code}")
            return answer.status_code
        if answer.status_code not in (200, 303, 403, 404, 409, 410):
            self.fault(path, f"{answer.status_code}")
        if answer.headers.get("content-type", "").startswith("text/html"):
            self._judge(path, answer)
        return answer.status_code

    def _judge(self, path: str, answer: httpx.Response) -> None:
        document = Document()
        document.feed(answer.text)
        if document.headings != 1:
            self.fault(path, f"{document.headings} first headings")
        for each in document.bare:
            self.fault(path, f"the form {each!r} has no button or no token")
        weight = answer.num_bytes_downloaded + sum(map(self._weight, sorted(document.sheets)))
        self.weights[path] = weight
        if weight > FIRST_PAINT_MAX:
            self.fault(path, f"{weight:,} bytes to the first paint")
        named = document.links | {urlsplit(each.get("action", "")).path for each in document.forms}
        for each in sorted(named - {""}):
            if not each.startswith(ELSEWHERE) and not serves(each):
                self.fault(path, f"leads to {each}, which is no screen")
        for each in document.parts:
            self._part(path, each)
        if document.shapes - self._shapes:
            # If all parts of a page occur on another page of its screen, the browser need not open
            # it.
            self._shapes |= document.shapes
            self.forms[path] = {each.get("action", "") for each in document.forms}

    def _weight(self, sheet: str) -> int:
        if sheet not in self.weights:
            self.weights[sheet] = self.http.get(sheet).num_bytes_downloaded
        return self.weights[sheet]

    def _part(self, path: str, part: str) -> None:
        """Check that a part is answered alone, and not again while it is unchanged."""
        answer = self.http.get(path, params={"part": part})
        if answer.status_code != 200 or "etag" not in answer.headers:
            self.fault(path, f"the part {part} is answered with {answer.status_code}")
            return
        known = {"If-None-Match": answer.headers["etag"]}
        again = self.http.get(path, params={"part": part}, headers=known)
        told = 'role="timer"' in answer.text  # the server's time is in it
        if again.status_code != 304 and not told:
            self.fault(path, f"the part {part} has another tag at once")

    def look(self, page: Page, path: str) -> None:
        """
        Open a page in a browser. Judge it on a phone, and in the other scheme on a wall screen.

        Contrast takes four fifths of the time. It is judged on the phone, so in one scheme: a
        member's pages in the other than an owner's. ``test_look.py`` holds all colours in both.
        """
        scheme = SCHEMES[(len(path) + self.owner) % 2]
        heard: list[str] = []

        def answered(response: Response) -> None:
            if response.status >= 400 and response.request.resource_type != "document":
                heard.append(f"{response.status} {response.url}")

        def failed(request: Request) -> None:
            # Leaving a page ends the requests of its parts.
            if "/live" not in request.url and request.failure != "net::ERR_ABORTED":
                heard.append(f"failed {request.url}")

        page.on("response", answered)
        page.on("requestfailed", failed)
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        page.goto(path)
        late = set(page.eval_on_selector_all("form", _ACTIONS)) - self.forms[path]
        if late:
            self.fault(path, f"has {sorted(late)} only with scripts")
        unfolded(page)
        self._size(page, path, f"phone, {scheme}", contrast=True)
        page.set_viewport_size({"width": SHORT[0], "height": SHORT[1]})
        for each in covered(page):
            self.fault(path, f"phone: the focus is wholly covered at {each}")
        other = SCHEMES[SCHEMES[0] == scheme]
        page.emulate_media(color_scheme=other)  # type: ignore[arg-type]
        page.set_viewport_size({"width": WALL[0], "height": WALL[1]})
        self._size(page, path, f"wall, {other}", contrast=False)
        heard += page.evaluate("violations")
        for each in heard:
            self.fault(path, each)
        page.remove_listener("response", answered)
        page.remove_listener("requestfailed", failed)

    def fit(self, page: Page, path: str, how: str) -> None:
        """Open a page in another language, and judge only whether it is as wide as the window."""
        page.goto(path)
        page.evaluate(_OPEN)
        self._width(page, path, how)

    def _width(self, page: Page, path: str, how: str) -> None:
        wide = overflow(page)
        if wide > 0:
            self.fault(path, f"{how}: {wide} pixels too wide")

    def _size(self, page: Page, path: str, how: str, *, contrast: bool) -> None:
        self._width(page, path, how)
        for each in judged(page, contrast=contrast):
            self.fault(path, f"{how}: {each}")


def unfolded(page: Page) -> None:
    """Open everything that a page folds, and give it axe."""
    page.evaluate(_script())
    page.evaluate(_OPEN)
    page.evaluate(_TO_THE_END)


def judged(page: Page, *, contrast: bool) -> list[str]:
    """Return axe's findings on an unfolded page, with the first element of each."""
    found: Any = page.evaluate(_AXE, contrast)
    return [f"{each['id']}: {each['nodes'][0]['html'][:160]}" for each in found["violations"]]


# A menu lies over the page while it is open, so it stays closed.
_OPEN = "document.querySelectorAll('details:not(.tabs-more)').forEach((each) => each.open = true)"
# The director's buttons stay at the bottom of a phone's window, over the lines below them. They lie
# over nothing once the page is scrolled to its end, as everybody can.
_TO_THE_END = "document.querySelector('.floor-dock') && scrollTo(0, document.body.scrollHeight)"
_ACTIONS = "(forms) => forms.map((each) => each.getAttribute('action') ?? '')"


@cache
def _script() -> str:
    return str(Axe().axe_script)
