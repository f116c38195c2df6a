"""The tag that the stream tells strangers, so that their pages ask only for what differs."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import urlencode

import pytest

from service.console import telling
from service.console.sessions import PLAIN_COOKIE
from tests.service.console.conftest import Browser
from tests.service.console.test_parts import streaming

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

IN_ANY_STATE = {"Idempotency-Key": "close", "If-Match": "*"}


def following(tournament: str, *shown: str) -> str:
    """Return the query of a page's stream on the floor that shows these parts."""
    return urlencode([("topics", f"floor:{tournament}"), *(("shown", each) for each in shown)])


def part_of(tournament: str) -> str:
    return f"/tournaments/{tournament}/floor?part=floor"


async def chosen(people: list[Any], table: str) -> None:
    """Let the first player select a card, which nobody sees on the floor."""
    path = f"/v1/tables/{table}"
    view = (await people[0].get(path)).json()
    action = {"type": "select", "decision": view["decision"]["token"]}
    action["cards"] = view["me"]["cards"][:1]
    assert (await people[0].post(f"{path}/actions", action)).is_success


async def heard(items: Any, tournament: str) -> Any:
    """Return the next news of the floor."""
    async with asyncio.timeout(10):
        item = await anext(items)
    assert item["topic"] == f"floor:{tournament}"
    return item


async def tag_of(browser: Browser, address: str) -> str:
    answer = await browser.http.get(address)
    assert answer.status_code == 200
    return answer.headers["etag"]


async def test_a_stranger_hears_the_tag_that_the_part_has_after_each_change(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, _, tournament, people, table = await console.api.playing(visibility="public")
        stranger, address = console.browser(), part_of(tournament)
        before = await tag_of(stranger, address)

        async with streaming(console, following(tournament, address), "") as items:
            await chosen(people, table)
            same = await heard(items, tournament)
            assert (await owner.post(f"/v1/tournaments/{tournament}/pause")).is_success
            other = await heard(items, tournament)

        assert (same["part"], same["tag"]) == (address, before)
        assert (other["part"], other["tag"]) == (address, await tag_of(stranger, address))
        assert other["tag"] != same["tag"]


async def test_all_strangers_share_one_look_after_a_change(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0

    async def counted(*given: Any) -> Any:
        nonlocal looks
        looks += 1
        return await made_part(*given)

    made_part = telling.made_part
    monkeypatch.setattr(telling, "made_part", counted)
    async with serving() as console:
        _, _, tournament, people, table = await console.api.playing(visibility="public")
        asked = following(tournament, part_of(tournament))
        async with AsyncExitStack() as stack:
            streams = [
                await stack.enter_async_context(streaming(console, asked, "")) for _ in range(20)
            ]
            await chosen(people, table)
            found = [await heard(items, tournament) for items in streams]

        assert looks == 1
        assert all(each == found[0] for each in found)


@pytest.mark.parametrize("ended", [False, True])
async def test_a_browser_with_a_session_hears_no_tag(serving: Serving, ended: bool) -> None:
    async with serving() as console:
        owner, _, tournament, people, table = await console.api.playing(visibility="public")
        browser = await console.signed_in(owner.login)
        cookie = "; ".join(f"{name}={value}" for name, value in browser.http.cookies.items())
        if ended:
            token = cookie.partition(f"{PLAIN_COOKIE}=")[2].partition(".")[0]
            where = f"/v1/tokens/{token}"
            assert (await owner.http.delete(where, headers=owner.headers)).is_success
        asked = following(tournament, part_of(tournament))

        async with streaming(console, asked, cookie) as items:
            await chosen(people, table)
            assert set(await heard(items, tournament)) == {"topic", "version"}


async def test_the_floor_of_a_league_that_closes_has_no_tag_any_more(serving: Serving) -> None:
    async with serving() as console:
        owner, league, tournament, people, table = await console.api.playing(visibility="public")
        address = part_of(tournament)
        async with streaming(console, following(tournament, address), "") as items:
            where, headers = f"/v1/leagues/{league}/visibility", owner.headers | IN_ANY_STATE
            closed = {"visibility": "members"}
            assert (await owner.http.put(where, json=closed, headers=headers)).is_success
            await chosen(people, table)
            item = await heard(items, tournament)

        assert set(item) == {"topic", "version"}
        assert (await console.browser().http.get(address)).status_code == 404


async def test_only_the_tags_of_declared_pages_are_told(serving: Serving) -> None:
    async with serving() as console:
        _, league, tournament, people, table = await console.api.playing(visibility="public")
        others = (
            f"/tournaments/{tournament}?part=poster",  # a page of read models too
            f"/tables/{table}?part=table",  # a page for members
            f"/leagues/{league}/../../tournaments/{tournament}/floor?part=floor",
            "/tournaments/../floor?part=floor",
            "/nothing?part=floor",
            f"{part_of(tournament)}&{'x' * telling.ADDRESS_MAX}",
            "",
        )
        async with streaming(console, following(tournament, *others), "") as items:
            await chosen(people, table)
            assert set(await heard(items, tournament)) == {"topic", "version"}


async def test_news_of_a_part_that_the_page_does_not_have_name_none(serving: Serving) -> None:
    async with serving() as console:
        _, _, tournament, people, table = await console.api.playing(visibility="public")
        floor = f"/tournaments/{tournament}/floor"
        for address in (floor, f"{floor}?part=nothing"):
            async with streaming(console, following(tournament, address), "") as items:
                await chosen(people, table)
                people.reverse()  # the other player selects next
                assert set(await heard(items, tournament)) == {"topic", "version"}
