"""
A director with a phone sells a rebuy, takes its money, and pays a deal out. A player stakes an item
and buys it back.
"""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import PHONE, overflow
from tests.browser.house import House, Person
from tests.browser.scenery import eventually

pytestmark = pytest.mark.slow

TERMS = {
    "ruleset": "better_simple", "starting_stack": 12, "hands_between_seconds": 0,
    "decision_seconds": 3600, "currency": "EUR", "payouts": [60, 40],
    "fees": {"buy_in": 1000, "rebuy": {"price": 1000}, "payment": "recorded"},
    "overrides": {"rebuy": {"max": 1, "seconds": 60}},
}  # fmt: skip
ORDER = ("all_in", "call", "check", "stay", "stand", "call_hand")


def _all_in(people: list[Person], table: str) -> None:
    """Let each player in turn bet everything."""
    for each in people:
        view = each.get(f"/v1/tables/{table}")
        if not view["my_turn"]:
            continue
        body: dict[str, Any] = {"decision": view["decision"]["token"]}
        verbs = {legal["verb"]: legal for legal in view["legal"]}
        if "select" in verbs:
            body |= {"type": "select", "cards": view["me"]["cards"][:2]}
        elif "improve" in verbs:
            body |= {"type": "improve", "cards": view["me"]["new_cards"][:1]}
        elif "raise_to" in verbs and "all_in" not in verbs:
            body |= {"type": "raise_to", "amount": verbs["raise_to"]["max"]}
        else:
            body |= {"type": next(verb for verb in ORDER if verb in verbs)}
        each.post(f"/v1/tables/{table}/actions", body)


def _first_bust(owner: Person, people: list[Person], path: str) -> tuple[str, Any]:
    """Start, and play until somebody may rebuy. Return the table and that entrant."""
    owner.post(f"{path}/start")
    table = eventually(lambda: owner.get(path)["tables"])[0]["id"]

    def broke() -> Any:
        _all_in(people, table)
        shown = owner.get(path)["entrants"]
        return next((each for each in shown if each["status"] == "rebuy_open"), None)

    return table, eventually(broke)


