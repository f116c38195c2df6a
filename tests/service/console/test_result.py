"""The result of an evening: seen by all, corrected after a look at what changes."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from service.console.wordings.results import RESULTS
from tests.service.api.tournament.test_casino import play_out

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

TERMS = {"hands_max": 1, "prize_pool": 900, "currency": "EUR", "payouts": [6, 3]}


def facts(page: str) -> str:
    """Return the figures at the head of the money page."""
    return page[page.index('<div class="facts">') : page.index('<table class="data')]


async def test_prizes_are_divided_anew_where_the_refusal_of_an_order_says(
    serving: Serving,
) -> None:
    for refusal in (
        "entrants of a payout deal stay above the rest; award the prizes again",
        "a payout deal gives more than the places; award the prizes again",
    ):
        assert "under “Other prizes”" in RESULTS[refusal]
    async with serving() as console:
        owner, _, tournament, people, table = await console.api.playing(3, **TERMS)
        await play_out(owner, tournament, people, table)
        path = f"/tournaments/{tournament}/result"
        browser = await console.signed_in(owner.login)
        page = await browser.get(path)
        assert "<summary>Other prizes</summary>" in page.text
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        order = [each["id"] for each in sorted(shown, key=lambda each: each["placing"])]
        prizes = {f"prize.{order[0]}": "4.50", f"prize.{order[1]}": "", f"prize.{order[2]}": "4,50"}

        page = await browser.submit(f"{path}/prizes", **prizes | {f"prize.{order[1]}": "9"})
        assert page.status_code == 400
        wrong = prizes | {f"prize.{order[0]}": "5", "reason": "As they agreed"}
        page = await browser.submit(f"{path}/prizes", **wrong)
        assert "The prizes come to 950" in page.text
        await browser.get(path)
        page = await browser.submit(f"{path}/prizes", **prizes, reason="As they agreed")
        assert "Correct the result?" in page.text
        page = await browser.submit(f"{path}/prizes")
        assert "The result is corrected." in page.text and "Prizes divided again" in page.text
        after = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        assert {each["id"]: each["payout"] or 0 for each in after} == {
            order[0]: 450, order[1]: 0, order[2]: 450,
        }  # fmt: skip


async def test_a_result_is_corrected_and_a_prize_handed_over(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament, people, table = await console.api.playing(3, **TERMS)

        path = f"/tournaments/{tournament}/result"
        browser = await console.signed_in(owner.login)
        assert "No result yet" in (await browser.get(path)).text
        await play_out(owner, tournament, people, table)

        floor = f"/tournaments/{tournament}/floor"
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        for said, language in (("Won by", "en"), ("Gewonnen hat", "de")):
            page = await browser.get(floor, headers={"Accept-Language": language})
            assert f'href="{path}"' in page.text and f"/tournaments/{tournament}/money" in page.text
            assert f"{said} " in page.text
            assert all(each["name"] in page.text for each in shown if each["placing"] == 1)
        page = await browser.get(path)
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        payouts = [each["payout"] for each in shown if each["payout"]]
        assert sum(payouts) == 900  # players who tie share the prizes of their places
        assert all(f"€{payout / 100:.2f}" in page.text for payout in payouts)
        order = [each["id"] for each in sorted(shown, key=lambda each: each["placing"])]
        places = {f"place.{each}": str(3 - index) for index, each in enumerate(order)}
        page = await browser.submit(f"{path}/order", **places | {f"place.{order[0]}": "last"})
        assert page.status_code == 400
        page = await browser.submit(f"{path}/order", **places, reason="<b>Counted</b> wrongly")
        assert "Correct the result?" in page.text and "Prizes" in page.text
        page = await browser.submit(f"{path}/order")
        assert "The result is corrected." in page.text
        assert "Order corrected" in page.text
        assert "&lt;b&gt;Counted" in page.text
        after = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        assert next(each["placing"] for each in after if each["id"] == order[2]) == 1

        page = await browser.submit(f"{path}/forfeit", entrant=order[2], reason="Two phones")
        page = await browser.submit(f"{path}/forfeit")
        assert "forfeited" in page.text

        money = f"/tournaments/{tournament}/money"
        page = await browser.get(money)
        assert "In the till" not in page.text
        page = await browser.submit(f"{money}/prize")
        assert "The prize is handed over." in page.text
        books = (await owner.get(f"/v1/tournaments/{tournament}/ledger")).json()["accounts"]
        paid = next(each for each in books if each["handed_over"])
        assert f"€{paid['handed_over'] / 100:.2f}" in facts(page.text)
        # A further correction says what of it must come back.
        await browser.get(path)
        gone = {"entrant": paid["entrant"], "reason": "Two phones"}
        page = await browser.submit(f"{path}/forfeit", **gone)
        assert "Prizes that are handed over already" in page.text
        said = re.sub("<[^>]*>", "", page.text)
        assert f"€0.00, so €{paid['handed_over'] / 100:.2f} must come back" in said
        player = await console.signed_in(people[0].login)
        assert f"{path}/order" not in (await player.get(path)).text
