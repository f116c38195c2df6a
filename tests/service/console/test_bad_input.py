"""Any text in a form or an address is answered with a page, and never with a defect."""

from collections.abc import Callable
from typing import Any

import pytest

from service.console.numbers import decimal, minor, whole
from tests.service.console.conftest import Browser
from tests.service.console.test_forms import evening

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

LONG = "9" * 5000
HUGE = "9e999999"


def form_of(browser: Browser, **fields: str) -> dict[str, str]:
    """Return the hidden fields of a form of the open page, with *fields*."""
    return browser.hidden("/scheme") | {"key": "€ is in no header"} | fields


async def test_numbers_of_any_length_are_refused_at_their_field(serving: Serving) -> None:
    async with serving() as console:
        owner, league, tournament = await evening(
            console, currency="EUR", fees={"buy_in": 1500, "payment": "recorded"}, payouts=[100]
        )
        browser = await console.signed_in(owner.login)
        await browser.get("/account")
        entrant = f"place.ent_{'0' * 32}"
        for path, field in (
            (f"/leagues/{league}/setup", "minutes"),
            (f"/tournaments/{tournament}/result/order", entrant),
            (f"/tournaments/{tournament}/money/payment", "amount"),
            (f"/tournaments/{tournament}/deals/propose", "play_for"),
            (f"/tournaments/{tournament}/floor/break", "minutes"),
        ):
            for text in (LONG, HUGE, "NaN", "-1"):
                answer = await browser.post(path, form_of(browser, **{field: text}))
                assert answer.status_code == 400, (path, text[:9], answer.text)
        await browser.post(f"/leagues/{league}/setup", form_of(browser, name="Bespin"))
        table = f"/tables/tbl_{'0' * 32}"
        for field in ("amount", "expected"):
            answer = await browser.post(table, form_of(browser, do="call", **{field: LONG}))
            assert answer.status_code == 404
        assert (await browser.get(f"/hands/hnd_{'0' * 32}?step={LONG}")).status_code == 404


async def test_days_without_an_instant_are_left_out(serving: Serving) -> None:
    async with serving() as console:
        owner, league, _ = await evening(console)
        browser = await console.signed_in(owner.login)
        for day in ("9999-12-31", "0001-01-01", "no day"):
            for path in ("new-evening", "new-evening/plan"):
                page = await browser.get(f"/leagues/{league}/{path}?date={day}&time=23:59")
                assert page.status_code == 200, page.text
                assert f'value="{day}"' not in page.text


async def test_a_form_of_too_many_fields_and_an_address_of_any_letters(serving: Serving) -> None:
    async with serving() as console:
        browser = console.browser()
        await browser.get("/sign-in")
        fields = form_of(browser, then="/€", scheme="dark")

        answer = await browser.post("/scheme", fields)
        assert answer.status_code == 303
        assert answer.headers["location"] == "/%E2%82%AC"
        many = {f"field{number}": "x" for number in range(2001)}
        assert (await browser.post("/scheme", fields | many)).status_code == 400


@pytest.mark.parametrize("text", [LONG, HUGE, "NaN", "Infinity", "-1", "", "1.2.3", "x"])
def test_what_is_no_number_is_none(text: str) -> None:
    assert whole(text) is None
    assert decimal(text) is None


def test_amounts_are_counted_in_minor_units() -> None:
    assert [minor(each, "EUR", "x") for each in ("5", "5,50", "5.5", ".5")] == [500, 550, 550, 50]
    assert minor("5", None, "x") == 5
