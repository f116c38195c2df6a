"""Walk-ins: the slip, the card, and the waitlist if every place is taken."""

import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.service.console.doors import entry, opened

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_a_walk_in_gets_a_slip_and_the_line_is_shown_in_order(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await opened(console, entrants_max=2)
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"

        for name in ("Lando", "Qira", "Rey"):
            await browser.get(door)
            page = await browser.submit(f"{door}/walk-in", name=name)
            assert page.status_code == 200
            assert name in page.text
            assert 'aria-label="Link of the player"' in page.text
            assert ("Every place is taken." in page.text) == (name == "Rey")
        assert "Rey is number 1 on the waitlist." in page.text
        assert "At the start, free places go to the first in line who have checked in." in page.text
        page = await browser.get(door)
        assert "On the waitlist" in page.text
        assert "No place is free. The next walk-in is number 2 on the waitlist." in page.text
        german = (await browser.get(door, headers={"Accept-Language": "de"})).text
        assert "Kein Platz ist frei. Wer jetzt kommt, ist Nummer 2 auf der Warteliste." in german
        page = await browser.get(door)
        assert "Rey" in page.text[page.text.index("On the waitlist") :]
        page = await browser.get(f"{door}?q=rey")
        assert "Nobody on the list" not in page.text
        assert page.text.count('data-name="rey"') == 1

        await browser.get(door)
        refused = await browser.submit(f"{door}/walk-in", name="")
        assert refused.status_code == 400
        assert 'role="alert"' in refused.text


async def test_a_walk_in_whom_the_league_knows_gets_a_card_if_they_have_not_signed_up(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        await owner.post(f"/v1/leagues/{league}/players", {"name": "Lando"})
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"

        await browser.get(door)
        page = await browser.submit(f"{door}/walk-in", name="Lando")
        assert "Lando has not signed up." in page.text, page.text
        assert 'aria-label="Link of the player"' not in page.text
        player = (await entry(owner, tournament))["player"]
        page = await browser.submit(f"/leagues/{league}/people/{player}/card", name="Lando")
        assert re.search(r"/join and type this code<br>[\w-]{4} ", page.text), page.text


async def test_a_slip_has_the_name_of_the_league_the_price_and_the_address_in_letters(
    serving: Serving,
) -> None:
    async with serving() as console:
        fees = {"buy_in": 500, "fee": 50, "payment": "recorded"}
        owner, league, tournament = await opened(console, currency="EUR", fees=fees)
        await owner.post(f"/v1/leagues/{league}/players", {"name": "Zuckuss"})
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"
        await browser.get(door)
        page = await browser.submit(f"{door}/walk-in", name="zuckuss")
        assert ">Zuckuss</h1>" in page.text and "zuckuss" not in page.text
        assert "€5.50" in page.text
        await browser.get(door)
        page = await browser.submit(f"{door}/walk-in", name="Rey")
        assert re.search(
            r"Or open http://localhost:8000/join and type this code</span><br>"
            r"([\w-]{4} ){11}[\w-]{4}</p>",
            page.text,
        )
        assert "€5.50" in page.text


async def test_a_walk_in_is_entered_though_nobody_can_tell_whether_they_need_a_card(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        await owner.post(f"/v1/leagues/{league}/players", {"name": "Lando"})
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"
        tokens, now = console.app.shell.limits._tokens, time.monotonic()
        monkeypatch.setattr(tokens, "_now", lambda: now)
        await browser.get(door)
        token = next(reversed(tokens._full))
        for _ in range(tokens.left(token) - 5):  # for reader, walk-in, evening, member and books
            tokens.take(token)

        page = await browser.submit(f"{door}/walk-in", name="Lando")
        assert page.status_code == 200, page.text
        assert "Lando" in page.text and "has not signed up" not in page.text
        assert tokens.left(token) == 0


async def test_a_walk_in_is_asked_for_only_while_somebody_may_enter(serving: Serving) -> None:
    async with serving() as console:
        entry = {"waitlist": False}
        owner, _, tournament = await opened(console, entrants_max=2, entry=entry)
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"
        form = f'action="{door}/walk-in"'
        assert "0 of 2 places are taken." in (await browser.get(door)).text
        for name in ("Lando", "Qira"):
            await browser.get(door)
            await browser.submit(f"{door}/walk-in", name=name)
        page = await browser.get(door)
        assert "All 2 places are taken, and there is no waitlist." in page.text
        assert form not in page.text
        assert (await owner.post(f"/v1/tournaments/{tournament}/start")).is_success
        page = await browser.get(door)
        assert "Entries are closed. Nobody else can enter." in page.text
        assert form not in page.text


async def test_a_member_who_is_added_to_a_full_evening_is_told_the_number_in_line(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console, entrants_max=2)
        for name in ("Lando", "Qira"):
            await owner.post(f"/v1/tournaments/{tournament}/walk-ins", {"name": name})
        ada = (await owner.post(f"/v1/leagues/{league}/players", {"name": "Ada"})).json()
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"
        assert "Add to the waitlist" in (await browser.get(f"{door}?q=ada")).text
        page = await browser.submit(f"{door}/enter", player=ada["player"])
        assert "Every place is taken. Ada is number 1 on the waitlist." in page.text


async def test_a_casino_has_the_places_of_its_one_table(serving: Serving) -> None:
    async with serving() as console:
        terms = {
            "ruleset": "casino", "table_seats": 2, "entrants_max": 8, "starting_stack": 100,
            "currency": None, "fees": {}, "entry": {},
        }  # fmt: skip
        owner, _, tournament = await opened(console, **terms)
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"
        assert "0 of 2 places are taken." in (await browser.get(door)).text
        for name in ("Lando", "Qira"):
            await browser.get(door)
            page = await browser.submit(f"{door}/walk-in", name=name)
            assert page.status_code == 200, page.text
        page = await browser.get(door)
        assert "All 2 places are taken, and there is no waitlist." in page.text
        assert f'action="{door}/walk-in"' not in page.text
        assert "of 2<" in (await browser.get(f"/tournaments/{tournament}")).text


async def test_a_casino_takes_walk_ins_and_members_while_it_runs(serving: Serving) -> None:
    async with serving() as console:
        terms = {
            "ruleset": "casino", "table_seats": 4, "starting_stack": 100, "staff_may_play": True,
            "currency": None, "fees": {}, "entry": {},
        }  # fmt: skip
        owner, _, tournament = await opened(console, **terms)
        browser = await console.signed_in(owner.login)
        door, floor = (f"/tournaments/{tournament}/{each}" for each in ("door", "floor"))
        for name in ("Lando", "Qira"):
            await browser.get(door)
            await browser.submit(f"{door}/walk-in", name=name)
        await browser.get(floor)
        await browser.submit(f"{floor}/start")
        shown = await browser.get(f"/tournaments/{tournament}")
        assert f'action="/tournaments/{tournament}/enter"' in shown.text
        await browser.get(door)
        slip = await browser.submit(f"{door}/walk-in", name="Enfys")
        assert slip.status_code == 200 and ">Enfys</h1>" in slip.text


async def test_a_slip_asks_nothing_of_a_player_who_has_paid(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await opened(console)
        browser = await console.signed_in(owner.login)
        door, money = (f"/tournaments/{tournament}/{each}" for each in ("door", "money"))
        await browser.get(door)
        sent = browser.hidden(f"{door}/walk-in") | {"name": "Lando"}
        page = await browser.post(f"{door}/walk-in", sent)
        assert "Due" in page.text and "€12.00" in page.text
        await browser.get(money)
        await browser.submit(f"{money}/entry")
        page = await browser.post(f"{door}/walk-in", sent)  # the same slip, loaded again
        assert page.status_code == 200 and ">Lando</h1>" in page.text
        assert "Due" not in page.text and "€12.00" not in page.text
