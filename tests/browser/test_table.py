"""The playing table and the replayer on a phone: a hand of each ruleset, keys, and the proof."""

import re
import time
from datetime import datetime
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from engine.rulesets.presets import PRESETS
from service.console.sessions import PLAIN_COOKIE
from tests.browser.chromium import DESK, barriers, covered, open_context, overflow
from tests.browser.house import House, Person
from tests.support.relays import Relay

pytestmark = pytest.mark.slow

PHONE = (360, 800)
STACKS = {"official": None, "halcyon_10": 10}
STEPS_MAX = 120
SEATING_SECONDS = 20
SIGNING_SECONDS = 30
looked_at: set[tuple[str, ...]] = set()
"""The phases and the buttons of turns that were checked. Many rulesets share them."""

TARGET = 44
"""The least height and width of a control, in pixels."""


def seated(house: House, ruleset: str, players: int = 2, **terms: Any) -> tuple[list[Person], str]:
    """Start a tournament of one table. Return its players and the table."""
    owner, league = house.league()
    people = [house.join(owner, league) for _ in range(players)]
    return people, begun(owner, league, people, ruleset, **terms)


def begun(owner: Person, league: str, people: list[Person], ruleset: str, **terms: Any) -> str:
    stack = STACKS.get(ruleset, 100)
    asked = {
        "ruleset": ruleset,
        "hands_between_seconds": 60,
        "decision_seconds": 120,
        **({} if stack is None else {"starting_stack": stack}),
        **({"overrides": {"rebuy": {"seconds": 0}}} if ruleset == "casino" else {}),
        **terms,
    }
    evening = owner.post(f"/v1/leagues/{league}/tournaments", {"name": "Thursday"} | asked)["id"]
    for each in people:
        each.post(f"/v1/tournaments/{evening}/registrations")
    owner.post(f"/v1/tournaments/{evening}/start")
    until = time.monotonic() + SEATING_SECONDS
    while time.monotonic() < until:
        tables = owner.get(f"/v1/tournaments/{evening}")["tables"]
        if tables and people[0].get(f"/v1/tables/{tables[0]['id']}")["decision"]:
            return str(tables[0]["id"])
    raise AssertionError("the tournament has no table")


def wanted(view: Any) -> set[str]:
    return {
        each["verb"] + (f":{each['source']}" if each.get("source") else "")
        for each in view["legal"]
    }


def chosen(view: Any) -> tuple[str, list[str]]:
    """Return the button to press, and the cards to choose, so that the hand goes on and ends."""
    legal = {each["verb"]: each for each in view["legal"]}
    if "select" in legal:
        return "select", view["me"]["cards"][:2]
    if "improve" in legal:
        return "improve", view["me"]["new_cards"][:1]
    if "swap" in legal and view["rounds"]["round"] == 1:
        return f"swap:{legal['swap']['source']}", legal["swap"]["cards"][:1]
    if "trade" in legal and view["rounds"]["round"] == 1:
        return "trade:pile", legal["trade"]["cards"][:1]
    order = ("call_hand", "stand", "check", "call", "stay")
    return next(each for each in order if each in legal), []


def at_table(page: Page) -> Locator:
    return page.locator("[data-table]")


def press(page: Page, do: str, cards: list[str]) -> None:
    """Choose cards and press a button, as a person would."""
    for card in cards:
        page.locator(f'label:has(input[value="{card}"])').click()
    page.locator(f'button[value="{do}"]').click()


def answered(page: Page, view: Any) -> None:
    """Wait until the page no longer asks for the decision of *view*."""
    asked = f'[data-turn][data-decision="{view["decision"]["token"]}"]'
    expect(page.locator(asked)).to_have_count(0)


def answer(person: Person, table: str, view: Any) -> None:
    """Let the other player answer over the API."""
    do, cards = chosen(view)
    verb, _, source = do.partition(":")
    body: dict[str, Any] = {"type": verb, "decision": view["decision"]["token"]}
    if verb in ("select", "improve"):
        body["cards"] = cards
    elif cards:
        body["card"] = cards[0]
    person.post(f"/v1/tables/{table}/actions", body | ({"source": source} if source else {}))


