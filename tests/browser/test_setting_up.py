"""A newcomer founds a league and plans a weekly evening, with a browser and nothing else."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.chromium import DESK, PHONE, barriers, overflow
from tests.browser.house import PASSWORD, House
from tests.browser.test_table import begun

pytestmark = pytest.mark.slow

SECONDS_A_CLICK, SECONDS_A_FIELD = 5, 8
"""The seconds that a newcomer needs to find and press a button, and to fill in a field."""


class Newcomer:
    """Presses and types, and counts."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = self.fields = 0

    def press(self, found: Locator) -> None:
        """Press the element that is found."""
        found.first.click()
        self.clicks += 1

    def button(self, name: str) -> None:
        """Press a button or a link that looks like one."""
        wanted = self.page.get_by_role("button", name=name, exact=True)
        self.press(wanted.or_(self.page.get_by_role("link", name=name, exact=True)))

    def type(self, label: str, text: str) -> None:
        """Fill in a field."""
        self.page.get_by_label(label, exact=True).fill(text)
        self.fields += 1

    def seconds(self) -> float:
        """Return the time that a person would have taken, by the clicks and fields."""
        return self.clicks * SECONDS_A_CLICK + self.fields * SECONDS_A_FIELD


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_a_newcomer_plans_a_weekly_evening_in_three_minutes(house: House, scripts: bool) -> None:
    page = house.open(size=DESK, java_script_enabled=scripts).context.new_page()
    newcomer = Newcomer(page)
    login = f"founder-{'s' if scripts else 'n'}-{house.person().login}"
    page.goto("/")
    newcomer.button("Sign up")
    newcomer.type("Name", "Tendra")
    newcomer.type("Login", login)
    newcomer.type("Password", PASSWORD)
    newcomer.button("Sign up")
    newcomer.button("Found a league")
    newcomer.type("Name", "Sabacc im Café")
    newcomer.button("Found the league")
    expect(page.get_by_role("heading", level=1)).to_have_text("New evening")
    newcomer.type("Name", "Thursday")
    newcomer.type("Maximum players", "24")
    newcomer.button("Propose an evening")
    expect(page.get_by_role("heading", level=1)).to_have_text("Thursday")
    newcomer.button("Plan the evenings")

    expect(page.get_by_text("The evenings are planned.")).to_be_visible()
    for _ in range(20):  # read models may lag on a busy machine, and only scripts renew the page
        if page.get_by_text("Thursday").count():
            break
        page.reload()
    expect(page.get_by_text("Thursday").first).to_be_visible()
    assert newcomer.seconds() < 180, (newcomer.clicks, newcomer.fields)
    assert newcomer.clicks <= 6


def test_setting_up_has_no_barriers_on_a_phone(house: House) -> None:
    owner, league = house.league("Ärzte & Söhne, Spielabend e. V.")
    page = house.open(owner, PHONE).context.new_page()
    found = {}
    for path in (
        "/new-league",
        f"/leagues/{league}/setup",
        f"/leagues/{league}/new-evening",
        f"/leagues/{league}/new-evening/plan?price=5&players=24",
    ):
        page.goto(path)
        found[path] = [*barriers(page), *(["too wide"] if overflow(page) > 0 else [])]

    assert {path: each for path, each in found.items() if each} == {}


