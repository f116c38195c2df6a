"""Live parts: events before a stream opens, after an outage, and with late answers."""

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.chromium import DESK
from tests.browser.house import House, Person
from tests.browser.test_table import answer, begun, seated

pytestmark = pytest.mark.slow

LIVE = re.compile(r"/live\?")
PART = re.compile(r"[?&]part=")
COUNTING = """
const seen = { told: 0, asked: 0, renewed: 0 };
const count = (name) => document.documentElement.setAttribute(`data-${name}`, ++seen[name]);
window.EventSource = class extends EventSource {
  constructor(address) {
    super(address);
    this.addEventListener("changed", () => count("told"));
  }
};
const { fetch } = window;
window.fetch = (...given) => (count("asked"), fetch(...given));
addEventListener("renewed", () => count("renewed"));
"""
OUTAGE_SECONDS = 60
SLOW_SECONDS = 30


def poster(house: House) -> tuple[Page, Person, str, Callable[[str], Locator]]:
    """Return a page that is not open yet, the owner, an evening, and the selector of a guest."""
    owner, league = house.league()
    evening = house.evening(owner, league)
    page = house.open(owner, DESK).context.new_page()
    return page, owner, evening, lambda name: page.locator("#poster").get_by_text(name)


def living(house: House) -> tuple[Page, Person, str, Callable[[str], Locator]]:
    """Return the same, with the page open and a first guest shown by its stream."""
    page, owner, evening, guest = poster(house)
    page.goto(f"/tournaments/{evening}")
    walk_in(owner, evening, "Bossk")
    expect(guest("Bossk")).to_be_visible()
    return page, owner, evening, guest


def walk_in(owner: Person, evening: str, name: str) -> None:
    owner.post(f"/v1/tournaments/{evening}/walk-ins", {"name": name})


def floor_of_two(house: House) -> tuple[Page, str]:
    """Return a page that is not open yet, and the path of a floor on which two have begun."""
    owner, league = house.league()
    evening = house.evening(owner, league, hands_between_seconds=3600)
    for name in ("Bossk", "Dengar"):
        walk_in(owner, evening, name)
    owner.post(f"/v1/tournaments/{evening}/start")
    return house.open(owner, DESK).context.new_page(), f"/tournaments/{evening}/floor"


def taken(page: Page, routes: list[Route]) -> Route:
    """Return the first request that is held back, once it has come."""
    until = time.monotonic() + OUTAGE_SECONDS
    while not routes:
        assert time.monotonic() < until
        page.evaluate("0")
    return routes[0]


def test_nothing_is_lost_before_the_stream_opens_nor_in_an_outage(house: House) -> None:
    page, owner, evening, guest = poster(house)
    asked: list[Route] = []

    def refuse_once(route: Route) -> None:
        asked.append(route)
        if len(asked) > 1:
            route.continue_()

    page.clock.install()
    page.route(LIVE, refuse_once)
    page.goto(f"/tournaments/{evening}")
    first = taken(page, asked)
    walk_in(owner, evening, "Bossk")
    first.fulfill(status=503)
    walk_in(owner, evening, "Dengar")
    while len(asked) == 1:
        page.clock.fast_forward(OUTAGE_SECONDS * 1000)
    page.clock.resume()

    expect(guest("Bossk")).to_be_visible()
    expect(guest("Dengar")).to_be_visible()


@pytest.mark.parametrize("status", [None, 502])
def test_a_part_that_failed_is_asked_again_though_the_stream_stays(
    house: House, status: int | None
) -> None:
    """Another process answers the request, or ends before it can."""
    page, owner, evening, guest = living(house)
    page.clock.install()
    failed: list[Route] = []

    def hold(route: Route) -> None:
        failed.append(route)

    page.route(PART, hold, times=1)
    with page.expect_request(PART):
        walk_in(owner, evening, "Dengar")
        page.clock.fast_forward(1000)
    first = taken(page, failed)

    if status is None:
        first.abort()
    else:
        first.fulfill(status=status)

    page.clock.run_for(OUTAGE_SECONDS * 1000)
    expect(guest("Dengar")).to_be_visible()


