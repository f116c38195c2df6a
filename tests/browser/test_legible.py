"""Nothing that a person has to read lies under something else, or is broken within a word."""

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import DESK, PHONE
from tests.browser.house import House, Person
from tests.browser.test_table import answer, seated

pytestmark = pytest.mark.slow

TOUCH = 4
"""The pixels by which a plate may overlap the empty edge of a card."""

_OVERLAPS = """() => [...document.querySelectorAll(".seat")].flatMap((seat) => {
  const plate = seat.querySelector(".seat-plate").getBoundingClientRect();
  return [...seat.querySelectorAll(".fan > svg")].map((card) =>
    card.getBoundingClientRect().bottom - plate.top);
})"""

_HIDDEN = """() => {
  const chips = [...document.querySelectorAll(".bet")].map((each) => each.getBoundingClientRect());
  const under = [...document.querySelectorAll(".fan > svg, .middle-dice > svg")];
  return [chips.length, under.filter((each) => {
    const card = each.getBoundingClientRect();
    return chips.some((chip) => chip.left < card.right && chip.right > card.left
      && chip.top < card.bottom && chip.bottom > card.top);
  }).length];
}"""

_BROKEN = """(selector) => [...document.querySelectorAll(selector)].flatMap((each) => {
  const walker = document.createTreeWalker(each, NodeFilter.SHOW_TEXT), found = [];
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    for (const word of text.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      if (range.getClientRects().length > 1) found.push(word[0]);
    }
  }
  return found;
})"""


def played(house: House) -> tuple[list[Person], str]:
    """Play a hand to its showdown. Return its players and the table."""
    people, table = seated(house, "better", players=3)
    while not (views := [each.get(f"/v1/tables/{table}") for each in people])[0]["last_hand"]:
        for person, view in zip(people, views, strict=True):
            if view["my_turn"]:
                answer(person, table, person.get(f"/v1/tables/{table}"))
    return people, table


def test_a_shown_card_is_whole_above_the_plate_of_its_seat(house: House) -> None:
    people, table = played(house)
    for size in (PHONE, DESK):
        page = house.open(people[0], size).context.new_page()
        page.goto(f"/tables/{table}")
        expect(page.locator(".ended")).to_be_visible()

        overlaps = page.evaluate(_OVERLAPS)

        assert overlaps
        assert max(overlaps) <= TOUCH


@pytest.mark.parametrize("width", [1000, 1280, 1920])
def test_chips_lie_on_no_card_and_on_no_die(house: House, width: int) -> None:
    people, table = played(house)
    page = house.open(people[0], (width, 900)).context.new_page()
    page.goto(f"/tables/{table}")
    page.get_by_role("link", name="Replay this hand").click()
    expect(page.locator("[data-steps] a").first).to_be_visible()
    steps = page.locator("[data-steps] a").count()
    found = []
    for step in range(2, steps, 2):
        page.goto(f"{page.url.partition('?')[0]}?step={step}")
        found.append(page.evaluate(_HIDDEN))

    assert sum(chips for chips, _ in found) > 0
    assert sum(hidden for _, hidden in found) == 0


def test_a_seat_card_breaks_no_word_that_fits(house: House) -> None:
    owner, league = house.league()
    evening = house.evening(owner, league, place="The Lodestar at the old harbour, Lindenstraße 8")
    owner.post(f"/v1/tournaments/{evening}/walk-ins", {"name": "Tobias Beckett"})
    page = house.open(owner, PHONE).context.new_page()
    broken: list[str] = []
    for width in range(320, 640, 20):
        page.set_viewport_size({"width": width, "height": PHONE[1]})
        page.goto(f"/tournaments/{evening}/prints")

        expect(page.locator(".seat-card small")).to_contain_text("Lindenstraße")
        broken += page.evaluate(_BROKEN, ".seat-card small")

    assert broken == []