def test_a_rebuy_its_money_and_a_deal_by_hand_go_by_taps_to_the_last_payment(house: House) -> None:
    owner, league = house.league()
    people = [house.join(owner, league, name=each) for each in ("Mara", "Jyn", "Cassian", "Bodhi")]
    evening = house.evening(owner, league, **TERMS)
    path = f"/v1/tournaments/{evening}"
    for each in people:
        entrant = each.post(f"{path}/registrations")["entrant"]
        owner.post(f"{path}/payments", {"entrant": entrant, "kind": "buy_in", "amount": 1000})
    table, bust = _first_bust(owner, people, path)
    page = house.open(owner, PHONE, has_touch=True, is_mobile=True).context.new_page()

    # On the player's own phone the table offers it, with its price.
    owns = next(each for each in people if each.player == bust["player"])
    own = house.open(owns, PHONE, has_touch=True, is_mobile=True).context.new_page()
    own.goto(f"/tables/{table}")
    offered = own.get_by_role("button", name="Rebuy €10.00")
    expect(offered).to_be_visible()
    assert overflow(own) <= 0

    # There is no deal yet, and the page says why.
    deals = f"/tournaments/{evening}/deals"
    page.goto(deals)
    expect(page.get_by_role("heading", name="No deal yet")).to_be_visible()
    expect(page.get_by_text(bust["name"])).to_be_visible()

    # The rebuy: the line of the entrant without a seat, then the button
    page.goto(f"/tournaments/{evening}/floor")
    line = page.locator(f"#{bust['id']}")
    line.locator("summary").tap()
    line.get_by_role("button", name="Rebuy").tap()
    expect(page.get_by_text(f"A rebuy for {bust['name']}.")).to_be_visible()
    assert overflow(page) <= 0
    expect(offered).to_be_hidden()

    # The money is due at once, and one button takes it.
    page.goto(f"/tournaments/{evening}/money")
    row = page.get_by_role("row").filter(has_text=bust["name"])
    row.get_by_role("button").tap()
    expect(page.get_by_role("row").filter(has_text=bust["name"])).to_contain_text("settled")
    assert overflow(page) <= 0
    paid = {each["entrant"]: each for each in owner.get(f"{path}/ledger")["accounts"]}
    assert paid[bust["id"]]["paid"] == 2000

    # The fields of an explicit deal appear with this choice only, once nobody may come back.
    for each in owner.get(path)["entrants"]:
        if each["status"] == "rebuy_open":
            owner.post(f"{path}/rebuys/by-staff", {"entrant": each["id"]})
    page.goto(deals)
    shares = page.locator("input[name^='shares.']")
    expect(shares.first).to_be_hidden()
    page.get_by_text("By hand").first.tap()
    expect(shares.first).to_be_visible()
    assert overflow(page) <= 0
    pool = owner.get(path)["money"]["pool"]
    for number, field in enumerate(shares.all()):
        field.fill("10" if number else str((pool - 3000) // 100))
    page.get_by_role("button", name="Propose this deal").tap()
    expect(page.get_by_text("Each player answers on their own phone.")).to_be_visible()
    own.goto(deals)
    own.get_by_role("button", name="Accept", exact=True).tap()
    expect(own.get_by_text("You have accepted.")).to_be_visible()
    for each in people:
        if each is not owns:
            each.post(f"{path}/deals/1/accept")
    expect(page.get_by_role("heading", name="The deal")).to_be_visible()

    # The evening ends, and everybody is handed what was agreed.
    def over() -> bool:
        _all_in(people, table)
        return bool(owner.get(path)["state"] == "finished")

    eventually(over, 180)  # whoever loses all now may rebuy for a minute more
    page.goto(f"/tournaments/{evening}/money")
    for number in range(4, 0, -1):
        hand_over = page.get_by_role("button", name="Hand the prize to")
        expect(hand_over).to_have_count(number)
        hand_over.first.tap()
    expect(page.get_by_role("button", name="Hand the prize to")).to_have_count(0)
    accounts = owner.get(f"{path}/ledger")["accounts"]
    assert sorted(each["handed_over"] for each in accounts) == [1000, 1000, 1000, pool - 3000]


def _won_without_a_showdown(winner: Person, other: Person, table: str) -> None:
    """Let *winner* bet and *other* fold, whoever is to act."""
    order = ("raise_to", "check", "call", "stay", "stand")
    for each, verbs in ((winner, order), (other, ("fold", *order[1:]))):
        view = each.get(f"/v1/tables/{table}")
        if not view["my_turn"]:
            continue
        legal = {one["verb"]: one for one in view["legal"]}
        body: dict[str, Any] = {"decision": view["decision"]["token"]}
        if "select" in legal:
            body |= {"type": "select", "cards": view["me"]["cards"][:2]}
        elif "improve" in legal:
            body |= {"type": "improve", "cards": view["me"]["new_cards"][:1]}
        else:
            verb = next(one for one in verbs if one in legal)
            body |= {"type": verb} | ({"amount": legal[verb]["min"]} if verb == "raise_to" else {})
        each.post(f"/v1/tables/{table}/actions", body)


def test_an_item_is_staked_and_bought_back_by_taps(house: House) -> None:
    owner, league = house.league()
    people = [house.join(owner, league, name=each) for each in ("Mara", "Jyn")]
    game = {"special_item": True, "item_values": [20], "rebuy": {"max": 0, "seconds": 3600}}
    evening = house.evening(
        owner, league, ruleset="better_simple", starting_stack=12, hands_between_seconds=0,
        decision_seconds=3600, overrides=game,
    )  # fmt: skip
    path = f"/v1/tournaments/{evening}"
    for each in people:
        each.post(f"{path}/registrations")
    table, bust = _first_bust(owner, people, path)
    owns, other = sorted(people, key=lambda each: each.player != bust["player"])
    page = house.open(owns, PHONE, has_touch=True, is_mobile=True).context.new_page()
    page.goto(f"/tables/{table}")
    page.get_by_label("Item").fill("Lucky dice")
    page.get_by_role("button", name="Stake it").tap()
    expect(page.get_by_text("Your item lucky dice is staked for")).to_be_visible()
    back = page.get_by_role("button", name="Buy it back")
    eventually(lambda: owner.get(f"/v1/tables/{table}")["hand"])
    expect(back).to_be_hidden()

    # No hand begins in the break, so there is time to buy the item back after this one.
    owner.post(f"{path}/breaks", {"seconds": 3600, "reason": "Soup"})

    def over() -> bool:
        _won_without_a_showdown(owns, other, table)
        return bool(owner.get(f"/v1/tables/{table}")["hand"] is None)

    eventually(over)
    back.tap()
    expect(page.get_by_text("Your item lucky dice is staked for")).to_be_hidden()
    [item] = owns.get(path)["my"]["items"]
    assert (item["item"], item["staked"]) == ("lucky_dice", False)
    stacks = {each["entrant"]: each["stack"] for each in owner.get(f"/v1/tables/{table}")["seats"]}
    assert sum(stacks.values()) == 24
    assert overflow(page) <= 0


def test_a_rebuy_stays_in_sight_and_what_was_done_is_said_until_the_next_decision(
    house: House,
) -> None:
    owner, league = house.league()
    people = [house.join(owner, league, name=each) for each in ("Mara", "Jyn", "Cassian")]
    evening = house.evening(owner, league, **TERMS)
    path = f"/v1/tournaments/{evening}"
    for each in people:
        each.post(f"{path}/registrations")
    table, bust = _first_bust(owner, people, path)
    broke = next(each for each in people if each.player == bust["player"])
    page = house.open(broke, PHONE, has_touch=True, is_mobile=True).context.new_page()
    page.goto(f"/tables/{table}")
    offered = page.get_by_role("button", name="Rebuy €10.00")
    expect(offered).to_be_visible()
    page.evaluate("document.querySelector('.acts').scrollIntoView({block: 'end'})")
    assert page.evaluate("scrollY") > 100, "the end of the hand lies below"
    expect(offered).to_be_in_viewport(ratio=1)

    offered.tap()
    back = page.get_by_text("You are back in. Your chips come with the next hand.")
    expect(back).to_be_visible()

    def forgotten() -> bool:
        for each in owner.get(path)["entrants"]:
            if each["status"] == "rebuy_open":
                owner.post(f"{path}/rebuys/by-staff", {"entrant": each["id"]})
        _all_in(people, table)
        return not back.is_visible()

    assert eventually(forgotten)
