"""Times on pages that scripts change: they stay in the reader's own zone."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import DESK, PHONE
from tests.browser.house import House
from tests.browser.test_table import opened, played_out

pytestmark = pytest.mark.slow

TORONTO = "America/Toronto"


def test_a_step_of_a_replay_keeps_the_time_of_the_reader(house: House) -> None:
    mine, hand = played_out(house, "better")
    page = house.open(mine, DESK, timezone_id=TORONTO).context.new_page()
    opened(page, hand)
    time = page.locator(".stage-facts time")
    expect(time).not_to_contain_text("UTC")

    page.get_by_role("link", name="Next step").click()

    expect(page.get_by_text(re.compile("^Step 2 of"))).to_be_visible()
    at = datetime.fromisoformat(str(time.get_attribute("datetime"))).astimezone(ZoneInfo(TORONTO))
    expect(time).to_contain_text(f"{at:%M}")
    expect(time).not_to_contain_text("UTC")


def test_a_change_begins_with_the_start_in_the_zone_of_the_device(house: House) -> None:
    owner, league = house.league()
    start = (datetime.now(UTC) + timedelta(days=30)).replace(minute=20, second=0, microsecond=0)
    evening = house.evening(owner, league, starts_at=start.isoformat())
    page = house.open(owner, PHONE, timezone_id=TORONTO, locale="de-DE").context.new_page()
    page.goto(f"/tournaments/{evening}/change")
    here = start.astimezone(ZoneInfo(TORONTO))

    expect(page.locator("[name=zone]")).to_have_value(TORONTO)
    expect(page.locator("[name=date]")).to_have_value(f"{here:%Y-%m-%d}")
    expect(page.locator("[name=time]")).to_have_value(f"{here:%H:%M}")
    page.locator("[name=reason]").fill("Nichts")
    page.get_by_role("button", name="Änderung ansehen").click()
    expect(page.get_by_text("Es wurde nichts geändert.")).to_be_visible()


SHOWN = """async ([base, at]) => {
  const {localise} = await import(`${base}/times.js`);
  const part = document.createElement("div");
  part.innerHTML = at.map((each) => `<time datetime="${each}" data-local="time">?</time>`).join("");
  localise(part);
  return [...part.children].map((each) => each.textContent);
}"""


def test_a_time_of_another_day_says_the_day(house: House) -> None:
    for locale, tomorrow, days in (
        ("en-GB", "tomorrow", "Mon Tue Wed Thu Fri Sat Sun"),
        ("de-DE", "morgen", "Mo Di Mi Do Fr Sa So"),
    ):
        page = house.open(None, DESK, timezone_id=TORONTO, locale=locale).context.new_page()
        page.goto("/sign-in")
        base = str(page.locator("script[src]").first.get_attribute("src")).rsplit("/", 1)[0]
        noon = datetime.now(ZoneInfo(TORONTO)).replace(hour=12, minute=5, second=0, microsecond=0)
        at = [noon + timedelta(days=each) for each in (0, 1, 3, 6, 7)]
        told = page.evaluate(SHOWN, [base, [each.isoformat() for each in at]])
        assert told[:2] == ["12:05", f"{tomorrow} 12:05"]
        bare = [re.sub("[.,]", "", each) for each in told]
        weekdays = [days.split()[each.weekday()] for each in at]
        assert bare[2:4] == [f"{weekdays[2]} 12:05", f"{weekdays[3]} 12:05"]
        assert bare[4].startswith(f"{weekdays[4]} {at[4].day} "), "not the next such weekday"
        assert bare[4].endswith(" 12:05")
