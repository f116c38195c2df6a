"""Prices, rebuys, add-ons and prizes are announced as they are proposed."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

from tests.service.api.conftest import Person
from tests.service.console.conftest import Browser
from tests.service.console.test_evenings import _ACTION, filled, league_of, planned

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

_GERMAN = {"Accept-Language": "de"}
_CHANGED = ("name", "place", "date", "time", "entrants_max", "entrants_min", "late", "prize_pool")
_SPIKE = "often=once&ruleset=spike&players=12&date=2031-05-01&time=19:00"


def text(page: Any) -> str:
    """Return the words of a page."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.text)).split())


async def again(browser: Browser, page: Any, **changed: Any) -> Any:
    """Have the open proposal worked out again, with some fields changed."""
    (action,) = _ACTION.findall(page.text)
    return await browser.submit(unescape(action), **filled(page.text) | changed, again="yes")


async def announced(browser: Browser, owner: Person, page: Any, **changed: Any) -> dict[str, Any]:
    """Announce the open proposal, and return the terms."""
    (action,) = _ACTION.findall(page.text)
    fields = filled(page.text) | {"season": "", "payment": "recorded"} | changed
    made = await browser.submit(unescape(action), **fields)
    assert "The evening is announced." in made.text, made.text
    tournament = made.url.path.rpartition("/")[2]
    body: dict[str, Any] = (await owner.get(f"/v1/tournaments/{tournament}/terms")).json()["body"]
    return body


async def test_the_prizes_of_a_proposal_are_those_that_are_announced(serving: Serving) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        path = f"/leagues/{league}/new-evening/plan?{_SPIKE}&price=5"
        page = await again(browser, await browser.get(path), payouts="")
        assert "1. €30.00 , 2. €18.00 , 3. €12.00" in text(page)
        assert filled(page.text)["payouts"] == "50, 30, 20", "an empty field is filled in again"
        body = await announced(browser, owner, page, payouts="")
        assert body["payouts"] == [50, 30, 20]

        page = await again(browser, await browser.get(path), payouts="50 30 10")
        assert "1. €33.34 , 2. €20.00 , 3. €6.66" in text(page), "every cent is paid"


@pytest.mark.parametrize("wrong", ["abc", "50, -3", "12.5", "50, 0"])
async def test_shares_that_are_no_numbers_are_refused_at_their_field(
    serving: Serving, wrong: str
) -> None:
    async with serving() as console:
        _, league, browser = await league_of(console)
        page = await planned(browser, league, f"{_SPIKE}&price=5", payouts=wrong, draft="yes")
        assert page.status_code == 400
        assert "Enter whole numbers above 0 with commas, such as 50, 30, 20." in page.text
        assert 'id="payouts-error"' in page.text
        again_ = await again(browser, page)
        assert 'id="payouts-error"' in again_.text, "the proposal says it too"
        assert "With 12 players" not in again_.text, "and promises no prizes"


async def test_a_price_below_nothing_is_refused_and_is_not_no_price(serving: Serving) -> None:
    async with serving() as console:
        _, league, browser = await league_of(console)
        page = await browser.get(f"/leagues/{league}/new-evening/plan?{_SPIKE}&price=-3")
        assert 'id="price-error"' in page.text
        assert filled(page.text)["price"] == "-3"
        assert re.search('<input[^>]*name="waitlist"[^>]* checked', page.text)
        page = await planned(browser, league, _SPIKE, price="-3")
        assert page.status_code == 400
        assert 'id="price-error"' in page.text
        german = await browser.get(
            f"/leagues/{league}/new-evening/plan?{_SPIKE}&price=-3", headers=_GERMAN
        )
        assert "Eine Angabe stimmt noch nicht." in german.text


