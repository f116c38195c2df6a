"""Presses that come faster than a slow server answers, and answers that never come."""

import re
import time

import pytest
from playwright.sync_api import expect

from service.console.sessions import PLAIN_COOKIE
from tests.browser.chromium import open_context
from tests.browser.house import House
from tests.browser.test_live_parts import PART, living, walk_in
from tests.browser.test_table import PHONE, seated
from tests.support.relays import Relay

pytestmark = pytest.mark.slow

SLOW_SECONDS = 2.5
"""The time until the server gets a form."""

STUCK_SECONDS = 15
TAPS = """setInterval(() => document.querySelector("button[value=select]")?.click(), 1000);"""
"""Presses the button that keeps cards, as somebody does who sees nothing happen."""


class Slow(Relay):
    """
    Passes connections on, but forms late, and the scripts in *never* not at all.

    Args:
        never: A pattern of the addresses that are never answered.
    """

    def __init__(self, url: str, never: str) -> None:
        self._never = re.compile(never.encode())
        self.forms = 0
        super().__init__(url)

    def _lets(self, content: bytes) -> bool:
        line = content.partition(b"\r\n")[0]
        if line.startswith(b"POST /tables/"):
            self.forms += 1
            time.sleep(SLOW_SECONDS)
        return self._never.search(line) is None


@pytest.mark.parametrize(
    "never", [r"table/play\.js", r"(console|play)\.js"], ids=["of-the-table", "all"]
)
def test_taps_before_the_scripts_have_come_do_not_keep_the_old_page(
    house: House, never: str
) -> None:
    people, table = seated(house, "better")
    relay = Slow(house.url, never)
    seen = open_context(house.browser, PHONE, base_url=relay.url)
    cookie = {"name": PLAIN_COOKIE, "value": people[0].session, "url": relay.url}
    seen.context.add_cookies([cookie])
    page = seen.context.new_page()
    page.add_init_script(TAPS)
    page.goto(f"/tables/{table}", wait_until="commit")
    keep = page.locator("button[value=select]")
    keep.wait_for(state="attached")

    try:
        expect(keep).to_have_count(0, timeout=STUCK_SECONDS * 1000)
        assert relay.forms == 1
    finally:
        relay.cut()
        seen.context.close()


SOON = "AbortSignal.timeout = ((real) => () => real.call(AbortSignal, 500))(AbortSignal.timeout)"
"""Lets a page wait half a second for an answer, and not half a minute."""


def test_a_part_that_is_never_answered_is_asked_again(house: House) -> None:
    page, owner, evening, guest = living(house)
    page.evaluate(SOON)
    page.route(PART, lambda route: None, times=1)

    with page.expect_request(PART):
        walk_in(owner, evening, "Dengar")

    expect(guest("Dengar")).to_be_visible()


def test_a_press_that_is_never_answered_may_be_made_again(house: House) -> None:
    people, table = seated(house, "better")
    page = house.open(people[0], PHONE).context.new_page()
    page.goto(f"/tables/{table}")
    keep = page.locator("button[value=select]")
    expect(keep.locator("[data-count]")).to_have_text("0")  # the script is there
    page.evaluate(SOON)
    page.route(re.compile(f"/tables/{table}$"), lambda route: None, times=1)

    keep.click()
    expect(page.locator("[data-offline]")).to_be_visible()
    keep.click()

    expect(keep).to_have_count(0)
