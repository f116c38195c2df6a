"""The playing table as pages without scripts: exactly the legal actions, and no hidden card."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

from engine.rulesets.presets import PRESETS
from service.api.http.declaring.rule_names import NUMBERS
from service.base.languages import language_of
from service.console.assets import PLAY, assets
from service.console.languages import spoken
from service.console.rules.titles import TITLES
from tests.service.api.conftest import Person
from tests.service.api.proof.test_evidence import project
from tests.service.api.tournament.test_money import one_folds
from tests.service.api.tournament.test_rebuys import until_a_bust
from tests.service.console.conftest import Browser
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

OVERRIDES = {"casino": {"rebuy": {"seconds": 0}}}
STACKS = {"official": None, "halcyon_10": 10}
ROUNDS_MAX = 60
FIRST_PAINT_MAX = 20 * 1024
"""Bytes of a page, which is not compressed, and of its style sheet, which is."""


def terms(ruleset: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "ruleset": ruleset,
        "overrides": OVERRIDES.get(ruleset, {}),
        "hands_between_seconds": 60,
    }
    stack = STACKS.get(ruleset, 100)
    return found | ({} if stack is None else {"starting_stack": stack})


def buttons(page: str) -> list[str]:
    return sorted(set(re.findall(r'name="do" value="([^"]+)"', page)) - {"count"})


def first_paint(page: str) -> int:
    return len(page.encode()) + len(assets()[PLAY].compressed or b"")


def whole_paint(page: str) -> int:
    """Return the bytes of a page that is not compressed, and of every sheet that a phone needs."""
    sheets = re.findall(r'<link rel="stylesheet" href="/static/[^/]+/([^"]+)">', page)
    return len(page.encode()) + sum(len(assets()[each].compressed or b"") for each in sheets)


def wanted(view: Any) -> list[str]:
    """Return the buttons that the legal actions of a view ask for."""
    return sorted(
        each["verb"] + (f":{each['source']}" if each.get("source") else "")
        for each in view["legal"]
    )


def shown(page: str) -> set[str]:
    """Return every card whose face is on a page."""
    return {unescape(each) for each in re.findall(r"cards\.svg#([CTSZFX][^\"]+)\"", page)}


def entitled(view: Any) -> set[str]:
    """Return the cards that a view tells its reader."""
    mine = view["me"] or {}
    found = {*mine.get("cards", ()), *mine.get("selection", ()), *mine.get("new_cards", ())}
    rounds = view["rounds"] or {}
    found |= {*rounds.get("market", ()), rounds.get("discard_top")} - {None}
    last = view["last_hand"] or {"revealed": (), "shown": ()}
    found |= {*last["shown"], *(card for each in last["revealed"] for card in each["cards"])}
    for seat in view["seats"]:
        found |= {*seat["field"], *(seat["revealed"] or {"cards": ()})["cards"]}
    return found


def choice(view: Any) -> dict[str, Any]:
    """Return the fields of a form that keeps the hand going, and ends it soon."""
    legal = {each["verb"]: each for each in view["legal"]}
    if "select" in legal:
        return {"do": "select", "cards": view["me"]["cards"][:2]}
    if "improve" in legal:
        return {"do": "improve", "cards": view["me"]["new_cards"][:1]}
    if "swap" in legal and view["rounds"]["round"] == 1:
        swap = legal["swap"]
        return {"do": f"swap:{swap['source']}", "cards": swap["cards"][:1]}
    if "trade" in legal and view["rounds"]["round"] == 1:
        return {"do": "trade:pile", "cards": legal["trade"]["cards"][:1]}
    order = ("call_hand", "stand", "check", "call", "stay")
    return {"do": next(each for each in order if each in legal)}


@pytest.mark.parametrize("ruleset", sorted(PRESETS))
async def test_a_hand_is_played_by_forms_with_exactly_the_legal_actions(
    serving: Serving, ruleset: str, database: TestDatabase
) -> None:
    async with serving() as console:
        _, _, _, people, table = await console.api.playing(2, **terms(ruleset))
        browsers = [(each, await console.signed_in(each.login)) for each in people]
        here, pressed = f"/tables/{table}", set()

        for _ in range(ROUNDS_MAX):
            for person, browser in browsers:
                view = (await person.get(f"/v1/tables/{table}")).json()
                page = (await browser.get(here)).text
                assert buttons(page) == wanted(view)
                assert shown(page) <= entitled(view)
                assert first_paint(page) < FIRST_PAINT_MAX
                assert set((view["me"] or {"cards": ()})["cards"]) <= shown(page)
                if view["my_turn"]:
                    # Without a script, Enter presses the first button. It must send nothing.
                    assert re.findall(r'<button[^>]* name="do" value="([^"]+)"', page)[0] == "count"
                    before = view["version"]
                    await browser.submit(here, do="count")
                    told = (await person.get(f"/v1/tables/{table}")).json()
                    assert told["version"] == before
                    fields = choice(view)
                    pressed.add(fields["do"])
                    answer = await browser.submit(here, **fields)
                    assert answer.status_code == 200, answer.text
            if view["last_hand"] is not None:
                break

        last = (await browser.get(here)).text
        assert f"/hands/{view['last_hand']['hand']}" in last
        told = last.partition('class="ended"')[2].partition("</details>")[0]
        for award in view["last_hand"]["awards"]:
            assert award["rule"] not in told
            assert f'aria-label="Rule {NUMBERS[award["rule"]]}"' in told
        assert len(pressed) > 1
        await project(database)
        await read_whole(browsers[0][1], people[0], view["last_hand"]["hand"])


@pytest.mark.parametrize(("seats", "language"), [(6, "en"), (8, "de")])
async def test_a_showdown_is_light_at_the_table_and_in_the_replayer(
    serving: Serving, database: TestDatabase, seats: int, language: str
) -> None:
    async with serving() as console:
        _, _, _, people, table = await console.api.playing(
            seats, **terms("better"), table_seats=seats, decision_seconds=600
        )
        browsers = [(each, await console.signed_in(each.login)) for each in people]
        for _, browser in browsers:
            browser.http.headers["Accept-Language"] = language
        here = f"/tables/{table}"
        for _ in range(ROUNDS_MAX):
            for person, browser in browsers:
                view = (await person.get(f"/v1/tables/{table}")).json()
                if view["my_turn"]:
                    await browser.get(here)
                    await browser.submit(here, **keeping_all(view))
            if view["last_hand"] is not None:
                break
        assert len(view["last_hand"]["revealed"]) == seats
        for _, browser in browsers:
            page = (await browser.get(here)).text
            assert first_paint(page) < FIRST_PAINT_MAX
            for seat in view["last_hand"]["revealed"]:
                assert set(seat["cards"]) <= shown(page)
        await project(database)
        await read_whole(browsers[0][1], people[0], view["last_hand"]["hand"])


def keeping_all(view: Any) -> dict[str, Any]:
    """Return the fields of a form that keeps as many cards as possible, and stays in."""
    if view["phase"] == "select":
        return {"do": "select", "cards": view["me"]["cards"]}
    return choice(view)


async def read_whole(browser: Browser, person: Person, hand: str) -> None:
    """Read each kind of step of a hand: it names its rule by number and title, and is light."""
    steps = (await person.get(f"/v1/hands/{hand}/replay")).json()["steps"]
    language = spoken(language_of(browser.http.headers.get("Accept-Language")))
    last, heaviest = {each["rule"]: each["number"] for each in steps}, (0, 0, "")
    for rule, step in last.items():
        page = await browser.get(f"/hands/{hand}?step={step}")
        assert page.status_code == 200
        heaviest = max(heaviest, (whole_paint(page.text), step, rule))
        if rule is not None:
            title = language.gettext(TITLES[rule])
            named = f'rules#rule-{NUMBERS[rule]}">{NUMBERS[rule]} {title}</a>'
            assert named in unescape(page.text)
    assert heaviest[0] < FIRST_PAINT_MAX, heaviest[1:]


async def test_a_table_of_eight_is_light(serving: Serving) -> None:
    async with serving() as console:
        _, _, _, people, table = await console.api.playing(8, table_seats=8)
        browsers = [(each, await console.signed_in(each.login)) for each in people]
        seats = (await people[0].get(f"/v1/tables/{table}")).json()["seats"]
        assert sum(each["entrant"] is not None for each in seats) == 8
        for phase in ("select", "bet"):
            for person, browser in browsers:
                view = (await person.get(f"/v1/tables/{table}")).json()
                page = await browser.get(f"/tables/{table}")
                if view["my_turn"] and view["phase"] == phase:
                    assert first_paint(page.text) < FIRST_PAINT_MAX
                    await browser.submit(f"/tables/{table}", **choice(view))


async def test_a_refused_action_is_told_and_keeps_what_was_chosen(serving: Serving) -> None:
    async with serving() as console:
        _, _, _, [one, _], table = await console.api.playing(2)
        browser, here = await console.signed_in(one.login), f"/tables/{table}"
        cards = (await one.get(f"/v1/tables/{table}")).json()["me"]["cards"][:2]
        await browser.get(here)

        answer = await browser.submit(here, do="select", cards=[cards[0], cards[0]])

        assert answer.status_code == 409, answer.text
        assert "data-problem" in answer.text
        assert f'value="{cards[0]}"' in answer.text
        assert answer.text.count(" checked") == 1


async def test_what_the_chosen_cards_count_is_shown_before_they_are_sent(serving: Serving) -> None:
    async with serving() as console:
        _, _, _, [one, _], table = await console.api.playing(2)
        browser, here = await console.signed_in(one.login), f"/tables/{table}"
        view = (await one.get(f"/v1/tables/{table}")).json()
        cards = view["me"]["cards"][:2]
        body = {"hands": [cards], "target": view["target"], "suit": view["suit"]}
        worth = (await one.post("/v1/rulesets/better/evaluate", body)).json()["hands"][0]
        await browser.get(here)

        page = await browser.submit(here, do="count", cards=cards)

        assert page.text.count(" checked") == 2
        assert f"suit count {worth['suited']}" in page.text
        assert (await one.get(f"/v1/tables/{table}")).json()["version"] == view["version"]
        assert "cards=" not in str(page.url), "hidden cards stand in no address"
        fields = browser.hidden(here) | {"do": "count", "cards": cards}
        part = await browser.post(f"{here}?part=worth", fields)
        assert f"suit count {worth['suited']}" in part.text
        assert "<html" not in part.text


async def test_a_member_who_does_not_play_sees_no_card_and_no_button(serving: Serving) -> None:
    async with serving() as console:
        owner, _, _, _, table = await console.api.playing(2)
        browser = await console.signed_in(owner.login)

        page = (await browser.get(f"/tables/{table}")).text

        assert shown(page) == set()
        assert buttons(page) == []
        assert "Step away" not in page


async def test_a_player_steps_away_and_comes_back(serving: Serving) -> None:
    async with serving() as console:
        _, _, _, [one, _], table = await console.api.playing(2)
        browser, here = await console.signed_in(one.login), f"/tables/{table}"
        await browser.get(here)

        page = await browser.submit(f"{here}/presence")
        assert "You are away" in page.text
        page = await browser.submit(f"{here}/presence")
        assert "You are away" not in page.text


async def test_a_player_rebuys_at_the_table_and_the_home_page_leads_there(
    serving: Serving,
) -> None:
    async with serving() as console:
        _, table, broke, other = await until_a_bust(console.api, {"max": 1, "seconds": 3600})
        phone = await console.signed_in(broke.login)
        home = await phone.get("/")
        assert "You may rebuy" in home.text
        assert f'href="/tables/{table}"' in home.text
        page = await phone.get(f"/tables/{table}")
        assert "You may rebuy until the next hand." in page.text
        assert "data-deadline" in page.text
        assert phone.hidden(f"/tables/{table}/rebuy")["number"] == "1"

        page = await phone.submit(f"/tables/{table}/rebuy")

        assert "You are back in." in page.text
        assert f'action="/tables/{table}/rebuy"' not in page.text
        waiting = (await broke.get("/v1/me/waiting")).json()["items"]
        assert "rebuy_window" not in {each["type"] for each in waiting}
        watching = await console.signed_in(other.login)
        assert (
            f'action="/tables/{table}/rebuy"' not in (await watching.get(f"/tables/{table}")).text
        )


async def test_where_each_deals_once_a_rebuy_says_that_no_hand_may_follow(
    serving: Serving,
) -> None:
    async with serving() as console:
        said = "no further hand is dealt, and your chips only count for the places."
        rebuy, once = {"max": 1, "seconds": 3600}, {"end": {"kind": "each_dealt_once"}}
        for _ in range(5):  # if the first hand is a tie, the second is the last and sells nothing
            _, table, broke, _ = await until_a_bust(console.api, rebuy, **once)
            phone = await console.signed_in(broke.login)
            page = (await phone.get(f"/tables/{table}")).text
            if "You may rebuy" in page:
                break
        assert said in page
        german = await phone.get(f"/tables/{table}", headers={"Accept-Language": "de"})
        assert "kommt keine Hand mehr" in german.text
        _, table, broke, _ = await until_a_bust(console.api, rebuy)
        page = (await (await console.signed_in(broke.login)).get(f"/tables/{table}")).text
        assert "You may rebuy" in page and said not in page


async def test_a_player_without_chips_stakes_an_item_and_may_buy_it_back(serving: Serving) -> None:
    async with serving() as console:
        tournament, table, broke, other = await until_a_bust(
            console.api, {"max": 0, "seconds": 3600}
        )
        phone, here = await console.signed_in(broke.login), f"/tables/{table}"
        assert "You may stake an item" in (await phone.get("/")).text
        page = await phone.get(here)
        assert "You may stake an item until the next hand." in page.text
        assert '<option value="20">20</option>' in page.text
        assert "Rebuy</button>" not in page.text
        page = await phone.submit(f"{here}/stake", item="…", value="20")
        assert page.status_code == 400
        assert 'aria-invalid="true"' in page.text
        assert 'value="…"' in page.text

        page = await phone.submit(f"{here}/stake", item="My ship, the 2nd", value="20")

        assert "You are back in." in page.text
        assert "Your item my ship the 2nd is staked for" in page.text
        assert f'action="{here}/stake"' not in page.text
        assert f'action="{here}/buy-back"' in page.text
        mine = (await broke.get(f"/v1/tournaments/{tournament}")).json()["my"]
        assert mine["items"] == [{"item": "my_ship_the_2nd", "value": 20, "staked": True}]
        assert mine["brings_item"] is False
        page = await phone.submit(f"{here}/buy-back")
        assert page.status_code == 409
        assert 'role="alert"' in page.text
        watching = await console.signed_in(other.login)
        assert f'action="{here}/buy-back"' not in (await watching.get(here)).text


async def test_the_tables_that_wait_come_first_and_are_listed_above(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        people = [await console.api.join(owner, league) for _ in range(2)]
        tables = []
        for name, seconds in (("Slow", 600), ("Quick", 60)):
            asked = {"name": name, "decision_seconds": seconds, **terms("better")}
            made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
            night = f"/v1/tournaments/{made.json()['id']}"
            for person in people:
                await person.post(f"{night}/registrations")
            await owner.post(f"{night}/start")
            tables.append((await owner.get(night)).json()["tables"][0]["id"])
        slow, quick = tables
        await project(database)
        browser = await console.signed_in(people[0].login)

        def order(page: str) -> tuple[list[str], list[str]]:
            """Return the tables in the list of those that wait, and on the page."""
            waits = page.partition('class="waits cluster"')[2].partition("</div>")[0]
            return re.findall(r'href="#(tbl_\w+)"', waits), re.findall(
                r'<article class="play(?: later)?" data-table="(tbl_\w+)"', page
            )

        page = (await browser.get("/tables")).text
        assert order(page) == ([quick, slow], [quick, slow])
        assert "2 tables wait for you:" in page
        # Each is in the list, and a part to ask for. So the page holds no card, and is compressed.
        assert page.count("data-deadline=") == 2
        assert shown(page) == set()
        assert 'href="/tables">Your turn' not in page

        cards = (await people[0].get(f"/v1/tables/{quick}")).json()["me"]["cards"][:2]
        await browser.get(f"/tables/{quick}")
        assert (await browser.submit(f"/tables/{quick}", do="select", cards=cards)).is_success
        page = (await browser.get("/tables")).text
        assert order(page) == ([slow], [slow, quick])
        tile = (await browser.get(f"/tables/{quick}?part=tile")).text
        assert f'<h2><a href="/tables/{quick}">' in tile and "<h1" not in tile
        part = (await browser.get("/tables?part=seated")).text
        assert "One table waits for you:" in part and "Slow · Table 1" in part


async def test_names_that_a_phone_cuts_are_told_in_full(serving: Serving) -> None:
    async with serving() as console:
        long = "Ponda <b>Baba</b> of the Cantina at Mos Eisley"
        owner, league = await console.api.league()
        people = [await console.api.person(each) for each in ("Greedo", long)]
        made = await owner.post(
            f"/v1/leagues/{league}/tournaments", {"name": "N", **terms("better")}
        )
        night = f"/v1/tournaments/{made.json()['id']}"
        for person in people:
            code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]
            await person.post(f"/v1/invitations/{code}/accept")
            await person.post(f"{night}/registrations")
        await owner.post(f"{night}/start")
        table = (await owner.get(night)).json()["tables"][0]["id"]
        browser = await console.signed_in(people[0].login)
        page = (await browser.get(f"/tables/{table}?part=table")).text
        told = page.partition("Whole names</summary>")[2].partition("</details>")[0]
        assert unescape(re.sub("<[^>]+>", "", told)).endswith(long)
        assert "<b>Baba" not in page
        assert told.count("<li>") == 1


async def test_an_add_on_is_taken_from_the_table_while_play_is_stopped(serving: Serving) -> None:
    async with serving() as console:
        fees = {"buy_in": 1000, "add_on": {"price": 500, "fee": 50, "chips": 20}}
        asked = terms("better") | {"fees": fees, "currency": "EUR", "payouts": [1]}
        owner, _, tournament, people, table = await console.api.playing(2, **asked)
        browser = await console.signed_in(people[0].login)
        here = f"/tables/{table}"
        assert "Add-on" not in (await browser.get(here)).text
        await owner.post(f"/v1/tournaments/{tournament}/pause", {}, key="break")
        page = (await browser.get(here)).text
        assert "Add-on: 20 chips" in re.sub("<[^>]+>", "", page).replace("\xa0", " ")
        assert f'action="{here}/add-on"' in page
        assert "You may take it once this hand is over." in page
        await one_folds(people, table)
        page = await browser.get(here)
        assert "€5.50" in page.text
        page = await browser.submit(f"{here}/add-on")
        assert "You have taken the add-on." in page.text, page.text
        assert f'action="{here}/add-on"' not in page.text
        pool = (await owner.get(f"/v1/tournaments/{tournament}")).json()["money"]["pool"]
        assert pool == 2500


async def test_no_add_on_is_offered_in_the_last_hand_of_a_table_or_after_it(
    serving: Serving,
) -> None:
    async with serving() as console:
        asked = terms("better") | {
            "fees": {"buy_in": 1000, "add_on": {"price": 500, "fee": 50, "chips": 20}},
            "currency": "EUR", "payouts": [1], "hands_max": 2, "hands_between_seconds": 0,
        }  # fmt: skip
        owner, _, tournament, people, table = await console.api.playing(2, **asked)
        browser, here = await console.signed_in(people[0].login), f"/tables/{table}"
        path = f"/v1/tournaments/{tournament}"
        assert (await owner.post(f"{path}/pause", {}, key="break")).is_success
        assert "Add-on" in (await browser.get(here)).text, "one more hand follows"
        assert (await owner.post(f"{path}/resume", {}, key="on")).is_success
        await one_folds(people, table)

        async def in_the_last_hand() -> bool:
            return bool((await people[0].get(f"/v1{here}")).json()["hand_number"] == 2)

        await until_awaited(in_the_last_hand)
        assert (await owner.post(f"{path}/pause", {}, key="again")).is_success
        assert "Add-on" not in (await browser.get(here)).text
        await one_folds(people, table)
        assert "Add-on" not in (await browser.get(here)).text
        refused = await people[0].post(f"/v1/tournaments/{tournament}/add-ons")
        assert refused.json()["code"] == "no_hand_left"


async def test_between_hands_the_table_says_that_a_break_or_a_pause_holds(
    serving: Serving,
) -> None:
    async with serving() as console:
        levels = [{"small": 5, "big": 10, "length": 600}, {"small": 10, "big": 20}]
        by_clock = {"escalation": {"kind": "levels", "by": "clock", "levels": levels}}
        for overrides in ({}, by_clock):
            asked = terms("better") | {"overrides": overrides, "hands_between_seconds": 0}
            owner, _, tournament, people, table = await console.api.playing(2, **asked)
            browser, here = await console.signed_in(people[0].login), f"/tables/{table}"
            path = f"/v1/tournaments/{tournament}"
            rest = {"seconds": 600, "reason": "Soup"}
            assert (await owner.post(f"{path}/breaks", rest)).is_success
            assert "A break until" not in (await browser.get(here)).text, "a hand is in play"
            await one_folds(people, table)
            page = (await browser.get(here)).text
            assert "A break until <time" in page and "Between hands" not in page, page
            assert "data-deadline" in page, "the phone counts it down"
            german = (await browser.get(here, headers={"Accept-Language": "de"})).text
            assert "Pause bis <time" in german
            await owner.post(f"{path}/pause", {}, key="fire")
            assert "Play is paused until staff resume it" in (await browser.get(here)).text


async def test_a_casino_takes_chips_and_lets_players_go_with_theirs(serving: Serving) -> None:
    async with serving() as console:
        asked = terms("casino") | {"table_seats": 4}
        _, _, _, people, table = await console.api.playing(3, **asked)
        browser = await console.signed_in(people[0].login)
        here = f"/tables/{table}"
        page = await browser.get(here)
        assert f'action="{here}/chips"' in page.text
        page = await browser.submit(f"{here}/chips", chips="2")  # not in whole units of 5
        assert page.status_code == 409
        assert "data-problem" in page.text
        await browser.get(here)
        page = await browser.submit(f"{here}/chips", chips="50")
        assert "Your chips come with the next hand." in page.text, page.text
        page = await browser.submit(f"{here}/cash-out")
        assert "Leave with your chips?" in page.text
        page = await browser.submit(f"{here}/cash-out")
        assert "You leave with your chips." in page.text, page.text


async def test_a_disqualified_player_is_marked_until_the_hand_ends(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament, people, table = await console.api.playing(3, **terms("better"))
        gone = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"][0]["id"]
        path = f"/v1/tournaments/{tournament}/disqualifications"
        done = await owner.post(path, {"entrant": gone, "reason": "Too loud"}, key="d")
        assert done.is_success, done.text

        player, director = [await console.signed_in(each.login) for each in (people[1], owner)]
        page = (await player.get(f"/tables/{table}")).text
        assert page.count("disqualified</span>") == 1
        page = (await director.get(f"/tournaments/{tournament}/floor")).text
        assert len(re.findall(r"disqualified[^<]*</span>", page)) == 1
        assert page.count("/floor/disqualify") == 2, "nobody rules on who is out already"
