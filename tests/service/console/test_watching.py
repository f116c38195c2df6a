"""Replays of a public evening, watched without an account."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.service.api.nights import start_by_clock
from tests.service.api.proof.test_evidence import project
from tests.service.api.public.test_public import night, play
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_strangers_watch_the_hands_of_a_public_evening_that_are_over(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        found = await night(console.api, "public")
        await project(database)
        stranger = console.browser()
        hands = f"/tournaments/{found.tournament}/hands"
        row = (await found.owner.get(f"/v1/tables/{found.table}/hands")).json()["items"][0]
        assert f'href="{hands}"' in (await stranger.get(f"/tournaments/{found.tournament}")).text
        assert "No hand yet" in (await stranger.get(hands)).text  # it is still played
        assert (await stranger.get(f"/hands/{row['hand']}")).status_code == 404

        await play(found, database)
        page = await stranger.get(hands)
        assert f'href="/hands/{found.hand}"' in page.text
        names = [each["name"] for each in (await found.get("tournament")).json()["entrants"]]
        assert any(name in page.text for name in names)
        replay = await stranger.get(f"/hands/{found.hand}")
        assert replay.status_code == 200
        assert all(name in replay.text for name in names)
        for members_only in ("/proof", "/tables/", "Dispute this step", "/open"):
            assert members_only not in replay.text
        steps = (await found.get("replay")).json()["steps"]
        last = await stranger.get(f"/hands/{found.hand}?step={len(steps)}&as=auditor")
        assert f"Step {len(steps)} of {len(steps)}" in last.text  # and not that of anybody else
        for closed in ("proof", "bundle"):
            sent = await stranger.get(f"/hands/{found.hand}/{closed}")
            assert sent.url.path == "/sign-in"

        # Somebody who is signed in and no member sees the same, and a member more.
        other, _ = await console.api.league()
        elsewhere = await console.signed_in(other.login)
        seen = await elsewhere.get(f"/hands/{found.hand}")
        assert (seen.status_code, "Dispute this step" in seen.text) == (200, False)
        member = await console.signed_in(found.people[0].login)
        assert "Dispute this step" in (await member.get(f"/hands/{found.hand}")).text


@pytest.mark.parametrize("visibility", ["members", "link"])
async def test_the_hands_of_a_hidden_evening_stay_hidden(
    serving: Serving, database: TestDatabase, visibility: str
) -> None:
    async with serving() as console:
        found = await night(console.api, visibility)
        await play(found, database)
        stranger = console.browser()
        pages = (f"/tournaments/{found.tournament}/hands", f"/hands/{found.hand}")
        for path in pages:
            assert (await stranger.get(path)).status_code == 404
        if found.link is not None:  # a reader who has followed the link sees both
            await stranger.get(f"/tournaments/{found.tournament}?link={found.link}")
            assert [(await stranger.get(path)).status_code for path in pages] == [200, 200]


async def test_strangers_find_the_seasons_of_a_public_league(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        found = await night(console.api, "public")
        await play(found, database)
        at = f"/v1/leagues/{found.league}/seasons"
        summer = (await found.owner.post(at, {"name": "Summer"}, key="su")).json()["id"]
        await project(database)
        stranger = console.browser()
        standings = await stranger.get(f"/leagues/{found.league}/standings")
        listed = await stranger.get(f"/leagues/{found.league}/seasons")
        old = await stranger.get(f"/seasons/{found.season}")
        member = await console.signed_in(found.owner.login)
        everything = await member.get(f"/leagues/{found.league}/seasons")
        hidden_league = await stranger.get(f"/leagues/lge_{'0' * 32}/seasons")

    assert standings.url.path == f"/seasons/{summer}"
    assert f'href="/seasons/{found.season}"' in standings.text
    assert f'href="/leagues/{found.league}/seasons"' in standings.text
    assert listed.text.index("Summer") < listed.text.index("Winter")
    assert "Leader:" in listed.text
    assert "Summer" in everything.text
    assert old.status_code == 200 and "Winter" in old.text
    assert hidden_league.status_code == 404


@pytest.mark.parametrize("words", ["Greedo is ill", ""])
async def test_strangers_read_why_an_evening_is_cancelled_without_the_words_of_staff(
    serving: Serving, words: str
) -> None:
    async with serving() as console:
        owner, league = await console.api.league("public")
        asked = {"name": "Thursday", "ruleset": "better"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        here = f"/tournaments/{made.json()['id']}"
        public = f"/v1/public{here}"
        assert (await console.api.http.get(public)).json()["cancelled_because"] is None
        await owner.post(f"/v1{here}/cancel", {"reason": words} if words else {})
        told = (await console.api.http.get(public)).text
        assert '"cancelled_because":"director"' in told
        assert "Greedo" not in told
        page = (await console.browser().get(here)).text
        assert "The organisers have cancelled it." in page
        assert "Greedo" not in page
        page = (await (await console.signed_in(owner.login)).get(here)).text
        assert (words or "The organisers have cancelled it.") in page


async def test_strangers_read_that_too_few_had_entered(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league = await console.api.league("public")
        asked = {"name": "Thursday", "ruleset": "better"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        here = f"/tournaments/{made.json()['id']}"
        await start_by_clock(database, owner, made.json()["id"])
        shown = (await console.api.http.get(f"/v1/public{here}")).json()
        assert shown["cancelled_because"] == "too_few_entrants"
        page = await console.browser().get(here, headers={"Accept-Language": "de"})
        assert "Als er anfangen sollte, waren zu wenige angemeldet." in page.text