def test_news_ends_the_pause_of_a_part_that_failed_often(house: House) -> None:
    page, owner, evening, guest = living(house)
    page.clock.install()
    failed: list[Route] = []

    def fail(route: Route) -> None:
        failed.append(route)
        route.fulfill(status=503)

    page.route(PART, fail)
    walk_in(owner, evening, "Dengar")
    until = time.monotonic() + OUTAGE_SECONDS
    while len(failed) < 6:
        assert time.monotonic() < until
        page.clock.fast_forward(OUTAGE_SECONDS * 1000)
        page.wait_for_timeout(20)  # a request is seen only while the driver waits
    page.unroute(PART)

    walk_in(owner, evening, "Zuckuss")

    expect(guest("Zuckuss")).to_be_visible()


@contextmanager
def slow_to_watch() -> Iterator[tuple[str, threading.Event]]:
    """Serve a stream that opens at once, and begins to watch only once the event is set."""
    watches = threading.Event()

    class Slow(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b": open\nretry: 60000\n\n")
            watches.wait(OUTAGE_SECONDS)
            self.wfile.write(b"event: begun\ndata: {}\n\n")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/live", watches
        finally:
            watches.set()
            server.shutdown()
            thread.join()


def test_nothing_is_lost_between_the_open_stream_and_the_first_watch(house: House) -> None:
    page, owner, evening, guest = poster(house)
    page.add_init_script(
        """window.EventSource = class extends EventSource {
          constructor(address) {
            super(address);
            this.addEventListener("open", () => setTimeout(() => console.info("opened"), 1000));
          }
        };"""
    )
    with slow_to_watch() as (address, watches):
        page.route(LIVE, lambda route: route.continue_(url=address))
        # A second later, everything that the open stream caused is done.
        with page.expect_console_message(lambda message: message.text == "opened"):
            page.goto(f"/tournaments/{evening}")
        walk_in(owner, evening, "Bossk")
        watches.set()

        expect(guest("Bossk")).to_be_visible()


def test_a_late_answer_does_not_replace_a_newer_one(house: House) -> None:
    page, owner, evening, guest = living(house)
    late: list[Route] = []

    def hold(route: Route) -> None:
        late.append(route)

    page.route(PART, hold, times=1)
    with page.expect_request(PART):
        walk_in(owner, evening, "Dengar")
    first = taken(page, late)
    old = first.fetch()

    walk_in(owner, evening, "Zuckuss")
    expect(guest("Zuckuss")).to_be_visible()
    page.evaluate(
        """() => {
          window.seen = [];
          addEventListener("renewed", (event) => seen.push(event.target.textContent));
        }"""
    )
    with page.expect_event("requestfinished", lambda request: request == first.request):
        first.fulfill(response=old)
    walk_in(owner, evening, "Fett")
    expect(guest("Fett")).to_be_visible()

    assert all("Zuckuss" in each for each in page.evaluate("seen"))


def test_a_stranger_asks_for_the_floor_only_if_it_shows_something_else(house: House) -> None:
    owner, league = house.league(visibility="public")
    people = [house.join(owner, league) for _ in range(2)]
    table = begun(owner, league, people, "better")
    view = people[0].get(f"/v1/tables/{table}")
    evening = view["tournament"]
    page = house.open(None, DESK).context.new_page()
    page.clock.install()
    page.add_init_script(COUNTING)
    page.goto(f"/tournaments/{evening}/floor")
    whole = page.locator("html")
    expect(whole).to_have_attribute("data-renewed", "1")  # it asks for what it may have missed

    answer(people[0], table, view)
    expect(whole).to_have_attribute("data-told", "1")
    page.clock.fast_forward(SLOW_SECONDS * 1000)
    owner.post(f"/v1/tournaments/{evening}/pause")
    expect(whole).to_have_attribute("data-told", "2")
    page.clock.fast_forward(SLOW_SECONDS * 1000)

    assert whole.get_attribute("data-asked") == "2"
    expect(page.locator("#floor").get_by_text("Paused")).to_be_visible()


