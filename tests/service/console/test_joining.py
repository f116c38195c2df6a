"""The page of a code says which league one joins, and only to those who hold it."""

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_the_page_of_an_invitation_names_its_league(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {"uses": 2})).json()["code"]
        guest = console.browser()
        page = await guest.get(f"/join/{code}")
        assert "<h1>Join Cloud City" in page.text
        assert 'name="name"' in page.text

        member = await console.signed_in(owner.login)
        page = await member.get(f"/join/{code}")
        assert "You are a member of this league already." in page.text
        assert f'action="/join/{code}"' not in page.text

        page = await guest.get(f"/join/{code[:-4]}AAA=")
        assert page.status_code == 404
        assert "This code opens no league" in page.text
        assert "Cloud City" not in page.text


async def test_the_page_of_a_claim_code_names_the_player_it_is_for(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        made = (await owner.post(f"/v1/leagues/{league}/players", {"name": "Han Solo"})).json()
        browser = console.browser()
        page = await browser.get(f"/join/{made['claim']}")
        assert "entered you as Han Solo" in page.text
        assert 'name="name"' not in page.text
        path = f"/join/{made['claim']}"
        await browser.submit(f"{path}/new", login="han", password="correct horse")
        assert "Hello, Han Solo" in (await browser.get("/")).text
        assert "This code opens no league" in (await browser.get(path)).text
