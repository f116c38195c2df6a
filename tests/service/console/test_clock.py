"""The clock of the room: for members, for strangers of a public league, and after the end."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from tests.service.console.conftest import Console

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

LEVELS = [
    {"small": 10, "big": 20, "length": 900},
    {"small": 1500, "big": 3000, "ante": 300},
]
CLOCKED = {
    "overrides": {"escalation": {"kind": "levels", "by": "clock", "levels": LEVELS}},
    "floor": {"breaks": [{"level": 1, "seconds": 600}]},
}


async def test_the_clock_shows_the_level_its_end_and_what_comes(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament, people, _ = await console.api.playing(3, **CLOCKED)
        told = {"text": "The <b>kitchen</b> closes at ten."}
        await owner.post(f"/v1/tournaments/{tournament}/announcements", told)
        browser = await console.signed_in(people[0].login)

        page = (await browser.get(f"/tournaments/{tournament}/clock")).text

        assert "Level 1" in page
        assert 'role="timer"' in page
        assert 'data-total="900"' in page
        assert "data-now=" in page
        assert "1,500 / 3,000, ante 300" in page
        assert "Next break" in page
        assert "of 3" in page
        assert "The &lt;b&gt;kitchen&lt;/b&gt; closes at ten." in page
        assert '<meta http-equiv="refresh" content="15">' in page
        part = await browser.get(f"/tournaments/{tournament}/clock?part=clock")
        assert "<html" not in part.text
        assert "data-until=" in part.text


async def test_a_clock_that_stands_counts_to_no_instant(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament, _, _ = await console.api.playing(2, **CLOCKED)
        paused = await owner.post(f"/v1/tournaments/{tournament}/pause")
        assert paused.status_code < 300, paused.text
        browser = await console.signed_in(owner.login)

        page = (await browser.get(f"/tournaments/{tournament}/clock")).text

        assert "Paused" in page
        assert "data-until=" not in page
        assert "tv-time held" in page


async def test_strangers_see_the_clock_of_a_public_league_only(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        hidden = await begun(console, owner, league)
        seen = {"visibility": "public"}
        path = f"/v1/leagues/{league}/visibility"
        answer = await owner.http.put(path, json=seen, headers=keyed(owner))
        assert answer.status_code < 300, answer.text
        tournament = await begun(console, owner, league)
        stranger = console.browser()

        assert (await stranger.get(f"/tournaments/{hidden}/clock")).status_code == 404
        page = (await stranger.get(f"/tournaments/{tournament}/clock")).text

        assert "Level 1" in page
        assert 'data-total="900"' in page
        assert "1,500 / 3,000, ante 300" in page
        shown = await stranger.get(f"/tournaments/{tournament}/clock?part=clock")
        assert "data-until=" in shown.text


async def test_before_play_the_clock_counts_to_the_start(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        asked = {"name": "<b>Night</b>", "ruleset": "better", "starts_at": "2099-01-01T19:00:00Z"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        browser = await console.signed_in(owner.login)

        page = (await browser.get(f"/tournaments/{made.json()['id']}/clock")).text

        assert "Play starts at" in page
        assert "&lt;b&gt;Night&lt;/b&gt;" in page
        assert 'data-until="2099-01-01T19:00:00' in page


def keyed(owner: Any) -> dict[str, str]:
    return {**owner.headers, "Idempotency-Key": uuid4().hex, "If-Match": "*"}


async def begun(console: Console, owner: Any, league: str) -> str:
    """Start an evening of two in *league*."""
    asked = {"name": "Night", "ruleset": "better", **CLOCKED}
    made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
    tournament = str(made.json()["id"])
    for _ in range(2):
        person = await console.api.join(owner, league)
        await person.post(f"/v1/tournaments/{tournament}/registrations")
    started = await owner.post(f"/v1/tournaments/{tournament}/start")
    assert started.status_code == 202, started.text
    return tournament
