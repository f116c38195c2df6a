"""The clock on a TV: a link made by staff opens it without an account, and opens nothing else."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.service.api.test_suspending import WHY, told
from tests.service.api.tournament.test_screens import TERMS
from tests.service.console.test_parts import streaming
from tests.support.databases import TestDatabase
from tests.support.streams import PATIENCE_SECONDS

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

_LINK = re.compile(r"http://localhost:8000(/screen/holo_scr_[0-9a-f]{64})")


async def test_staff_make_a_link_and_the_tv_shows_the_clock(serving: Serving) -> None:
    async with serving() as console:
        owner, league, tournament, people, _ = await console.api.playing(2, **TERMS)
        director = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/screens"
        page = await director.get(path)
        assert "No link is open" in page.text
        page = await director.submit(path)
        assert 'aria-label="Link for the TV"' in page.text
        (where, *_) = _LINK.findall(page.text)
        assert _LINK.search((await director.get(path)).text) is None

        tv = console.browser()
        shown = await tv.get(where)
        assert shown.status_code == 200
        assert "Level 1" in shown.text and "Players left" in shown.text
        assert shown.headers["cache-control"] == "private, no-store"
        assert "set-cookie" not in shown.headers
        part = await tv.http.get(where, params={"part": "clock"})
        assert part.status_code == 200

        # Neither the address of the league nor another page opens.
        for closed in (f"/leagues/{league}", f"/tournaments/{tournament}", path):
            assert (await tv.http.get(closed)).status_code in (303, 404)
        assert f"/leagues/{league}" not in shown.text

        # A player may not open this page, and a revoked link shows nothing.
        player = await console.signed_in(people[0].login)
        assert (await player.get(path)).status_code == 403
        await director.get(path)
        (action,) = set(re.findall(rf"{path}/scr_[0-9a-f]+/revoke", director.page.text))
        page = await director.submit(action)
        assert "The link no longer works." in page.text
        assert (await tv.get(where)).status_code == 404
        assert (await tv.http.get(where, params={"part": "clock"})).status_code == 404


async def test_the_tv_is_told_of_changes_and_of_nothing_else(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament, _, _ = await console.api.playing(2, **TERMS)
        made = await owner.post(f"/v1/tournaments/{tournament}/screen-keys")
        key = made.json()["key"]
        async with streaming(console, f"topics=screen:{key}", "") as items:
            order = {"level": 2, "reason": "Late"}
            changed = await owner.post(f"/v1/tournaments/{tournament}/clock", order)
            assert changed.is_success, changed.text
            async with asyncio.timeout(PATIENCE_SECONDS):
                assert (await anext(items))["topic"] == f"screen:{key}"
        for other in (f"floor:{tournament}", tournament, f"screen:holo_scr_{'0' * 64}"):
            answer = await console.browser().http.get(f"/live?topics={other}")
            assert answer.status_code == 404, other


async def test_the_tv_is_told_when_an_operator_closes_the_league_and_the_house(
    serving: Serving, database: TestDatabase
) -> None:
    """No event says so."""
    async with serving() as console:
        owner, league, tournament, _, _ = await console.api.playing(2, **TERMS)
        key = (await owner.post(f"/v1/tournaments/{tournament}/screen-keys")).json()["key"]
        topic, screen = f"screen:{key}", console.browser()
        async with streaming(console, f"topics={topic}", "") as items:
            for order, said in (
                (("league", "suspend", league, *WHY), "This league is suspended"),
                (("maintenance", "on", *WHY), "Maintenance"),
            ):
                assert said not in (await screen.get(f"/screen/{key}?part=clock")).text
                assert (await told(database, *order)).returncode == 0
                async with asyncio.timeout(PATIENCE_SECONDS):
                    assert (await anext(items))["topic"] == topic
                assert said in (await screen.get(f"/screen/{key}?part=clock")).text
            assert (await told(database, "maintenance", "off", *WHY)).returncode == 0
            async with asyncio.timeout(PATIENCE_SECONDS):
                await anext(items)
            assert "Maintenance" not in (await screen.get(f"/screen/{key}?part=clock")).text