async def test_rebuys_and_an_add_on_are_sold_by_the_form_as_by_the_api(serving: Serving) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        asked = "often=once&ruleset=better&players=6&minutes=120&price=5&date=2031-05-01"
        page = await browser.get(f"/leagues/{league}/new-evening/plan?{asked}")
        page = await again(
            browser, page, rebuys="2", rebuys_level="2", rebuy_price="4",
            add_on_chips="2000", add_on_price="3,50", add_on_max="2",
        )  # fmt: skip
        assert "A rebuy costs €4.00 and brings 1,000 chips." in text(page)
        assert "An add-on costs €3.50 and brings 2,000 chips." in text(page)
        body = await announced(browser, owner, page)
        assert body["fees"]["rebuy"] == {"price": 400, "fee": 0}
        assert body["fees"]["add_on"] == {"price": 350, "fee": 0, "chips": 2000, "max": 2}

        poster = browser.page
        assert poster is not None
        assert "€4.00 each time" in text(poster)
        assert "An add-on costs €3.50 and brings 2,000 chips." in text(poster)
        made = poster.url.path
        assert "An add-on costs €3.50" in text(await browser.get(f"{made}/rules"))
        german = await browser.get(made, headers=_GERMAN)
        assert "Ein Add-on kostet 3,50" in text(german)

        page = await browser.get(
            f"/leagues/{league}/new-evening/plan?often=once&like={made.rpartition('/')[2]}"
        )
        fields = filled(page.text)
        assert (fields["rebuy_price"], fields["add_on_chips"]) == ("4", "2000")
        assert (fields["add_on_price"], fields["add_on_max"]) == ("3.50", "2")
        gone = await announced(
            browser, owner, page, rebuy_price="", add_on_chips="", add_on_price=""
        )
        assert (gone["fees"]["rebuy"], gone["fees"]["add_on"]) == (None, None)