@pytest.mark.parametrize("ruleset", sorted(PRESETS))
def test_a_hand_of_each_ruleset_is_played_with_one_thumb(house: House, ruleset: str) -> None:
    [mine, other], table = seated(house, ruleset)
    page = house.open(mine, PHONE, has_touch=True).context.new_page()
    page.goto(f"/tables/{table}")

    for _ in range(STEPS_MAX):
        view = mine.get(f"/v1/tables/{table}")
        if view["last_hand"]:
            break
        theirs = other.get(f"/v1/tables/{table}")
        if not view["my_turn"]:
            if theirs["my_turn"]:
                answer(other, table, theirs)
            continue
        expect(at_table(page)).to_have_attribute("data-decision", view["decision"]["token"])
        expect(page.locator(".acts-turn")).to_contain_text("Your turn")
        found = {
            each.get_attribute("value")
            for each in page.locator("button[name=do]:not(.unseen)").all()
        }
        assert found == wanted(view)
        kind = view["phase"], *sorted(found)
        if kind not in looked_at:
            looked_at.add(kind)
            assert overflow(page) == 0
            assert barriers(page) == []
            assert all_large(page)
            assert covered(page) == []
        press(page, *chosen(view))
        answered(page, view)

    expect(page.locator(".ended")).to_be_visible()
    expect(page.get_by_role("link", name="Replay this hand")).to_be_visible()
    ended = "ended", PRESETS[ruleset].get("variant", "")
    if ended not in looked_at:
        looked_at.add(ended)
        assert barriers(page) == []


def all_large(page: Page) -> bool:
    """Return whether every control at the table is large enough for a thumb."""
    controls = page.locator(
        ".acts button:visible:not(.unseen), .acts label.pick, .acts input[type=number]"
    )
    boxes = [each.bounding_box() for each in controls.all()]
    return all(box and box["width"] >= TARGET and box["height"] >= TARGET for box in boxes)


def test_what_is_chosen_is_counted_before_it_is_sent(house: House) -> None:
    [mine, _], table = seated(house, "better")
    page = house.open(mine, PHONE).context.new_page()
    page.goto(f"/tables/{table}")
    view = mine.get(f"/v1/tables/{table}")
    cards = view["me"]["cards"][:2]

    page.keyboard.press("1")
    page.keyboard.press("2")

    body = {"hands": [cards], "target": view["target"], "suit": view["suit"]}
    worth = mine.post("/v1/rulesets/better/evaluate", body)["hands"][0]
    expect(page.locator("[data-worth]")).to_contain_text(f"suit count {worth['suited']}")
    expect(page.locator('button[value="select"]')).to_contain_text("Keep 2")
    assert mine.get(f"/v1/tables/{table}")["version"] == view["version"]


def test_a_raise_is_set_by_slider_shares_of_the_pot_and_number(house: House) -> None:
    people, table = seated(house, "better")
    pages = [house.open(each, DESK).context.new_page() for each in people]
    for person, page in zip(people, pages, strict=True):
        page.goto(f"/tables/{table}")
        view = person.get(f"/v1/tables/{table}")
        press(page, "select", view["me"]["cards"][:1])
        answered(page, view)
    views = [each.get(f"/v1/tables/{table}") for each in people]
    actor = next(n for n, each in enumerate(views) if each["my_turn"])
    page, [limits] = pages[actor], [e for e in views[actor]["legal"] if e["verb"] == "raise_to"]
    amount = page.locator("input[name=amount]")
    expect(amount).to_have_value(str(limits["min"]))

    page.get_by_role("button", name="Pot", exact=True).click()
    pot = sum(each["chips"] for each in views[actor]["pots"])
    due = next(each["amount"] for each in views[actor]["legal"] if each["verb"] == "call")
    expect(amount).to_have_value(str(views[actor]["current_bet"] + pot + due))
    page.locator("[data-slider]").fill("200")
    expect(amount).to_have_value(str(limits["max"]))
    amount.fill(str(limits["min"] + 5))
    page.get_by_role("button", name=re.compile("^Raise to")).click()

    rival = pages[1 - actor]
    expect(rival.locator(".acts-turn")).to_contain_text("Your turn")
    expect(rival.locator('button[value="call"]')).to_be_visible()
    assert people[0].get(f"/v1/tables/{table}")["current_bet"] == limits["min"] + 5
    rival.locator("body").press("f")
    expect(page.locator(".ended")).to_be_visible()