def test_the_rest_of_a_long_list_comes_by_itself(house: House) -> None:
    owner, league = house.league()
    evening = house.evening(owner, league)
    for number in range(52):
        walk_in(owner, evening, f"Player {number + 1}")
    without = house.open(owner, DESK, java_script_enabled=False).context.new_page()
    without.goto(f"/tournaments/{evening}/door")
    rows = ".door > [data-player]"
    expect(without.locator(rows)).to_have_count(48)
    without.get_by_role("link", name="Show all 52").click()
    expect(without.locator(rows)).to_have_count(52)
    page = house.open(owner, DESK).context.new_page()

    page.goto(f"/tournaments/{evening}/door")

    expect(page.locator(rows)).to_have_count(52)
    expect(page.locator(".later")).to_have_count(0)


def test_a_page_that_refused_a_form_goes_on_living(house: House) -> None:
    page, owner, evening, _ = poster(house)
    page.goto(f"/tournaments/{evening}/door")
    page.evaluate("document.querySelector('form[action$=\"/walk-in\"]').noValidate = true")
    page.get_by_role("button", name="Enter the walk-in").click()
    expect(page.locator("#errors")).to_be_visible()

    walk_in(owner, evening, "Bossk")

    expect(page.locator("#people .line-name").get_by_text("Bossk")).to_be_visible()


def test_a_second_tap_sends_nothing_though_the_part_has_changed(house: House) -> None:
    page, floor = floor_of_two(house)
    page.clock.install()
    page.goto(floor)
    # The form is sent, and the next page does not come.
    page.evaluate(
        """() => {
          window.sent = 0;
          addEventListener("submit", (event) => {
            if (event.defaultPrevented) return;
            event.preventDefault();
            sent++;
            const body = new URLSearchParams(new FormData(event.target, event.submitter));
            fetch(event.target.action, { method: "POST", body, redirect: "manual" });
          });
        }"""
    )
    tap = "document.querySelector('button[value=\"seconds:60\"]').click()"

    with page.expect_event("requestfinished", lambda request: bool(PART.search(request.url))):
        page.evaluate(tap)
    page.evaluate("new Promise((rest) => setTimeout(rest, 500))")  # the part is shown by now
    page.clock.fast_forward(SLOW_SECONDS * 1000)
    page.evaluate(tap)

    assert page.evaluate("sent") == 1


def test_enter_in_a_field_of_a_seat_warns_nobody(house: House) -> None:
    page, floor = floor_of_two(house)
    page.goto(floor)
    page.get_by_text("Bossk").first.click()
    sent: list[str] = []
    page.on("request", lambda request: request.method == "POST" and sent.append(request.url))

    for name in ("hands", "reason"):
        field = page.locator(f"form.seat-acts input[name={name}]:visible").first
        field.press("Enter")

    expect(field).to_be_visible()
    assert sent == []


def test_a_hidden_table_still_tells_of_a_turn(house: House) -> None:
    people, table = seated(house, "better")
    page = house.open(people[0], DESK).context.new_page()
    page.goto(f"/tables/{table}")
    expect(page).to_have_title(re.compile(r"^\(1\)"))
    page.evaluate(
        """() => Object.defineProperty(document, "visibilityState", {get: () => "hidden"})"""
    )

    for person in people:
        answer(person, table, person.get(f"/v1/tables/{table}"))

    view = people[0].get(f"/v1/tables/{table}")
    expect(page.locator("[data-table]")).to_have_attribute(
        "data-decision", view["decision"]["token"]
    )
