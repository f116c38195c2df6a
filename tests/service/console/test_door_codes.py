"""Codes of players lead staff to the line at the door, and others to the poster."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import segno

from tests.service.api.conftest import PASSWORD
from tests.service.console.conftest import Browser
from tests.service.console.doors import entry, opened

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_a_code_leads_staff_to_the_line_and_others_to_the_poster(serving: Serving) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        person = await console.api.join(owner, league)
        await person.post(f"/v1/tournaments/{tournament}/registrations")
        code = f"/tournaments/{tournament}/here/{person.player}"

        page = await (await console.signed_in(owner.login)).get(code)
        assert page.url.path == f"/tournaments/{tournament}/door"
        assert person.player in page.text
        browser = await console.signed_in(person.login)
        page = await browser.get(code)
        assert page.url.path == f"/tournaments/{tournament}"
        page = await browser.get(f"/tournaments/{tournament}/door")
        assert page.url.path == f"/tournaments/{tournament}"
        phone = console.browser()
        page = await phone.get(code)
        assert page.status_code == 404
        assert "Sign in first, if you do." in page.text
        assert await signed_in_at(phone, owner.login) == f"/tournaments/{tournament}/door"


async def signed_in_at(phone: Browser, login: str) -> str:
    """Sign in by the link of the page about the code. Return the page that this leads to."""
    assert phone.page is not None
    [address] = re.findall(r'href="(/sign-in\?then=[^"]+)"', phone.page.text)
    await phone.get(address)
    page = await phone.submit(address, login=login, password=PASSWORD)
    assert page.status_code == 200, page.text
    return str(page.url.path)


async def test_a_code_on_a_seat_card_of_a_public_evening_leads_staff_who_sign_in_to_the_line(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console, visibility="public")
        person = await console.api.join(owner, league)
        await person.post(f"/v1/tournaments/{tournament}/registrations")
        desk = await console.signed_in(owner.login)
        cards = (await desk.get(f"/tournaments/{tournament}/prints?what=cards")).text
        code = f"/tournaments/{tournament}/here/{person.player}"
        drawn = segno.make(f"http://localhost:8000{code}", error="m", micro=False)
        [path] = re.findall(r'd="(M[^"]+)"', drawn.svg_inline(omitsize=True, border=2))
        assert f'src="{code}/code.svg"' in cards
        image = (await desk.get(f"{code}/code.svg")).text
        assert path in image, "a camera reads the address that is opened below"

        phone = console.browser()
        page = await phone.get(code)
        assert page.url.path == f"/tournaments/{tournament}"
        assert await signed_in_at(phone, owner.login) == f"/tournaments/{tournament}/door"
        assert f'data-player="{person.player}"' in phone.page.text
        theirs = console.browser()
        await theirs.get(code)
        assert await signed_in_at(theirs, person.login) == f"/tournaments/{tournament}"


async def test_a_code_that_is_not_on_the_list_is_told_in_words(serving: Serving) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console, entrants_max=2)
        member = (await owner.post(f"/v1/leagues/{league}/players", {"name": "Ada"})).json()
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"

        page = await browser.get(f"{door}?q={member['player']}")
        assert "Ada is in the league but not entered." in page.text
        await browser.submit(f"{door}/enter", player=member["player"])
        assert (await entry(owner, tournament))["player"] == member["player"]

        # A code is used twice: the second time it shows the same line.
        for _ in range(2):
            page = await browser.get(f"{door}?q={member['player']}")
            assert 'value="Ada"' in page.text
            assert "notice" not in page.text.split('id="people"')[1].split("</main>")[0]
        for other in (f"plr_{'0' * 32}", "plr_<b>"):
            page = await browser.get(f"{door}?q={other}")
            assert "This code belongs to nobody in this league." in page.text
            assert 'name="q" value=""' in page.text or other not in page.text
            assert f"{door}/walk-in" in page.text and ">Ada<" in page.text

        for name in ("Boba", "Cad"):
            await browser.get(door)
            await browser.submit(f"{door}/walk-in", name=name)
        waiting = await entry(owner, tournament, 2)
        assert waiting["status"] == "waitlisted"
        page = await browser.get(f"{door}?q={waiting['player']}")
        assert "This code belongs to nobody" not in page.text
        assert "On the waitlist" in page.text


async def test_a_code_of_another_league_says_whose_it_is_and_what_to_do(serving: Serving) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console, name="<i>Thursday</i>")
        person = await console.api.join(owner, league)
        await person.post(f"/v1/tournaments/{tournament}/registrations")
        code = f"/tournaments/{tournament}/here/{person.player}"
        other, _ = await console.api.league()
        elsewhere = await console.signed_in(other.login)

        page = await elsewhere.get(code)
        assert page.status_code == 404
        assert "A code for another door" in page.text
        assert "Thursday" not in page.text, "the league is for its members only"
        name = (await other.get("/v1/me")).json()["name"]
        assert f"You are signed in as {name}." in page.text
        missing = await elsewhere.get(f"/tournaments/trn_{'0' * 32}/here/{person.player}")
        assert missing.status_code == 404
        cut = [each.text.partition("<main")[2].partition("</main>")[0] for each in (page, missing)]
        assert cut[0] == cut[1], "nobody learns whether the evening exists"
        page = await console.browser().get(code)
        assert page.status_code == 404
        assert f"/sign-in?then={code}" in page.text

        seen = {"visibility": "public"}
        path = f"/v1/leagues/{league}/visibility"
        assert (await owner.http.put(path, json=seen, headers=owner.headers)).is_success
        asked = {"name": "<i>Friday</i>", "ruleset": "better"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        code = f"/tournaments/{made.json()['id']}/here/{person.player}"
        page = await elsewhere.get(code)
        assert page.status_code == 200
        assert "&lt;i&gt;Friday&lt;/i&gt;" in page.text and "Cloud City" in page.text
        page = await elsewhere.get(code, headers={"Accept-Language": "de"})
        assert "Ein Code für einen anderen Einlass" in page.text
        assert (await console.browser().get(code)).url.path == code.partition("/here/")[0]
