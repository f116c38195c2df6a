"""An evening on phones: the browsers that play it, and the server that is killed under them."""

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import msgspec
from playwright.sync_api import Page, Request, Response, expect

from service.api.http.writing.submitting import NAMESPACE
from service.base.settings import PREFIX
from service.base.uuids import uuid5
from service.log.batch import event_id
from tests.browser.chromium import Seen
from tests.browser.house import PASSWORD, House, Person

PHONE = (360, 800)
ROOT = Path(__file__).resolve().parents[2]
UP_SECONDS = 60.0
PATIENCE = 60_000
"""Milliseconds that a page may take on a busy machine."""

THUMB = """
(() => {
  const ORDER = ["select", "improve", "check", "call", "fold"];
  const PATIENCE = 4000;
  let last = {};
  const once = (what, press) => {
    if (last.what === what && Date.now() < last.at + PATIENCE) return;
    last = { what, at: Date.now() };
    press();
  };
  const look = () => {
    const seat = document.querySelector('.play-notes a[href^="/tables/"]')
      ?? document.querySelector('main:not(:has([data-table])) a[href^="/tables/tbl_"]');
    if (seat) return once(seat.href, () => seat.click());
    const table = document.querySelector("[data-table][data-turn]:not([aria-busy])");
    const button = (verb) => table.querySelector(`.acts button[name=do][value="${verb}"]`);
    const act = table && ORDER.map(button).find(Boolean);
    if (!act) return;
    once(table.dataset.table + table.dataset.decision, () => {
      if (act.value === "select" && !table.querySelector(":checked")) {
        table.querySelector("label.pick").click();
      }
      act.click();
    });
  };
  setInterval(look, 100);
})();
"""
"""
Its owner's thumb: it goes to the table where a seat is, and presses the first button that keeps
the hand alive. It presses what the page shows, and presses again only after four seconds.
"""


class Act(NamedTuple):
    """A form that a phone has sent from a table."""

    login: str
    table: str
    key: str

    def event(self, player: str) -> str:
        """Return the identifier of the event that the log must hold for this act."""
        path = f"/v1/tables/{self.table}/actions"
        parts = msgspec.json.encode([player, "POST", path, self.key])
        return str(event_id(uuid5(NAMESPACE, sha256(parts).hexdigest()), 0))


@dataclass
class Traffic:
    """The forms that the phones have sent, and the answers."""

    sent: set[Act] = field(default_factory=set)
    acknowledged: set[Act] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)
    renewed: dict[str, float] = field(default_factory=dict)
    """The time of each phone's last good answer for a part of its page."""

    def follow(self, login: str, seen: Seen) -> None:
        """Watch a phone."""
        seen.context.on("request", lambda request: self._asked(login, request))
        seen.context.on("response", lambda response: self._answered(login, response))

    def _asked(self, login: str, request: Request) -> None:
        if request.redirected_from is None or request.is_navigation_request():
            self.requests[_kind(request)] += 1  # a script sees redirects but does not follow them
        act = _act(login, request)
        if act is not None:
            self.sent.add(act)

    def _answered(self, login: str, response: Response) -> None:
        act = _act(login, response.request)
        if act is not None and response.status == 303:
            self.acknowledged.add(act)
        elif response.status >= 400:
            self.refused.append(f"{response.status} {response.request.method} {response.url}")
        if _kind(response.request) == "parts" and response.status in (200, 304):
            self.renewed[login] = time.monotonic()


def _act(login: str, request: Request) -> Act | None:
    path = urlsplit(request.url).path
    if request.method != "POST" or not re.fullmatch("/tables/tbl_[0-9a-f]{32}", path):
        return None
    fields = parse_qs(request.post_data or "")
    if fields["do"] == ["count"]:
        return None
    return Act(login, path.removeprefix("/tables/"), fields["key"][0])


def _kind(request: Request) -> str:
    where = urlsplit(request.url)
    if request.method == "POST":
        return "forms"
    if "part=" in where.query:
        return "parts"
    if where.path == "/live":
        return "streams"
    return "files" if where.path.startswith("/static/") else "pages"


