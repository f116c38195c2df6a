"""The way through the pages: tabs of a league and of an evening, the way up, names as links."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from uuid import UUID

import pytest

from service.notices.kinds import Kind
from service.notices.opting_out import OptOut, code_of
from tests.service.api.conftest import Person
from tests.service.api.proof.test_evidence import project
from tests.service.api.tournament.test_casino import play_out
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

TERMS = {
    "name": "<i>Thursday</i>", "hands_max": 1, "prize_pool": 900, "currency": "EUR",
    "payouts": [6, 3],
}  # fmt: skip
_NAV = re.compile(r'<nav class="(crumbs|tabs)"[^>]*>(.*?)</nav>', re.DOTALL)
_LINK = re.compile(r'<a href="([^"]*)"([^>]*)>(.*?)</a>')


def ways(page: Any) -> dict[str, list[tuple[str, str, str]]]:
    """Return the links of the crumbs and of the tabs: address, attributes, text."""
    found = {}
    for kind, inside in _NAV.findall(page.text):
        found[kind] = [
            (unescape(href), attributes, unescape(text))
            for href, attributes, text in _LINK.findall(inside)
        ]
    return found


async def publish(owner: Person, league: str) -> None:
    opened = await owner.http.put(
        f"/v1/leagues/{league}/visibility",
        json={"visibility": "public"},
        headers=owner.headers | {"If-Match": "*", "Idempotency-Key": "open"},
    )
    assert opened.is_success, opened.text


async def a_night(console: Any) -> tuple[Person, str, str, list[Person], str]:
    """Play an evening of one hand in a public league. Return also its table."""
    owner, league = await console.api.league()
    await publish(owner, league)
    people = [await console.api.join(owner, league) for _ in range(2)]
    asked = {"ruleset": "better", "hands_between_seconds": 0} | TERMS
    made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
    tournament = made.json()["id"]
    for person in people:
        await person.post(f"/v1/tournaments/{tournament}/registrations")
    started = await owner.post(f"/v1/tournaments/{tournament}/start")
    assert started.status_code == 202, started.text
    path = f"/v1/tournaments/{tournament}"
    table = (await owner.get(path)).json()["tables"][0]["id"]

    await play_out(owner, tournament, people, table)
    return owner, league, tournament, people, table


async def test_every_page_of_a_place_has_its_tabs_and_the_way_up(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, tournament, people, _ = await a_night(console)
        await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Winter"})
        await project(database)
        name = (await owner.get(f"/v1/leagues/{league}")).json()["name"]
        browser = await console.signed_in(owner.login)
        for root in (f"/leagues/{league}", f"/tournaments/{tournament}"):
            tabs = ways(await browser.get(root))["tabs"]
            assert len(tabs) == 10, root
            for href, _, _ in tabs:
                page = await browser.get(href)
                assert page.status_code == 200, href
                if href.endswith("/clock"):
                    continue  # a wall of the room, without anything to press
                shown = ways(page)
                in_sight = page.text.partition('class="tabs"')[2].partition("<details")[0]
                assert f'href="{href}" aria-current' in in_sight
                assert in_sight.count("<li>") in (6, 7)
                here = [(at, text) for at, attributes, text in shown["tabs"]
                        if "aria-current" in attributes]  # fmt: skip
                assert [at for at, _ in here] == [href]
                up = [] if href == f"/leagues/{league}" else [(f"/leagues/{league}", name)]
                if root.startswith("/tournaments") and href != root:
                    up.append((root, "<i>Thursday</i>"))
                assert [(at, text) for at, _, text in shown["crumbs"]] == up if up else True, href
        player = await browser.get(f"/leagues/{league}/players/{people[0].player}")
        [marked] = [at for at, attributes, _ in ways(player)["tabs"] if "current" in attributes]
        assert marked == f"/leagues/{league}/players"

        stranger = console.browser()
        for root in (f"/leagues/{league}", f"/tournaments/{tournament}"):
            for href, _, _ in ways(await stranger.get(root))["tabs"]:
                page = await stranger.get(href)
                assert page.status_code == 200 and page.url.path != "/sign-in", href
        member = await console.signed_in(people[0].login)
        offered = [href for href, _, _ in ways(await member.get(f"/leagues/{league}"))["tabs"]]
        assert f"/leagues/{league}/setup" not in offered
        assert f"/leagues/{league}/people" not in offered


async def test_names_lead_to_the_players_page_and_hands_to_their_replay(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, tournament, people, _ = await a_night(console)
        await project(database)
        browser = await console.signed_in(owner.login)
        result = await browser.get(f"/tournaments/{tournament}/result")
        listed = await browser.get(f"/tournaments/{tournament}/hands")
        [hand] = set(re.findall(r'href="/hands/(hnd_\w+)"', listed.text))
        replay = await browser.get(f"/hands/{hand}")
        poster = await console.browser().get(f"/tournaments/{tournament}")

    assert replay.status_code == 200
    for page in (result, replay, poster):
        for each in people:
            assert f'href="/leagues/{league}/players/{each.player}"' in page.text, page.url
    assert f'href="/hands/{hand}/proof"' in replay.text
    assert "Won by" in listed.text


async def test_two_players_are_compared_and_strangers_see_public_places_only(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, _, (one, other), _ = await a_night(console)
        await project(database)
        path = f"/leagues/{league}/players/{one.player}"
        browser = await console.signed_in(other.login)
        alone = await browser.get(path)
        beside = await browser.get(f"{path}?with={other.player}")
        never = await browser.get(f"{path}?with={owner.player}")
        stranger = await console.browser().get(path)
        compared = await console.browser().get(f"{path}?with={other.player}")
        hidden = await console.browser().get(f"/leagues/{league}/players/{owner.player}")

    assert f'href="{path}?with={other.player}"' in alone.text
    assert "Evenings together" in beside.text and "Evenings together" in compared.text
    assert "They have not finished an evening together." in never.text
    assert "Hands won" in alone.text and "Hands won" not in stranger.text
    assert "&lt;i&gt;Thursday&lt;/i&gt;" in stranger.text
    assert "Compare with" not in stranger.text
    assert hidden.status_code == 404


async def test_an_auditor_opens_a_hand_and_sees_it_with_any_eyes(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, _, _, people, table = await a_night(console)
        await project(database)
        rows = (await owner.get(f"/v1/tables/{table}/hands")).json()["items"]
        path = f"/hands/{rows[0]['hand']}"
        player = await (await console.signed_in(people[0].login)).get(path)
        browser = await console.signed_in(owner.login)
        assert "Every card" in (await browser.get(path)).text
        asked = await browser.get(f"{path}?step=2&as=auditor")
        assert asked.status_code == 200
        assert "The log keeps your name and your reason." in asked.text
        refused = await browser.submit(f"{path}/open", reason="")
        assert refused.status_code == 400
        opened = await browser.submit(f"{path}/open", reason="<b>Asked</b> by both")
        entrant = rows[0]["seats"][0]["entrant"]
        through = await browser.get(f"{path}?as={entrant}")

    assert "With my cards" in player.text and "Every card<" not in player.text
    assert opened.url.params["as"] == "auditor" and opened.url.params["step"] == "2"
    assert "Every card is open to you for an hour." in opened.text
    assert re.search(rf'as={entrant}" aria-current="true"', through.text)


def code_for(console: Any, person: Person, kind: Kind) -> str:
    """Return the code in a mail to *person*."""
    wanted = OptOut(UUID(hex=person.player[4:]), "mail", kind)
    return code_of(wanted, *console.api.app.shell.settings.secret_keys)


async def test_one_kind_of_mail_is_stopped_by_its_link_without_signing_in(
    serving: Serving,
) -> None:
    async with serving() as console:
        person = await console.api.person()
        code = code_for(console, person, "result")
        browser = console.browser()
        page = await browser.get(f"/opt-outs/{code}")
        assert "No more mails of this kind?" in page.text and "Results" in page.text
        page = await browser.submit(f"/opt-outs/{code}")
        assert "You will get no more of these mails" in page.text
        chosen = (await person.get("/v1/me/notifications")).json()["kinds"]
        assert not chosen["result"]["mail"]
        assert (await browser.get("/opt-outs/nothing")).status_code == 404

        # A mail program sends the address of the header without a page (RFC 8058).
        other = code_for(console, person, "dispute")
        one_click = {"List-Unsubscribe": "One-Click"}
        sent = await browser.http.post(f"/v1/opt-outs/{other}", data=one_click)
        assert sent.json() == {"kind": "dispute", "channel": "mail", "wanted": False}
        seen = await browser.http.get(f"/v1/opt-outs/{other}", headers={"Accept": "text/html"})
        assert f"/opt-outs/{other}" in seen.text