def test_two_tables_at_once_by_the_keyboard(house: House) -> None:
    owner, league = house.league()
    people = [house.join(owner, league) for _ in range(2)]
    tables = [begun(owner, league, people, each) for each in ("better", "cantina")]
    seen = house.open(people[0], DESK)
    page = seen.context.new_page()
    first = page.goto("/tables")
    assert first is not None
    assert "data-acts" not in first.text(), "the first paint holds no card"
    expect(page.locator("[data-table][data-turn]:has([data-acts])")).to_have_count(2)
    assert overflow(page) == 0
    assert barriers(page) == []

    for table in tables:
        here = page.locator(f'[data-table="{table}"]')
        here.locator("input[name=cards]").first.focus()
        page.keyboard.press("Space")
        page.keyboard.press("Enter")
        expect(here).not_to_have_attribute("data-turn", "")
        expect(here.get_by_role("heading", level=2).get_by_role("link")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_count(1)

    kept = [each.get(f"/v1/tables/{table}")["me"]["selection"] for each in people[:1]
            for table in tables]  # fmt: skip
    assert [len(each) for each in kept] == [1, 1]


def test_every_table_is_drawn_though_the_stream_is_refused(house: House) -> None:
    owner, league = house.league()
    people = [house.join(owner, league) for _ in range(2)]
    for _ in range(2):
        begun(owner, league, people, "better")
    page = house.open(people[0], DESK).context.new_page()
    page.route(re.compile(r"/live\?"), lambda route: route.fulfill(status=503))

    page.goto("/tables")

    expect(page.locator("[data-table][data-turn]:has([data-acts])")).to_have_count(2)


def test_a_player_sees_that_the_server_is_away_and_plays_on_when_it_is_back(house: House) -> None:
    relay = Relay(house.url)
    people, table = seated(house, "better")
    seen = open_context(house.browser, PHONE, base_url=relay.url)
    cookie = {"name": PLAIN_COOKIE, "value": people[0].session, "url": relay.url}
    seen.context.add_cookies([cookie])
    house.opened.append(seen)
    page = seen.context.new_page()
    page.goto(f"/tables/{table}")
    lost = page.locator("[data-offline]")
    expect(page.locator("button[value=select]")).to_be_visible()
    expect(lost).to_be_hidden()

    relay.cut()
    expect(lost).to_be_visible()  # without a press
    assert barriers(page) == []
    page.locator("input[name=cards]").first.check(force=True)
    page.locator("button[value=select]").click()
    expect(lost).to_contain_text("This page tries again by itself.")
    expect(page.locator("[data-table]")).not_to_have_attribute("aria-busy", "true")
    other = people[1].get(f"/v1/tables/{table}")  # the evening goes on without this phone
    answer(people[1], table, other)

    relay.mend()
    expect(lost).to_be_hidden()
    assert people[0].get(f"/v1/tables/{table}")["my_turn"], "the press was not sent by itself"
    # A part may come although the stream is still away. The line stays until that is back too.
    page.evaluate("document.dispatchEvent(new Event('away'))")
    page.locator("button[value=select]").click()
    expect(page.locator("button[value=select]")).to_have_count(0)
    expect(lost).to_be_visible()
    page.evaluate("document.dispatchEvent(new Event('back'))")
    expect(lost).to_be_hidden()
    relay.cut()


def played_out(house: House, ruleset: str) -> tuple[Person, str]:
    """Play a hand over the API. Return a player and the hand."""
    people, table = seated(house, ruleset)
    for _ in range(STEPS_MAX):
        for each in people:
            view = each.get(f"/v1/tables/{table}")
            if view["last_hand"]:
                return people[0], str(view["last_hand"]["hand"])
            if view["my_turn"]:
                answer(each, table, view)
    raise AssertionError("the hand has no end")


def opened(page: Page, hand: str) -> None:
    """Open a replay once the read model has the hand."""
    until = time.monotonic() + SEATING_SECONDS
    while time.monotonic() < until:
        answered = page.goto(f"/hands/{hand}")
        if answered is not None and answered.ok:
            return
    raise AssertionError("the read model has no such hand")


def test_the_form_of_a_claim_looks_the_same_after_steps_through_the_hand(house: House) -> None:
    mine, hand = played_out(house, "better")
    page = house.open(mine, PHONE).context.new_page()
    opened(page, hand)
    page.get_by_role("link", name="Next step").click()
    expect(page.get_by_text(re.compile("^Step 2 of"))).to_be_visible()

    page.get_by_role("link", name="Dispute this step").click()

    box = page.get_by_label("What was against the rules?")
    expect(box).to_be_visible()
    inside, form = box.bounding_box(), page.locator("form:has(#claim)").bounding_box()
    assert inside is not None and form is not None
    assert abs(inside["width"] - form["width"]) < 1


def test_a_hand_is_replayed_by_the_keyboard_and_its_proof_is_checked(house: House) -> None:
    mine, hand = played_out(house, "cantina")
    page = house.open(mine, DESK).context.new_page()
    opened(page, hand)
    heading = page.locator("[data-step] h2")
    first = heading.inner_text()

    page.locator("body").press("ArrowRight")
    expect(page).to_have_url(re.compile("step=2"))
    expect(heading).not_to_have_text(first)
    page.locator("body").press("End")
    expect(page.get_by_role("link", name="Next step")).to_have_count(0)
    page.locator("body").press("Home")
    expect(page).to_have_url(re.compile("step=1$"))
    page.locator("body").press("v")
    expect(page).to_have_url(re.compile("as=public$"))
    eyes = page.get_by_role("link", name="Everybody", exact=True)
    expect(eyes).to_have_attribute("aria-current", "true")
    assert barriers(page) == []

    signed(house, mine, hand)
    page.get_by_role("link", name="Check the proof").click()
    assert barriers(page) == []
    page.get_by_role("button", name="Check the proof here").click()
    expect(page.locator('[data-verdict="holds"]')).to_be_visible()
    expect(page.locator('[data-state="holds"]')).to_have_count(7)

    page.route("**/bundle", forged)
    page.get_by_role("button", name="Check the proof here").click()
    expect(page.locator('[data-verdict="fails"]')).to_be_visible()
    expect(page.locator('[data-check="cards"]')).to_have_attribute("data-state", "fails")
    expect(page.locator('[data-check="tree"]')).to_have_attribute("data-state", "fails")


def signed(house: House, person: Person, hand: str) -> None:
    """Wait until a signed head covers the hand."""
    until = time.monotonic() + SIGNING_SECONDS
    headers = {"Authorization": f"Bearer {person.token}"}
    while house.http.get(f"/v1/hands/{hand}/bundle", headers=headers).status_code == 409:
        assert time.monotonic() < until
        time.sleep(0.5)


def forged(route: Route) -> None:
    """Change one card that was turned over."""
    text = route.fetch().text()
    card = re.search(r'"card":"([CTSZ][^"]+)"', text)
    assert card is not None
    other = "C+01" if card[1] != "C+01" else "C+02"
    route.fulfill(body=text.replace(card[0], f'"card":"{other}"', 1))


def test_a_hand_is_replayed_and_played_without_scripts(house: House) -> None:
    mine, hand = played_out(house, "better")
    page = house.open(mine, PHONE, java_script_enabled=False).context.new_page()
    opened(page, hand)

    page.get_by_role("link", name="Next step").click()

    expect(page.get_by_text(re.compile("^Step 2 of"))).to_be_visible()
    [mine, _], table = seated(house, "better")
    page = house.open(mine, PHONE, java_script_enabled=False).context.new_page()
    page.goto(f"/tables/{table}")
    page.locator("input[name=cards]").first.check(force=True)
    page.get_by_role("button", name="Count these cards").click()
    expect(page.locator("[data-worth]")).to_contain_text("suit count")
    page.locator('button[value="select"]').click()
    assert len(mine.get(f"/v1/tables/{table}")["me"]["selection"]) == 1


def test_no_time_is_shown_that_is_already_over_though_the_script_comes_late(house: House) -> None:
    people, table = seated(house, "better", decision_seconds=90)
    page = house.open(people[0]).context.new_page()

    def late(route: Route) -> None:
        time.sleep(4)  # as over a slow network
        route.continue_()

    page.route("**/js/table/play.js", late)
    page.goto(f"/tables/{table}")
    expect(page.locator("[data-late], [data-ring][stroke-dashoffset]").first).to_be_visible()
    view = people[0].get(f"/v1/tables/{table}")
    deadline, now = (
        datetime.fromisoformat(each) for each in (view["decision"]["deadline"], view["now"])
    )
    shown = int(page.locator("[data-left]").first.inner_text())
    assert shown <= (deadline - now).total_seconds() + 2, "not four seconds more"


def test_amounts_time_and_hashes_are_right(house: House) -> None:
    page = house.open().context.new_page()
    page.goto("/sign-in")
    script = str(page.locator("script[src]").first.get_attribute("src"))
    base = script.rsplit("/", 1)[0]

    found = page.evaluate(
        """async (base) => {
          const {inside, atStep, stepOf} = await import(`${base}/table/amounts.js`);
          const {left, share, spoken} = await import(`${base}/table/deadline.js`);
          const {canonical, number, hex} = await import(`${base}/replay/hashing.js`);
          const limits = {least: 15, most: 453, unit: 5};
          return {
            inside: [0, 22, 9999, NaN].map((each) => inside(each, limits)),
            steps: [...[0, 200].map((each) => atStep(each, limits)), stepOf(453, limits)],
            time: [left(1000, 5000, 0), left(9000, 5000, 1000), share(15000, 30)],
            whole: [left(45600, 5000, 0, 40000), left(50000, 5000, 0, 40000)],
            said: [spoken(61500), spoken(125000)],
            bytes: [hex(number(258, 4)), hex(number(-1, 8)), canonical({b: [1, null], a: "é"})],
          };
        }""",
        base,
    )

    assert found["inside"] == [15, 20, 453, 15]
    assert found["steps"] == [15, 453, 200]
    assert found["time"] == [0, 3000, 0.5]
    assert found["whole"] == [40000, 45000], "never 41 of 40 seconds"
    assert found["said"] == ["62", "2:05"]
    assert found["bytes"] == ["00000102", "f" * 16, '{"a":"é","b":[1,null]}']