@dataclass
class Phone:
    """A person's phone, which is a browser of its own."""

    house: House
    traffic: Traffic
    login: str
    name: str
    person: Person | None = None
    """The owner, if they have signed in already."""

    seen: Seen = field(init=False)
    page: Page = field(init=False)

    def __post_init__(self) -> None:
        self.open(self.person)

    def open(self, person: Person | None = None) -> None:
        """Open a browser that knows only the session of *person*."""
        self.seen = self.house.open(person, PHONE, has_touch=True, is_mobile=True)
        self.seen.context.add_init_script(THUMB)
        self.traffic.follow(self.login, self.seen)
        self.page = self.seen.context.new_page()
        self.page.set_default_timeout(PATIENCE)

    def join(self, code: str, tournament: str) -> None:
        """Sign up by the invitation, enter the evening and check in."""
        page = self.page
        page.goto(f"/join/{code}")
        page.get_by_label("Name").fill(self.name)
        page.get_by_label("Login").fill(self.login)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Join").click()
        expect(page.get_by_text("Welcome. You are signed in.")).to_be_visible()
        page.goto(f"/tournaments/{tournament}")
        page.get_by_role("button", name="Enter").click()
        expect(page.get_by_text("You are on the list.")).to_be_visible()
        page.get_by_role("button", name="I am here").click()
        expect(page.locator("#poster").get_by_text("You are checked in.")).to_be_visible()

    def reload(self) -> bool:
        """Go home if the browser shows that it could not reach a page. Return whether it did."""
        lost = self.page.url.startswith("chrome-error:")
        if lost:
            self.page.goto("/")
        return lost

    def lose(self) -> list[str]:
        """Break the phone. Return the earlier complaints of its page."""
        found = self.seen.violations()
        self.house.opened.remove(self.seen)
        self.seen.context.close()
        return found

    def come_back(self) -> None:
        """Sign in on another phone. The home page leads to the seat."""
        self.open()
        self.page.goto("/sign-in")
        self.page.get_by_label("Login").fill(self.login)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Sign in").click()


class Server:
    """
    ``holotable up`` in a process of its own.

    Args:
        data: The directory of its data.
    """

    def __init__(self, data: Path) -> None:
        self.data = data
        self.url = ""
        self._said = data.with_suffix(".said")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server. The second start continues with its data, at the same address."""
        port = str(urlsplit(self.url).port or 0)
        inherited = {name: it for name, it in os.environ.items() if not name.startswith(PREFIX)}
        command = [sys.executable, "-m", "service.cli.main", "up", "--port", port]
        with self._said.open("wb") as said:
            self._process = subprocess.Popen(
                [*command, "--data", str(self.data)],
                cwd=ROOT, env=inherited, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
            )  # fmt: skip

    def up(self) -> bool:
        """Return whether it has reported that it is up."""
        said = self._said.read_text(encoding="utf-8")
        found = re.search(r"is up at (http\S+?),", said)
        assert self._process is None or self._process.poll() is None, said
        if found:
            self.url = found[1]
        return found is not None

    def kill(self) -> None:
        """Kill the API and the process that would start it again, and wait until all have ended."""
        assert self._process is not None
        children = dict(_children(self._process.pid))
        self._process.kill()
        os.kill(children["api"], signal.SIGKILL)
        self._process.wait()
        until = time.monotonic() + UP_SECONDS
        while any(_lives(each) for each in children.values()):
            assert time.monotonic() < until, "a child lives on"
            time.sleep(0.02)  # it is not a child of this process, so it cannot be waited for

    def memory(self) -> dict[str, int]:
        """Return the peak memory of each process, in MiB."""
        assert self._process is not None
        return {name: _peak(pid) for name, pid in _children(self._process.pid)}

    def stop(self) -> None:
        """Stop the server in order."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()


def _children(pid: int) -> Iterator[tuple[str, int]]:
    """Yield the last word of the command line of each child, and its number."""
    for each in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split():
        words = Path(f"/proc/{each}/cmdline").read_bytes().split(b"\0")
        name = "postgres" if words[0].endswith(b"postgres") else words[-2].decode()
        yield name, int(each)


def _lives(pid: int) -> bool:
    """Return whether a process runs. One that has ended may still wait for its parent."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except FileNotFoundError:
        return False
    return told.rpartition(")")[2].split()[0] != "Z"


def _peak(pid: int) -> int:
    told = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(r"VmHWM:\s+(\d+) kB", told)
    return int(found[1]) // 1024 if found else 0