async def test_a_proposal_says_the_fees_and_the_bounty_that_stay_from_an_earlier_evening(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        fees = {
            "buy_in": 1000, "fee": 100, "bounty": 500, "payment": "recorded",
            "add_on": {"price": 500, "fee": 50, "chips": 2000},
        }  # fmt: skip
        made = await owner.post(
            f"/v1/leagues/{league}/tournaments",
            {
                "name": "Fees", "ruleset": "better", "currency": "EUR", "payouts": [1],
                "fees": fees, "overrides": {"rebuy": {"max": 1, "until_level": 2}},
            },
        )  # fmt: skip
        assert made.is_success, made.text
        path = f"/leagues/{league}/new-evening/plan?often=once&like={made.json()['id']}"
        page = await browser.get(path)
        also = "Each entry also pays a fee of €1.00 for the house and a bounty of €5.00 ."
        assert also in text(page)
        assert "A rebuy costs €11.00 and brings" in text(page)
        assert "An add-on costs €5.50 and brings 2,000 chips." in text(page)
        german = await browser.get(path, headers=_GERMAN)
        assert "kommen eine Gebühr von 1,00" in text(german)
        assert "Leer: der Preis der Teilnahme, ohne Gebühr und Kopfgeld." in text(german)

        body = await announced(browser, owner, await browser.get(path))
        kept = body["fees"]
        assert (kept["buy_in"], kept["fee"], kept["bounty"]) == (1000, 100, 500)
        assert (kept["rebuy"], kept["add_on"]["price"], kept["add_on"]["fee"]) == (None, 500, 50)

        page = await browser.get(path)
        assert "Empty: the price of an entry, without fee and bounty." in text(page)
        sold = await again(browser, page, add_on_price="")
        assert "An add-on costs €10.50" in text(sold), "its own fee stays"

        page = await again(browser, await browser.get(path), price="")
        assert "Each entry also pays" not in text(page), "a free entry has no fee and no bounty"
        assert "A rebuy is free" in text(page)
        free = (await announced(browser, owner, page))["fees"]
        assert (free["buy_in"], free["fee"], free["bounty"]) == (0, 0, 0)
        assert (free["add_on"]["price"], free["add_on"]["fee"]) == (500, 50)


async def test_an_add_on_costs_as_much_as_an_entry_and_needs_chips(serving: Serving) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        page = await planned(browser, league, f"{_SPIKE}&price=5", add_on_price="3")
        assert 'id="add_on_chips-error"' in page.text
        page = await browser.get(f"/leagues/{league}/new-evening/plan?{_SPIKE}&price=5")
        body = await announced(browser, owner, page, add_on_chips="20")
        assert body["fees"]["add_on"]["price"] == 500


async def test_a_template_leaves_to_the_proposal_what_it_does_not_name(serving: Serving) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        wanted = {
            "name": "Cheap",
            "body": {
                "name": "Cheap", "ruleset": "spike", "currency": "EUR", "fees": {"buy_in": 500},
                "entrants_max": 12,
            },
        }  # fmt: skip
        made = await owner.post(f"/v1/leagues/{league}/templates", wanted)
        assert made.is_success, made.text
        path = f"/leagues/{league}/new-evening/plan?often=once&like={made.json()['id']}"
        page = await browser.get(path)
        for name in ("waitlist", "postpone", "staff_may_play"):
            assert re.search(f'<input[^>]*name="{name}"[^>]* checked', page.text), name
        assert re.search('<input[^>]*value="recorded"[^>]* checked', page.text)
        assert "1. €30.00 , 2. €18.00 , 3. €12.00" in text(page)

        body = await announced(browser, owner, page, date="2031-06-07", time="20:15")
        assert body["payouts"] == [50, 30, 20]
        shown = await browser.get(browser.page.url.path if browser.page else "")
        assert "2031-06-07T" in shown.text, "the proposal has fields for day and time"


async def test_last_hands_that_are_emptied_are_none_and_the_proposal_says_so(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        path = f"/leagues/{league}/new-evening/plan?{_SPIKE}&minutes=180"
        page = await browser.get(path)
        assert "Last hands 22:00" in text(page)
        later = await again(browser, page, last_hands="200")
        assert "Last hands 22:20" in text(later)
        page = await again(browser, page, last_hands="")
        assert "Last hands none" in text(page)
        assert 'name="last_hands"' in page.text
        body = await announced(browser, owner, page)
        assert "last_hands_after_minutes" not in body["floor"]

        later = await again(browser, await browser.get(path), last_hands="200")
        made = await announced(browser, owner, later)
        assert made["floor"]["last_hands_after_minutes"] == 200
        assert browser.page is not None
        path = browser.page.url.path
        for each in (path, f"{path}/rules"):
            page = await browser.get(each)
            assert "The hands in play are then the last, and the chips decide." in text(page)
        german = await browser.get(path, headers=_GERMAN)
        assert "Die Hände, die dann gespielt werden, sind die letzten" in text(german)


async def test_a_match_may_last_for_days_and_says_so_in_words(serving: Serving) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        asked = "often=once&ruleset=better&players=2&minutes=180&date=2031-05-01&time=19:00"
        page = await browser.get(f"/leagues/{league}/new-evening/plan?{asked}")
        page = await again(browser, page, minutes="10080", decision_seconds="86400")
        assert filled(page.text)["minutes"] == "10080"
        assert "= 1 day" in text(page)
        assert "Thu 8 May" in text(page), "the end is told with its day"
        assert "field is too large" not in page.text
        body = await announced(browser, owner, page)
        assert body["length_seconds"] == 10080 * 60
        poster = text(browser.page)
        assert "Time for a decision 1 day" in poster
        assert "2 to 2" not in poster


async def test_an_add_on_is_sold_later_until_somebody_has_entered(serving: Serving) -> None:
    async with serving() as console:
        owner, league, browser = await league_of(console)
        page = await browser.get(f"/leagues/{league}/new-evening/plan?{_SPIKE}&price=5")
        await announced(browser, owner, page)
        assert browser.page is not None
        made = browser.page.url.path
        page = await browser.get(f"{made}/change")
        assert "Empty: the price of an entry, without fee and bounty." in text(page)
        fields = {
            name: each for name, each in filled(page.text).items() if name in _CHANGED
        } | {"payouts": "50, 30, 20", "amounts[]": "", "zone": "Europe/London"}  # fmt: skip
        wrong = await browser.submit(
            f"{made}/change", **fields, add_on_chips="", add_on_price="x", reason="R"
        )
        assert 'id="add_on_price-error"' in wrong.text
        sold = {"add_on_chips": "20", "add_on_price": "3", "reason": "More chips"}
        page = await browser.submit(f"{made}/change", **fields, **sold)
        assert "20 chips for €3.00" in text(page)
        page = await browser.submit(f"{made}/change")
        assert "The evening is changed." in page.text, page.text
        body = (await owner.get(f"/v1{made}/terms")).json()["body"]
        assert body["fees"]["add_on"] == {"price": 300, "fee": 0, "chips": 20, "max": 1}

        player = await console.api.join(owner, league)
        assert (await player.post(f"/v1{made}/registrations")).is_success
        assert "add_on_chips" not in (await browser.get(f"{made}/change")).text
