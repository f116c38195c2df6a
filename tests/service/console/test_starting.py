"""The start of an evening: the floor names who loses the place, and who has not paid."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.service.console.doors import opened
from tests.service.console.test_floor import shown

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_a_draw_that_takes_places_names_the_players_and_asks_first(serving: Serving) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        for _ in range(3):
            person = await console.api.join(owner, league)
            await person.post(f"/v1/tournaments/{tournament}/registrations")
        entrants = (await shown(owner, f"/tournaments/{tournament}"))["entrants"]
        for each in entrants[:2]:
            here = f"/v1/tournaments/{tournament}/registrations/{each['id']}/check-in"
            assert (await owner.post(here)).status_code < 300
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/floor"
        lost = f"1 player is not checked in and loses the place: {entrants[2]['name']}."

        page = await browser.get(path)
        assert "Play begins by itself" in page.text
        assert lost in page.text
        page = await browser.submit(f"{path}/start")
        assert "Draw the seats and start?" in page.text and lost in page.text
        assert (await shown(owner, f"/tournaments/{tournament}"))["state"] == "registering"
        late = await console.api.join(owner, league)
        await late.post(f"/v1/tournaments/{tournament}/registrations")
        page = await browser.submit(f"{path}/start")
        assert "Something has changed since you looked." in page.text
        assert "2 players are not checked in and lose their places" in page.text
        assert (await shown(owner, f"/tournaments/{tournament}"))["state"] == "registering"
        page = await browser.submit(f"{path}/start")
        assert "The seats are drawn." in page.text, page.text
        assert lost not in page.text


async def test_the_draw_names_who_has_not_paid_and_waits_for_nobody(serving: Serving) -> None:
    async with serving() as console:
        fees = {"buy_in": 1000, "payment": "recorded"}
        owner, league, tournament = await opened(console, fees=fees)
        for name in ("Rey", "Finn", "Poe"):
            await owner.post(f"/v1/tournaments/{tournament}/walk-ins", {"name": name})
        absent = await console.api.join(owner, league)
        await absent.post(f"/v1/tournaments/{tournament}/registrations")
        entrants = (await shown(owner, f"/tournaments/{tournament}"))["entrants"]
        paid = {"entrant": entrants[0]["id"], "kind": "buy_in", "amount": 1000}
        assert (await owner.post(f"/v1/tournaments/{tournament}/payments", paid)).is_success
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/floor"
        said = "2 players have not paid yet: Finn, Poe."

        assert said in (await browser.get(path)).text
        german = await browser.get(path, headers={"Accept-Language": "de"})
        assert "2 Personen haben noch nicht bezahlt: Finn, Poe." in german.text
        await browser.get(path)
        page = await browser.submit(f"{path}/start")
        assert said in page.text and "loses the place" in page.text
        rest = {"entrant": entrants[1]["id"], "kind": "buy_in", "amount": 1000}
        assert (await owner.post(f"/v1/tournaments/{tournament}/payments", rest)).is_success
        page = await browser.submit(f"{path}/start")
        assert "The seats are drawn." in page.text, "a payment meanwhile is no reason to ask again"
