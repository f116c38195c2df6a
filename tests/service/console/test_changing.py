"""Changing an announced evening, prizes handed over, and the end of a draft."""

import re
from collections.abc import Callable
from datetime import datetime
from html import unescape
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.service.api.conftest import ANY
from tests.service.console.conftest import Browser
from tests.service.console.test_door import opened

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

_INPUT = re.compile(r'<input class="input"[^>]* name="([^"]+)"[^>]* value="([^"]*)"')


def shown_in(browser: Browser) -> dict[str, Any]:
    """Return the fields of the page as they stand in it."""
    assert browser.page is not None
    found: dict[str, Any] = {"zone": "Europe/London"}
    for name, value in _INPUT.findall(browser.page.text):
        text = unescape(value)
        found[name] = [*found.get(name, ()), text] if name.endswith("[]") else text
    return found


async def test_prizes_are_set_by_hand_after_a_look(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await opened(console, payouts=[70, 30])
        for name in ("Boba", "Cad"):
            await owner.post(f"/v1/tournaments/{tournament}/walk-ins", {"name": name})
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/change"
        assert (
            f'href="{path}#prizes"' in (await browser.get(f"/tournaments/{tournament}/money")).text
        )
        page = await browser.get(path)
        fields = shown_in(browser)
        assert fields["payouts"] == "70, 30"
        assert fields["amounts[]"] == ["", "", ""]

        by_hand = {"amounts[]": ["12,50", "5", ""], "prize_pool": "2", "reason": "The bar pays"}
        page = await browser.submit(path, **fields | by_hand)
        assert "Change this evening?" in page.text, page.text
        page = await browser.submit(path)
        assert "The evening is changed." in page.text, page.text
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
        assert shown["fees"]["amounts"] == [1250, 500]
        assert shown["fees"]["buy_in"] == 1000
        assert (shown["prize_pool"], shown["payouts"]) == (200, [70, 30])
        assert shown["money"]["prizes"] == [1700, 500], "the first also gets what is left"

        # The same page again changes nothing, and a wrong amount stands at its field.
        await browser.get(path)
        fields = shown_in(browser)
        assert fields["amounts[]"] == ["12.50", "5", "", "", ""]
        page = await browser.submit(path, **fields | {"reason": "Again"})
        assert "Nothing was changed." in page.text
        await browser.get(path)
        page = await browser.submit(path, **fields | {"amounts[]": ["much"], "reason": "x"})
        assert page.status_code == 400
        assert "Enter a number." in page.text
        assert 'value="much"' in page.text


async def test_start_places_and_name_change_and_another_who_was_faster_is_told_of(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/change"
        await browser.get(path)
        wanted = shown_in(browser) | {
            "name": "Friday", "place": "Café", "date": "2031-07-01", "time": "20:30",
            "zone": "Europe/Berlin", "entrants_max": "12", "reason": "Heat",
        }  # fmt: skip
        stale = browser.hidden(path) | wanted
        await browser.get(path)  # the other's own page
        before = (await owner.get(f"/v1/tournaments/{tournament}")).json()["starts_at"]
        was = datetime.fromisoformat(before).astimezone(ZoneInfo("Europe/Berlin"))
        page = await browser.submit(path, **wanted)
        told = re.sub(r"<[^>]*>|\s+", " ", page.text)
        assert re.search(rf"Start +{was:%A}, [^(]*{was:%H:%M} \(Europe/Berlin\)", told), told
        assert "Tuesday, 1 July, 20:30 (Europe/Berlin)" in told
        assert re.search(r"Name +\S.*? +Friday", told) and re.search(r"Venue +– +Café", told)
        assert re.search(r"Maximum players +\d+ +12", told)
        assert "No place, prize, seat or stack changes." not in told
        page = await browser.submit(path)
        assert "The evening is changed." in page.text, page.text
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
        assert (shown["name"], shown["place"], shown["entrants_max"]) == ("Friday", "Café", 12)
        assert shown["starts_at"].startswith("2031-07-01T18:30:00")

        stale |= {"name": "Saturday", "digest": "0" * 64}
        page = await browser.post(path, stale)
        browser.page = page
        page = await browser.submit(path)
        assert page.status_code == 412, page.text
        assert "Somebody else was faster." in page.text
        assert 'value="Saturday"' in page.text

        player = await console.signed_in((await console.api.join(owner, league)).login)
        assert (await player.get(path)).status_code == 404
        assert path not in (await player.get(f"/tournaments/{tournament}")).text


async def test_players_read_what_was_changed_and_why_on_the_page_of_the_evening(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        player = await console.signed_in((await console.api.join(owner, league)).login)
        poster = f"/tournaments/{tournament}"
        assert "Changed since" not in (await player.get(poster)).text
        for asked in (
            {"place": "<b>Café</b>", "starts_at": "2031-07-01T18:30:00Z", "reason": "Heat & haze"},
            {"entrants_max": 12, "entry": {"offer_seconds": 777}, "reason": "So many"},
        ):
            changed = f"/v1/tournaments/{tournament}/terms-changes"
            assert (await owner.post(changed, asked, headers=ANY)).is_success
        page = (await player.get(poster)).text
        told = page.partition('id="changes"')[2]
        assert told.index("So many") < told.index("Heat &amp; haze"), "the newest first"
        assert "Venue: &lt;b&gt;Café&lt;/b&gt; instead of –" in told
        assert re.search(r'Start: <time datetime="2031-07-01T18:30:00\+00:00"[^>]*>', told)
        assert "Maximum players: 12 instead of" in told
        assert "The rules of entry" in told
        german = (await player.get(poster, headers={"Accept-Language": "de"})).text
        assert "Seit der Ankündigung geändert" in german
        assert "Ort: &lt;b&gt;Café&lt;/b&gt; statt –" in german
        assert "Heat" not in (await console.browser().get(poster)).text
        assert 'id="earlier-changes"' not in page
        for number in (20, 21):
            asked = {"entrants_max": number, "reason": f"Room for {number}"}
            assert (await owner.post(changed, asked, headers=ANY)).is_success
        told = (await player.get(poster)).text.partition('id="changes"')[2]
        shown, _, folded = told.partition('<details class="fold" id="earlier-changes">')
        assert all(each in shown for each in ("Room for 21", "Room for 20", "So many"))
        assert "Heat &amp; haze" in folded and "Heat &amp; haze" not in shown


async def test_a_draft_is_announced_or_thrown_away(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        browser = await console.signed_in(owner.login)
        for act, state in (("announce", "registering"), ("discard", "discarded")):
            asked = {"name": "Night", "ruleset": "better", "draft": True}
            made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
            here = f"/tournaments/{made.json()['id']}"
            page = await browser.get(here)
            assert "This is a draft. Only staff see it" in page.text
            page = await browser.submit(f"{here}/{act}")
            if act == "discard":
                assert "It can then never be announced." in page.text
                page = await browser.submit(f"{here}/{act}")
            assert page.status_code == 200, page.text
            assert (await owner.get(f"/v1{here}")).json()["state"] == state
            assert "This is a draft" not in (await browser.get(here)).text


async def test_a_name_that_reads_like_the_same_day_is_another_name(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await opened(console, name="2031-07-01")
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/change"
        await browser.get(path)
        wanted = shown_in(browser) | {"name": "20310701", "place": "2031-W27", "reason": "Shorter"}
        page = await browser.submit(path, **wanted)
        assert "Change this evening?" in page.text, page.text
        await browser.submit(path)
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
        assert (shown["name"], shown["place"]) == ("20310701", "2031-W27")


async def test_amounts_before_a_change_of_currency_are_written_in_the_old_one(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, _, tournament = await opened(console, currency="JPY", prize_pool=1250, payouts=[1])
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/change"
        await browser.get(path)
        wanted = shown_in(browser) | {"currency": "EUR", "prize_pool": "9.50", "reason": "Bonn"}
        page = await browser.submit(path, **wanted)
        told = re.sub(r"<[^>]*>|\s+", " ", page.text)
        assert re.search(r"The house adds +1250 +9\.50 ", told), told