def test_a_proposal_follows_at_once_what_is_changed_in_it(house: House) -> None:
    owner, league = house.league()
    page = house.open(owner, PHONE).context.new_page()
    page.goto(
        f"/leagues/{league}/new-evening/plan?often=once&players=24&name=Thursday&date=2031-05-01"
    )
    page.get_by_label("Name").fill("Friday")
    seats = page.get_by_label("Seats at a table")
    expect(seats).to_have_value("8")

    page.get_by_label("Maximum players").fill("6")
    page.get_by_label("Length", exact=True).fill("90")

    expect(seats).to_have_value("6")
    expect(page.get_by_label("Name")).to_have_value("Friday")
    expect(page.get_by_label("Length", exact=True)).to_have_value("90")
    seats.fill("3")
    page.get_by_label("Starting stack").focus()
    expect(page.locator(".facts")).to_contain_text("3 seats each")
    expect(page.locator("#news")).to_contain_text("simulated evenings end between")
    page.get_by_label("Starting stack").press("Enter")
    expect(page).to_have_url(re.compile("players=6"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Friday")
    expect(seats).to_have_value("3")


def test_the_example_of_a_season_follows_the_preset(house: House) -> None:
    owner, league = house.league()
    page = house.open(owner, PHONE).context.new_page()
    page.goto(f"/leagues/{league}/new-season")
    example = page.get_by_role("table", name="For example")
    expect(example).to_contain_text("18")

    page.get_by_text("Fixed table", exact=True).click()

    expect(example).to_contain_text("80")
    page.get_by_text("Other ways to count").click()
    page.get_by_text("Table and knock-outs", exact=True).click()
    expect(example).to_contain_text("Bonus")
    assert barriers(page) == []
    assert overflow(page) == 0


def test_enter_in_the_form_of_a_seat_warns_nobody(house: House) -> None:
    owner, league = house.league()
    people = [house.join(owner, league) for _ in range(2)]
    table = begun(owner, league, people, "better")
    evening = people[0].get(f"/v1/tables/{table}")["tournament"]
    page = house.open(owner, DESK).context.new_page()
    page.goto(f"/tournaments/{evening}/floor")
    acts = page.locator(".seat-acts").first
    acts.evaluate("(form) => { form.closest('details').open = true; }")

    acts.get_by_label("Hands of the penalty").press("Enter")
    acts.get_by_label("Reason").press("Enter")
    acts.get_by_role("button", name="Warn").click()

    expect(page.get_by_text("warned", exact=False).first).to_be_visible()
    deeds = owner.get(f"/v1/leagues/{league}/staff-log")["items"]
    assert len([each for each in deeds if each["type"] == "entrant_warned"]) == 1


def test_the_zone_is_that_of_the_device(house: House) -> None:
    owner, league = house.league()
    page = house.open(owner, PHONE, timezone_id="America/Toronto").context.new_page()
    page.goto(f"/leagues/{league}/new-evening")

    expect(page.get_by_label("Time zone")).to_have_value("America/Toronto")
    page.get_by_text("Once", exact=True).click()
    page.get_by_role("button", name="Propose an evening").click()
    page.get_by_role("button", name="Announce the evening").first.click()
    expect(page).to_have_url(re.compile("/tournaments/trn_"))


def test_a_list_to_import_is_read_from_a_file_that_is_chosen_on_a_phone(house: House) -> None:
    owner, league = house.league()
    page = house.open(owner, PHONE).context.new_page()
    page.goto(f"/leagues/{league}/people")
    chosen = {"name": "club.csv", "mimeType": "text/csv", "buffer": "name\nZoë".encode("cp1252")}

    page.get_by_label("Or a file from this device").set_input_files(chosen)

    expect(page.get_by_label("Names", exact=True)).to_have_value("name\nZoë")
    assert not overflow(page)
    page.get_by_role("button", name="Check the list").click()
    expect(page.get_by_role("button", name="Import the list")).to_be_visible()


@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
def test_a_time_of_the_news_ends_before_its_mark(house: House, locale: str) -> None:
    owner, league = house.league()
    begun(owner, league, [house.join(owner, league) for _ in range(2)], "better")
    [evening] = owner.get(f"/v1/leagues/{league}/tournaments")["items"]
    page = house.open(owner, PHONE, locale=locale).context.new_page()
    page.goto(f"/tournaments/{evening['id']}/floor")
    line = page.locator(".timeline > li").first
    expect(line).to_be_visible()

    end = """each => {
      const words = document.createRange();
      words.selectNodeContents(each);
      return words.getBoundingClientRect().right;
    }"""
    time, text = line.locator("time").evaluate(end), line.locator("div").bounding_box()
    mark = line.evaluate("each => parseFloat(getComputedStyle(each, '::after').width)")

    assert text is not None
    assert mark + 16 <= text["x"] - time <= mark + 40
