"""A newcomer comes to a first evening: by a link, on a phone, with and without scripts."""

import re

import pytest
import segno
from playwright.sync_api import Page, expect

from tests.browser.chromium import DESK, PHONE, WALL, barriers, overflow
from tests.browser.house import PASSWORD, House

pytestmark = pytest.mark.slow


def come(page: Page, code: str, name: str, login: str, tournament: str) -> None:
    """Follow an invitation, sign up, and enter the evening."""
    page.goto(f"/join/{code}")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Login").fill(login)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_text("Welcome. You are signed in.")).to_be_visible()
    page.goto(f"/tournaments/{tournament}")
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_text("You are on the list.")).to_be_visible()


def test_a_newcomer_joins_by_a_link_and_others_see_it_at_once(house: House) -> None:
    owner, league = house.league()
    evening = house.evening(owner, league)
    code = owner.post(f"/v1/leagues/{league}/invitations", {})["code"]
    desk = house.open(owner, DESK).context.new_page()
    desk.goto(f"/tournaments/{evening}")
    desk.get_by_text("Cancel this evening").first.click()
    reason = desk.get_by_label("Reason")
    reason.fill("a storm is")

    come(house.open().context.new_page(), code, "Mara", f"mara-{league[-8:]}", evening)

    expect(desk.get_by_text("Mara")).to_be_visible()
    expect(reason).to_have_value("a storm is")
    expect(reason).to_be_focused()


def test_a_newcomer_needs_no_scripts(house: House) -> None:
    owner, league = house.league()
    evening = house.evening(owner, league)
    code = owner.post(f"/v1/leagues/{league}/invitations", {})["code"]
    page = house.open(java_script_enabled=False).context.new_page()

    come(page, code, "Mara", f"mara-{league[-8:]}", evening)

    page.get_by_role("button", name="Leave").click()
    expect(page.get_by_text("You are no longer on the list.")).to_be_visible()
    page.goto("/account")
    page.get_by_role("button", name="Sign out", exact=True).first.click()
    expect(page).to_have_url(re.compile("/sign-in$"))


def test_a_failed_form_is_read_out_and_focused(house: House) -> None:
    page = house.open().context.new_page()
    page.goto("/sign-in")
    page.get_by_label("Login").fill("nobody")
    page.get_by_label("Password").fill("wrong horse")
    page.get_by_role("button", name="Sign in").click()

    summary = page.get_by_role("alert")
    expect(summary).to_contain_text("The login or the password is wrong.")
    expect(summary).to_be_focused()
    expect(page.get_by_label("Login")).to_have_value("nobody")


def test_the_first_pages_have_no_barriers(house: House) -> None:
    """By all of axe's rules. ``test_sweep.py`` opens every page, and checks the rules of WCAG."""
    owner, league = house.league(visibility="public")
    evening = house.evening(owner, league, name="A very long name of an evening in the old town")
    player = house.join(owner, league)
    player.post(f"/v1/tournaments/{evening}/registrations")
    visits = (
        (None, WALL, "dark", ("/", "/sign-in", "/sign-up")),
        (owner, PHONE, "light", (f"/leagues/{league}", f"/tournaments/{evening}")),
        (player, PHONE, "dark", (f"/tournaments/{evening}", "/account", "/nothing")),
    )
    found = {}
    for who, size, scheme, paths in visits:
        page = house.open(who, size, color_scheme=scheme).context.new_page()
        for path in paths:
            page.goto(path)
            name = f"{who.name if who else 'stranger'} {path}"
            found[name] = [*barriers(page), *(["too wide"] if overflow(page) > 0 else [])]

    assert {name: each for name, each in found.items() if each} == {}


def test_a_code_at_the_door_is_read_by_the_phones_own_camera(house: House) -> None:
    """Without a camera of its own the page says how. The code is a link, which needs no script."""
    owner, league = house.league()
    evening = house.evening(owner, league, entry={"check_in_opens_before_seconds": 600})
    player = house.join(owner, league, name="Mara")
    house.join(owner, league, name="Nobody else")
    player.post(f"/v1/tournaments/{evening}/registrations")
    link = f"/tournaments/{evening}/here/{player.player}"
    theirs = house.open(player).context.new_page()
    theirs.goto(f"/tournaments/{evening}")
    theirs.get_by_text("My code for the door").click()
    drawn = theirs.locator(".qr svg path").last.get_attribute("d")
    assert f'd="{drawn}"' in segno.make(f"{house.url}{link}", error="m", micro=False).svg_inline(
        omitsize=True, border=2, svgclass=None, lineclass=None
    )  # so a camera reads this address, and opens it
    theirs.goto(link)
    expect(theirs).to_have_url(f"{house.url}/tournaments/{evening}")

    door = house.open(owner).context.new_page()
    door.goto(f"/tournaments/{evening}/door")
    expect(door.get_by_text("point your phone’s own camera at it")).to_be_visible()
    expect(door.get_by_role("button", name="Scan a code")).to_be_hidden()
    door.goto(link)
    expect(door.locator("[data-player]")).to_have_count(1)
    door.get_by_role("button", name="Here").click()
    expect(door.get_by_role("button", name="Here")).to_have_attribute("aria-pressed", "true")
    entrant = owner.get(f"/v1/tournaments/{evening}")["entrants"][0]
    assert (entrant["player"], entrant["checked_in"]) == (player.player, True)
