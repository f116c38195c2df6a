"""Money for rebuys and add-ons is taken by a button of its own, on Money and at the door."""

import re
from collections.abc import Callable
from html import unescape
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.tournament.model.terms import FeeTerms
from engine.tournament.money.pool import Charged
from service.api.tournament.money import AccountShown, PaymentShown
from service.api.tournament.tournaments import TournamentShown
from service.console.screens.evening.dues import bought, entry_parts, later_parts
from tests.service.api.tournament.test_casino import play_until
from tests.service.api.tournament.test_money import one_folds
from tests.service.console.doors import opened

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

_GERMAN = {"Accept-Language": "de"}
_FEES = {
    "buy_in": 1000, "fee": 100, "payment": "recorded",
    "add_on": {"price": 500, "fee": 50, "chips": 20},
}  # fmt: skip


def text(page: Any) -> str:
    """Return the words of a page."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.text)).split())


def account(charges: Charged, **paid: int) -> AccountShown:
    """Return the account of somebody who has paid the amounts *paid* so far."""
    return AccountShown(
        entrant="ent_1", player="plr_1", name="Ben", charged=charges.whole, charges=charges,
        paid=sum(paid.values()),
        payments=tuple(PaymentShown(kind=cast(Any, k), amount=each) for k, each in paid.items()),
        knockouts=0, bounties=0, payout=0, handed_over=0, refund=None,
    )  # fmt: skip


def test_the_fee_of_a_rebuy_is_due_with_the_rebuy_and_that_of_the_entry_with_the_entry() -> None:
    fees = FeeTerms(buy_in=1000, fee=100, payment="recorded")
    shown = cast(TournamentShown, SimpleNamespace(fees=fees, state="running"))
    charges = Charged(buy_in=1000, fee=300, rebuy=2000)  # an entry and two rebuys

    nothing = account(charges)
    assert entry_parts(nothing, shown) == [("buy_in", 1000), ("fee", 100)]
    assert later_parts(nothing, shown) == [("rebuy", 2000), ("fee", 200)]
    entered = account(charges, buy_in=1000, fee=100)
    assert entry_parts(entered, shown) == []
    assert later_parts(entered, shown) == [("rebuy", 2000), ("fee", 200)]
    fee_left = account(charges, buy_in=1000, fee=200, rebuy=2000)
    assert later_parts(fee_left, shown) == [("fee", 100)]
    assert bought(fee_left, later_parts(fee_left, shown)) == ("rebuy",)
    assert later_parts(account(charges, buy_in=1000, fee=300, rebuy=2000), shown) == []


def test_the_fee_of_a_rebuy_that_is_paid_before_the_entry_is_not_due_again() -> None:
    fees = FeeTerms(buy_in=1000, fee=100, payment="recorded")
    shown = cast(TournamentShown, SimpleNamespace(fees=fees, state="running"))
    charges = Charged(buy_in=1000, fee=200, rebuy=1000)

    early = account(charges, rebuy=1000, fee=100)
    assert later_parts(early, shown) == []
    assert entry_parts(early, shown) == [("buy_in", 1000), ("fee", 100)]
    twice = account(Charged(buy_in=1000, fee=300, rebuy=2000), rebuy=1000, fee=100)
    assert later_parts(twice, shown) == [("rebuy", 1000), ("fee", 100)]
    more = account(Charged(buy_in=1000, fee=150, add_on=500), add_on=500, fee=50)
    assert (later_parts(more, shown), entry_parts(more, shown)) == (
        [], [("buy_in", 1000), ("fee", 100)]
    )  # fmt: skip
    assert entry_parts(account(charges, rebuy=1000, fee=200), shown) == [("buy_in", 1000)]


def test_nothing_is_due_once_an_evening_is_cancelled() -> None:
    fees = FeeTerms(buy_in=1000, fee=100, payment="recorded")
    charges = Charged(buy_in=1000, fee=200, rebuy=1000)
    entered = account(charges, buy_in=1000, fee=100)
    running, cancelled = (
        cast(TournamentShown, SimpleNamespace(fees=fees, state=state))
        for state in ("running", "cancelled")
    )
    assert later_parts(entered, running) == [("rebuy", 1000), ("fee", 100)]
    assert later_parts(entered, cancelled) == []
    assert entry_parts(account(charges), cancelled) == []


async def test_an_add_on_is_paid_by_its_own_button_on_money_and_at_the_door(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, _, tournament, people, table = await console.api.playing(
            2, currency="EUR", payouts=[1], fees=_FEES, hands_max=2, starting_stack=100
        )
        await owner.post(f"/v1/tournaments/{tournament}/pause")
        await one_folds(people, table)
        for person in people:
            sold = await person.post(f"/v1/tournaments/{tournament}/add-ons")
            assert sold.is_success, sold.text
        ledger = (await owner.get(f"/v1/tournaments/{tournament}/ledger")).json()
        assert [each["charges"]["add_on"] for each in ledger["accounts"]] == [500, 500]

        browser = await console.signed_in(owner.login)
        money, door = f"/tournaments/{tournament}/money", f"/tournaments/{tournament}/door"
        page = await browser.get(money)
        assert text(page).count("Take €5.50 · Add-on") == 2, "whatever else is due"
        for _ in people:
            page = await browser.submit(f"{money}/entry")
        assert text(page).count("Take €5.50 · Add-on") == 2
        page = await browser.submit(f"{money}/later")
        assert "has paid." in page.text
        assert text(page).count("Take €5.50 · Add-on") == 1

        page = await browser.get(door)
        assert "Not paid 1" in text(page)
        assert "€5.50 due" in text(page)
        assert text(page).count("Take €5.50 · Add-on") == 1
        german = await browser.get(door, headers=_GERMAN)
        assert "Kassieren 5,50" in text(german)
        (action,) = re.findall(f'action="({door}/ent_[0-9a-f]+/later)"', german.text)
        page = await browser.submit(action)
        assert "Not paid 0" in text(page)
        ledger = (await owner.get(f"/v1/tournaments/{tournament}/ledger")).json()
        assert [each["paid"] for each in ledger["accounts"]] == [1650, 1650]


async def test_a_prize_that_goes_to_somebody_who_owes_says_so(serving: Serving) -> None:
    async with serving() as console:
        terms = {"currency": "EUR", "payouts": [1, 1], "hands_max": 1, "decision_seconds": 3600}
        owner, _, tournament, people, table = await console.api.playing(2, fees=_FEES, **terms)

        async def finished() -> bool:
            shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
            return bool(shown["state"] == "finished")

        await play_until(people, table, finished)
        browser = await console.signed_in(owner.login)
        money = f"/tournaments/{tournament}/money"
        await browser.get(money)
        page = await browser.submit(f"{money}/prize")
        assert "The prize is handed over." in page.text
        assert "still owes €11.00." in page.text
        assert "Prizes were handed over while players still owe €22.00" in text(page)
        german = await browser.get(money, headers=_GERMAN)
        assert "Bis alle zahlen, fehlt das in der Kasse." in german.text


async def test_who_is_taken_out_after_paying_gets_the_money_back_on_money(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, _, tournament = await opened(console)
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"
        await browser.get(door)
        slip = await browser.submit(f"{door}/walk-in", name="Wedge")
        assert "Take €12.00, and on to the next" in text(slip)
        (action,) = re.findall(f'action="({door}/ent_[0-9a-f]+/paid)"', slip.text)
        page = await browser.submit(action)
        assert "Not paid 0" in text(page)

        await browser.get(door)
        out = action.replace("/paid", "/out")
        await browser.submit(out)
        page = await browser.submit(out)
        assert "is off the list. Give back €12.00 on the page Money." in text(page)
        page = await browser.get(f"/tournaments/{tournament}/money")
        assert "Give back €12.00" in text(page)
        assert "Wedge (no longer entered)" in text(page), "the form tells two of a name apart"
