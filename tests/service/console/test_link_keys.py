"""A league that is shared by a link: its pages open for strangers who have followed the link."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from service.console.link_keys import HELD_MAX, LinkKeys, held_in
from tests.service.api.conftest import ANY, Person
from tests.service.console.conftest import Browser, Console

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

TERMS = {"hands_between_seconds": 3600, "decision_seconds": 3600}


async def seen_by(owner: Person, league: str, visibility: str, **more: Any) -> Any:
    path = f"/v1/leagues/{league}/visibility"
    wanted = {"visibility": visibility} | more
    shown = await owner.http.put(path, json=wanted, headers=owner.headers | ANY)
    assert shown.is_success, shown.text
    return shown.json()["link"]


async def shared_league(console: Console) -> tuple[Person, str, str, str]:
    """Start an evening in a league behind a link. Return owner, league, key and tournament."""
    owner, league = await console.api.league()
    key = await seen_by(owner, league, "link")
    asked = {"name": "Night", "ruleset": "better", **TERMS}
    evening = (await owner.post(f"/v1/leagues/{league}/tournaments", asked)).json()["id"]
    for name in ("Bossk", "Dengar"):
        await owner.post(f"/v1/tournaments/{evening}/walk-ins", {"name": name})
    assert (await owner.post(f"/v1/tournaments/{evening}/start")).is_success
    return owner, league, key, evening


def pages_of(league: str, evening: str) -> list[str]:
    here = f"/tournaments/{evening}"
    return [
        f"/leagues/{league}", f"/leagues/{league}/schedule",
        here, f"{here}/floor", f"{here}/clock", f"{here}/rules",
    ]  # fmt: skip


async def statuses(browser: Browser, paths: list[str]) -> set[int]:
    return {(await browser.get(path)).status_code for path in paths}


async def test_whoever_follows_the_link_reads_every_page_of_the_league(serving: Serving) -> None:
    async with serving() as console:
        owner, league, key, evening = await shared_league(console)
        paths = pages_of(league, evening)
        for path in paths:
            stranger = console.browser()
            assert (await stranger.get(path)).status_code == 404
            followed = await stranger.http.get(f"{path}?link={key}&month=2099-01")
            assert followed.status_code == 303
            assert followed.headers["location"] == f"{path}?month=2099-01"
            assert followed.headers["cache-control"] == "private, no-store"
            kept = followed.headers["set-cookie"]
            assert kept.startswith(f"holotable-link-{league}={key};")
            assert "HttpOnly" in kept and "SameSite=Lax" in kept
            assert await statuses(stranger, paths) == {200}, path
        page = await stranger.get(f"/tournaments/{evening}/floor")
        assert "Bossk" in page.text
        assert key not in page.text
        assert "default-src 'none'; script-src 'self'" in page.headers["content-security-policy"]

        # Members of other leagues are strangers here.
        person = await console.api.person()
        other = await console.signed_in(person.login)
        assert (await other.get(paths[0])).status_code == 404
        assert (await other.get(f"{paths[0]}?link={key}")).status_code == 200

        # A new key ends the old one.
        newer = await seen_by(owner, league, "link", new_link=True)
        assert await statuses(stranger, paths) == {404}
        await stranger.get(f"{paths[0]}?link={newer}")
        assert await statuses(stranger, paths) == {200}
        await seen_by(owner, league, "members")
        assert await statuses(stranger, paths) == {404}


async def test_a_key_opens_its_own_league_and_only_for_its_holder(serving: Serving) -> None:
    async with serving() as console:
        _, league, key, evening = await shared_league(console)
        _, other, other_key, other_evening = await shared_league(console)
        holder = console.browser()
        await holder.get(f"/leagues/{league}?link={key}")
        assert await statuses(holder, pages_of(other, other_evening)) == {404}
        refused = await holder.http.get(f"/leagues/{other}?link={key}")
        assert refused.status_code == 404
        assert "set-cookie" not in refused.headers
        for wrong in ("", "lnk_" + "0" * 48, f"{key}0", "<b>"):
            answer = await console.browser().http.get(f"/leagues/{league}", params={"link": wrong})
            assert answer.status_code == 404

        # With two keys, each opens what is its own.
        await holder.get(f"/tournaments/{other_evening}?link={other_key}")
        assert await statuses(holder, pages_of(other, other_evening)) == {200}
        assert await statuses(holder, pages_of(league, evening)) == {200}

        # A part is made once for all who may see the same, and for nobody else.
        path, part = f"/tournaments/{evening}/floor", {"part": "floor"}
        strangers = [holder, console.browser()]
        answers = await asyncio.gather(*(each.http.get(path, params=part) for each in strangers))
        assert [each.status_code for each in answers] == [200, 404]


async def test_settings_show_the_whole_link_once(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        browser = await console.signed_in(owner.login)
        path = f"/leagues/{league}/setup"
        await browser.get(path)
        page = await browser.submit(f"{path}/visibility", visibility="link")
        assert f"http://localhost:8000/leagues/{league}?link=lnk_" in page.text
        assert "lnk_" not in (await browser.get(path)).text


def test_a_browser_holds_few_keys_of_good_form() -> None:
    key, things = "lnk_" + "a" * 48, [f"lge_{number:032x}" for number in range(20)]
    cookies = {f"holotable-link-{each}": key for each in things} | {"holotable-link-x": key}
    held = held_in(cookies)
    assert len(held.held) == HELD_MAX
    assert held.tried(f"/v1/public/leagues/{things[0]}/schedule") == (key,)
    assert held.tried("/v1/public/tournaments/trn_1") == (None, *[key] * HELD_MAX)
    assert held.tried("/v1/me") == (None,)
    assert held_in({f"holotable-link-{things[0]}": "lnk_short"}) == LinkKeys()
