"""Money and deals of an evening: what is owed, and who has accepted."""

import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.service.api.tournament.test_casino import play_out
from tests.service.api.tournament.test_corrections import a_night
from tests.service.audit.test_audit import audited, faults
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

FEES = {"buy_in": 1500, "fee": 200, "payment": "recorded"}
TERMS = {
    "currency": "EUR", "payouts": [70, 30], "fees": FEES, "starting_stack": 100,
    "decision_seconds": 3600,
}  # fmt: skip


async def test_a_director_takes_the_money_of_an_entry(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament, people, _ = await console.api.playing(2, **TERMS)
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/money"
        page = await browser.get(path)
        assert "€34.00" in page.text
        page = await browser.submit(f"{path}/entry")
        assert "has paid." in page.text
        assert "settled" in page.text
        ledger = (await owner.get(f"/v1/tournaments/{tournament}/ledger")).json()
        assert sorted(each["paid"] for each in ledger["accounts"]) == [0, 1700]

        other = next(each["entrant"] for each in ledger["accounts"] if not each["paid"])
        typed = {"entrant": other, "kind": "buy_in"}
        page = await browser.submit(f"{path}/payment", **typed, amount="much")
        assert page.status_code == 400
        assert 'id="amount-error"' in page.text
        page = await browser.submit(f"{path}/payment", **typed, amount="15.50")
        assert page.status_code == 409 or page.status_code == 422
        page = await browser.submit(f"{path}/payment", **typed, amount="15,00")
        assert "The payment is recorded." in page.text

        player = await console.signed_in(people[0].login)
        page = await player.get(path)
        assert page.status_code == 200
        assert "/money/payment" not in page.text


async def test_everybody_accepts_a_deal_on_their_own_phone(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament, people, _ = await console.api.playing(2, **TERMS)
        path = f"/tournaments/{tournament}/deals"
        browser = await console.signed_in(owner.login)
        await browser.get(path)
        page = await browser.submit(f"{path}/propose", method="equal", play_for="lots")
        assert page.status_code == 400
        page = await browser.submit(f"{path}/propose", method="equal", play_for="10,00")
        assert "Each player answers on their own phone." in page.text
        assert "€10.00" in page.text
        for person in people:
            phone = await console.signed_in(person.login)
            await phone.get(path)
            page = await phone.submit(f"{path}/answer", accepted="true")
            assert "You have accepted." in page.text
        assert "The deal" in page.text
        found = (await owner.get(f"/v1/tournaments/{tournament}/deals")).json()
        assert found["offer"] is None
        assert found["made"]["method"] == "equal"


async def test_a_deal_waits_until_nobody_may_come_back_and_says_so(serving: Serving) -> None:
    levels = {"kind": "levels", "by": "clock", "levels": [
        {"small": 5, "big": 10, "length": 3600}, {"small": 10, "big": 20}
    ]}  # fmt: skip
    terms = TERMS | {
        "overrides": {"escalation": levels}, "entry": {"late_registration_level": 1},
    }  # fmt: skip
    async with serving() as console:
        owner, _, tournament, _, _ = await console.api.playing(2, **terms)
        path = f"/tournaments/{tournament}/deals"
        found = (await owner.get(f"/v1{path}")).json()
        assert found == {"offer": None, "made": None, "obstacle": "others_may_still_enter"}
        browser = await console.signed_in(owner.login)
        page = await browser.get(path)
        assert "It is possible once late registration has closed." in page.text
        assert "It closes with level 1." in page.text
        assert f'action="{path}/propose"' not in page.text

        # A page that was open before the change gives the same answer.
        fields = browser.hidden("/scheme") | {"method": "equal", "play_for": "0"}
        refused = await browser.post(f"{path}/propose", fields, **{"Accept-Language": "de"})
        assert refused.status_code == 409
        assert "Er ist möglich, sobald die späte Anmeldung vorbei ist." in refused.text

        moved = await owner.post(f"/v1/tournaments/{tournament}/clock", {"level": 2, "reason": "x"})
        assert moved.is_success, moved.text
        found = (await owner.get(f"/v1{path}")).json()
        assert found["obstacle"] is None, found
        page = await browser.get(path)
        page = await browser.submit(f"{path}/propose", method="equal", play_for="0")
        assert "Each player answers on their own phone." in page.text


async def test_what_was_recorded_by_mistake_is_taken_back(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament, _, _ = await console.api.playing(2, **TERMS)
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/money"
        assert "Not paid after all" not in (await browser.get(path)).text
        page = await browser.submit(f"{path}/entry")
        assert "Not paid after all: the buy-in · €15.00" in page.text
        assert "Not paid after all: the fee · €2.00" in page.text
        assert 'placeholder="Reason (else: recorded by mistake)"' in page.text

        buy_in, fee = taking_back(browser.page)
        page = await sent(browser, f"{path}/undo", buy_in)
        assert "has not paid €15.00." in page.text, page.text
        again = await browser.post(f"{path}/undo", buy_in)
        assert again.status_code == 303, again.text  # sent twice, it is done once
        page = await sent(browser, f"{path}/undo", fee | {"reason": "Somebody else's money"})
        assert "Not paid after all" not in page.text
        ledger = (await owner.get(f"/v1{path.replace('/money', '/ledger')}")).json()
        assert [each["paid"] for each in ledger["accounts"]] == [0, 0]
        assert sorted(len(each["payments"]) for each in ledger["accounts"]) == [0, 4]
        page = await browser.submit(f"{path}/entry")
        assert "settled" in page.text


async def test_a_refund_is_no_payment_and_is_taken_back_by_its_own_name(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        asked = {"name": "Night", "ruleset": "better"} | TERMS
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        tournament = made.json()["id"]
        person = await console.api.join(owner, league)
        await person.post(f"/v1/tournaments/{tournament}/registrations")
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/money"
        await browser.get(path)
        await browser.submit(f"{path}/entry")
        ledger = (await owner.get(f"/v1/tournaments/{tournament}/ledger")).json()
        payer = ledger["accounts"][0]["entrant"]
        left = await person.post(f"/v1/tournaments/{tournament}/withdrawals")
        assert left.is_success, left.text
        page = await browser.get(path)
        typed = {"entrant": payer, "kind": "refund", "amount": "17"}
        page = await browser.submit(f"{path}/payment", **typed)
        assert "The payment is recorded." in page.text, page.text
        assert "Not paid after all" not in page.text
        assert "Not given back after all: €17.00" in page.text
        (refund,) = taking_back(browser.page)
        page = await sent(browser, f"{path}/undo", refund)
        assert "did not get €17.00 back." in page.text
        refused = await browser.post(f"{path}/undo", refund | {"key": "0" * 32})
        assert refused.status_code >= 400, "less stands than the page showed"


async def test_what_was_paid_for_an_entry_that_ended_is_given_back_by_one_button(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        asked = {"name": "Night", "ruleset": "better", "entrants_max": 2} | TERMS
        asked |= {"entry": {"waitlist": True}}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        tournament = made.json()["id"]
        han, *others = [await console.api.join(owner, league) for _ in range(3)]
        entries = f"/v1/tournaments/{tournament}/registrations"
        await han.post(entries)
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/money"
        await browser.get(path)
        await browser.submit(f"{path}/entry")
        assert (await han.post(f"/v1/tournaments/{tournament}/withdrawals")).is_success
        for each in (*others, han):
            await each.post(entries)
        page = await browser.get(path)
        assert "no longer entered" in page.text
        assert "1 player waits for a place and owes nothing until then:" in page.text

        assert "€17.00</span> to give back" in page.text
        page = await browser.submit(f"{path}/back")
        assert "got €17.00 back." in page.text, page.text
        assert f'action="{path}/back"' not in page.text
        assert "Not given back after all: €17.00" in page.text
        totals = (await owner.get(f"/v1/tournaments/{tournament}/ledger")).json()["totals"]
        assert totals["credit"] == 0


async def sent(browser: Any, action: str, fields: dict[str, str]) -> Any:
    """Send one of the page's forms, and return the page that follows."""
    answer = await browser.post(action, fields)
    assert answer.status_code == 303, answer.text
    return await browser.get(answer.headers["location"])


def taking_back(page: httpx.Response | None) -> list[dict[str, str]]:
    """Return the fields of each form that takes back a payment."""
    assert page is not None
    forms = re.findall(r'<form[^>]*action="[^"]*/money/undo">.*?</form>', page.text, re.DOTALL)
    hidden = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')
    return [dict(hidden.findall(each)) for each in forms]


async def test_a_prize_recorded_by_mistake_is_taken_back(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, _, tournament, _ = await a_night(console.api, database)
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/money"
        page = await browser.get(path)
        assert "Not handed over after all" not in page.text
        page = await browser.submit(f"{path}/prize")
        assert page.text.count("Not handed over after all") == 1, page.text
        assert re.search(r'placeholder="All of €[\d.]+"', page.text), page.text
        page = await browser.submit(f"{path}/prize/undo", part="0.01")
        assert "It is recorded that €0.01 of the prize was not handed over." in page.text
        assert "Hand over €0.01" in re.sub(r"<[^>]+>|\s+", " ", page.text).replace("  ", " ")
        page = await browser.submit(f"{path}/prize")
        undo = browser.hidden(f"{path}/prize/undo")
        other = undo | {"amount": "1"}  # the sum of a page that is out of date
        refused = await browser.post(f"{path}/prize/undo", other)
        assert refused.status_code == 409
        assert "another sum, is recorded as handed over" in refused.text, refused.text
        page = await browser.submit(f"{path}/prize/undo", reason="It was another Han")
        assert "It is recorded that the prize was not handed over." in page.text
        assert "Not handed over after all" not in page.text
        page = await browser.submit(f"{path}/prize")
        assert "The prize is handed over." in page.text
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_the_till_holds_what_the_house_adds_until_the_prizes_are_handed_over(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        terms = TERMS | {"hands_max": 1, "prize_pool": 900, "payouts": [6, 3]}
        owner, _, tournament, people, table = await console.api.playing(3, **terms)

        await play_out(owner, tournament, people, table)
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/money"
        page = await browser.get(path)
        for _ in people:
            page = await browser.submit(f"{path}/entry")
        for _ in range(page.text.count("Hand over")):  # players may share a place
            page = await browser.submit(f"{path}/prize")
        told = re.sub(r"<[^>]*>|\s+", " ", page.text)
        assert re.search(r"Handed over +€54\.00 +In the till +€6\.00 ", told), told
