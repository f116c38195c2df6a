"""The clock of the room: for members, for strangers of a public league, and after the end."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from engine.rulesets import Amounts
from service.api.tournament.changes import KnockedOut, SeatAtTable, SeatChanged
from service.console.pages import environment
from service.console.screens.evening.clock import ClockScreen, Counting, Level, NextLevel, Placed
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
        poster = (await browser.get(f"/tournaments/{tournament}")).text
        levels = poster.split('id="levels"')[1].partition("</table>")[0]
        assert re.findall(r'"number">([^<]*)<', levels) == [
            *("Bets", "Minutes", "10 / 20", "15", "10", "1,500 / 3,000, ante 300", "–"),
        ]


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
        soon = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=3)
        asked = {"name": "<b>Night</b>", "ruleset": "better", "starts_at": soon.isoformat()}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        later = asked | {"starts_at": "2099-01-01T19:00:00Z"}
        far = await owner.post(f"/v1/leagues/{league}/tournaments", later)
        browser = await console.signed_in(owner.login)

        page = (await browser.get(f"/tournaments/{made.json()['id']}/clock")).text
        days = (await browser.get(f"/tournaments/{far.json()['id']}/clock")).text

        assert "Play starts " in page and "Play starts at" not in page
        assert "&lt;b&gt;Night&lt;/b&gt;" in page
        assert f'data-until="{soon:%Y-%m-%dT%H:%M:%S}' in page
        assert "data-until" not in days
        assert 'datetime="2099-01-01T19:00:00' in days


def test_new_seats_the_last_out_and_the_result_are_shown() -> None:
    here = SeatAtTable(table="tbl_1", number=1, seat=4)
    there = SeatAtTable(table="tbl_2", number=3, seat=2)
    now = datetime(2026, 11, 26, 20, 30, tzinfo=UTC)
    moved = SeatChanged(
        entrant="ent_1", name="<b>Kenji</b>", from_=here, to=there, why="table_broken", at=now
    )
    screen = ClockScreen(
        id="trn_1", name="Thursday", place=None, moment="level", now=now, starts_at=now,
        counting=Counting(now, 0, 900), hands_left=None, level=Level(2, Amounts(small=5, big=10)),
        next_level=None, growth="none", next_break=None, hand_for_hand=True, last_hands=2,
        entered=9, left=7, average=1234, prizes=(5000,), currency="EUR", chips=(),
        out=(KnockedOut(entrant="ent_2", name="Ida", place=8),), moves=(moved,), notices=(),
        results=(), topic="trn_1",
    )  # fmt: skip

    page = drawn(screen)
    assert "&lt;b&gt;Kenji&lt;/b&gt;" in page
    assert "table 3, seat 2" in page
    assert "8." in page
    assert "123 big blinds" in page
    assert "Hand for hand" in page
    assert "Last 2 hands" in page
    assert "The bets stay." in page

    screen.moment = "break"
    screen.next_level = NextLevel(3, Amounts(small=10, big=20), left_seconds=30)
    assert 'Level 2: <span class="figure">5 / 10</span>' in drawn(screen)
    screen.next_level = NextLevel(3, Amounts(small=10, big=20), left_seconds=0)
    assert 'Next: <span class="figure">10 / 20</span>' in drawn(screen)

    screen.moment, screen.results = "over", (Placed("Ida", 1), Placed(None, 2))
    page = drawn(screen)
    assert "Winner" in page
    assert "€50.00" in page
    assert "somebody who has left" in page


def drawn(screen: ClockScreen) -> str:
    template = environment("en").get_template("evening/clock.html")
    values = {
        "screen": screen,
        "reader": SimpleNamespace(maintenance=False),
        "here": "",
        "said": "",
    }
    context = template.new_context(values)
    next(iter(template.root_render_func(context)), None)
    return "".join(template.blocks["clock"](context))


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
