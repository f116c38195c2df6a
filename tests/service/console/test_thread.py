"""A person's way through the console: sign up, join, enter, leave, sign out."""

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_somebody_signs_up_joins_enters_and_leaves(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        asked = {"name": "Thursday", "ruleset": "better"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        tournament = made.json()["id"]
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]
        browser = console.browser()
        inviting = f'href="/leagues/{league}/people#invite"'
        staff = await console.signed_in(owner.login)
        assert inviting in (await staff.get(f"/tournaments/{tournament}")).text
        assert inviting in (await staff.get(f"/tournaments/{tournament}?part=poster")).text

        await browser.get(f"/join/{code}")
        page = await browser.submit(
            f"/join/{code}/new", name="Mara", login="mara", password="correct horse"
        )
        assert page.url.path == f"/leagues/{league}"
        assert "Cloud City" in page.text

        page = await browser.get(f"/tournaments/{tournament}")
        assert inviting not in page.text
        page = await browser.submit(f"/tournaments/{tournament}/enter")
        assert "You are on the list." in page.text
        assert "Mara" in page.text
        page = await browser.submit(f"/tournaments/{tournament}/leave")
        assert "You are no longer on the list." in page.text

        home = await browser.get("/")
        assert "Hello, Mara" in home.text
        gone = await browser.submit("/sign-out")
        assert gone.url.path == "/sign-in"
        assert (await browser.get("/")).text.count("Hello, ") == 0
