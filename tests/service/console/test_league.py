"""The league's pages: standings with their results, the schedule, the players."""

import asyncio
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.service.api.proof.test_evidence import project
from tests.service.api.season.test_past_seasons import bring_results
from tests.service.api.tournament.test_casino import play_out
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

BOLD = "<b>Jyn</b>"


async def a_season(console: Any, database: TestDatabase) -> tuple[Any, str, str, str]:
    """Found a league whose season counts the better of two results. Return also a player."""
    owner, league = await console.api.league()
    made = await owner.post(f"/v1/leagues/{league}/players", {"name": BOLD})
    player = made.json()["player"]
    asked = {"name": "Spring", "aggregation": {"mode": "best", "results": 1}}
    season = (await owner.post(f"/v1/leagues/{league}/seasons", asked)).json()["id"]
    listed = (
        "tournament,place,player,points\n"
        f"Opening,1,{player},90\nOpening,2,{owner.player},80\n"
        f"Final,1,{owner.player},90\nFinal,2,{player},70\n"
    )
    imported = await bring_results(owner, league, listed, season=season)
    assert imported.is_success, imported.text
    await project(database)
    return owner, league, season, player


async def test_the_standings_say_which_places_are_shared(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        others = [await console.api.join(owner, league) for _ in range(2)]
        asked = {"name": "Spring", "tie_breaks": []}
        season = (await owner.post(f"/v1/leagues/{league}/seasons", asked)).json()["id"]
        rows = [f"Opening,{place},{each.player}," for place, each in enumerate(others, 1)]
        listed = "\n".join(
            ["tournament,place,player,points", *(f"{row}20" for row in rows),
             f"Opening,3,{owner.player},5"]
        )  # fmt: skip
        assert (await bring_results(owner, league, listed, season=season)).is_success
        await project(database)
        page = await (await console.signed_in(owner.login)).get(f"/seasons/{season}")

    assert page.text.count("a shared place") == 2
    assert page.text.count('data-label="Place">1<') == 2
    assert page.text.count('data-label="Place">3<') == 1


async def test_the_standings_say_what_counts_and_why(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, season, player = await a_season(console, database)
        browser = await console.signed_in(owner.login)

        page = await browser.get(f"/leagues/{league}/standings")
        assert page.url.path == f"/seasons/{season}"
        table = await browser.get(f"/seasons/{season}/standings.csv")
        stranger = await console.browser().get(f"/seasons/{season}")

    assert "The best result counts." in page.text
    assert "&lt;b&gt;Jyn&lt;/b&gt;" in page.text and BOLD not in page.text
    assert f'href="/leagues/{league}/players/{player}"' in page.text
    assert page.text.count("1 of 2 results count") == 2
    assert page.text.count("<del>") == 2 and "Opening" in page.text
    assert "How it counts" in page.text
    assert table.headers["content-type"].startswith("text/csv") and BOLD in table.text
    assert stranger.status_code == 404


async def test_the_players_of_a_league_are_found_with_their_records(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, _, player = await a_season(console, database)
        browser = await console.signed_in(owner.login)

        listed = await browser.get(f"/leagues/{league}/players")
        found = await browser.get(f"/leagues/{league}/players?q=jyn")
        nobody = await browser.get(f"/leagues/{league}/players?q=nobody")
        record = await browser.get(f"/leagues/{league}/players/{player}")
        asked = {"name": "<b>Tonight</b>", "ruleset": "better"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        await owner.post(f"/v1/tournaments/{made.json()['id']}/registrations")
        await project(database)
        entered = await browser.get(f"/leagues/{league}/players/{owner.player}")
        unknown = await browser.get(f"/leagues/{league}/players/plr_{'0' * 32}")

    assert f"/leagues/{league}/players/{owner.player}" in listed.text
    assert f"/leagues/{league}/players/{owner.player}" not in found.text
    assert "&lt;b&gt;Jyn&lt;/b&gt;" in found.text
    assert "Nobody has that name" in nobody.text
    assert "No evening yet" in record.text and BOLD not in record.text
    assert "Announced" in entered.text.split('id="ahead"')[1].partition("</section>")[0]
    assert "&lt;b&gt;Tonight" not in entered.text.split('id="ahead"')[1].split("</section>")[1]
    assert unknown.status_code == 404


async def test_the_schedule_lists_evenings_and_gives_a_calendar(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        empty_page = await (await console.signed_in(owner.login)).get(f"/leagues/{league}/schedule")
        asked = {"name": "<i>Thursday</i>", "ruleset": "better", "place": "Back room"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        assert made.status_code == 201, made.text
        tournament = made.json()["id"]
        await project(database)
        browser = await console.signed_in(owner.login)
        month = await browser.get(f"/leagues/{league}/schedule?month=now")
        odd = await browser.get(f"/leagues/{league}/schedule?month=2026-99")
        agenda = await browser.get(f"/leagues/{league}/schedule")
        subscribed = await browser.submit(f"/leagues/{league}/schedule/subscribe")
        address = subscribed.text.partition(f"/v1/leagues/{league}/calendar.ics?key=")[2]
        key = address.partition('"')[0]
        ics = await console.browser().get(f"/v1/leagues/{league}/calendar.ics?key={key}")

    assert "No evening is planned" in empty_page.text
    for page in (agenda, month, odd):
        assert page.status_code == 200
        assert f"/tournaments/{tournament}" in page.text, page.url
        assert "&lt;i&gt;Thursday&lt;/i&gt;" in page.text and "<i>Thursday" not in page.text
    assert "Back room" in agenda.text
    assert "webcal://" in subscribed.text
    assert "SUMMARY:" in ics.text


async def test_every_list_of_evenings_says_their_phase(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        await owner.http.put(
            f"/v1/leagues/{league}/visibility",
            json={"visibility": "public"},
            headers=owner.headers | {"If-Match": "*", "Idempotency-Key": "open"},
        )
        soon = (datetime.now(UTC) + timedelta(minutes=30)).isoformat()
        later = (datetime.now(UTC) + timedelta(days=3)).isoformat()
        asked = {"ruleset": "better", "entrants_min": 2}
        checking = {"starts_at": soon, "entry": {"check_in_opens_before_seconds": 3600}}
        for more in (
            {"name": "Checking", **checking}, {"name": "Later", "starts_at": later},
            {"name": "Playing"}, {"name": "Waiting"}, {"name": "Off"},
        ):  # fmt: skip
            made = await owner.post(f"/v1/leagues/{league}/tournaments", asked | more)
            assert made.status_code == 201, made.text
            evening = f"/v1/tournaments/{made.json()['id']}"
            if more["name"] in ("Checking", "Playing", "Waiting"):
                for name in ("Jyn", "Cassian"):
                    await owner.post(f"{evening}/walk-ins", {"name": f"{name} {more['name']}"})
            if more["name"] in ("Playing", "Waiting"):
                assert (await owner.post(f"{evening}/start")).is_success
            if more["name"] == "Waiting":
                assert (await owner.post(f"{evening}/pause")).is_success
            if more["name"] == "Off":
                assert (await owner.post(f"{evening}/cancel", {"reason": "Snow"})).is_success
        await project(database)
        member = await console.signed_in(owner.login)
        pages = {
            "schedule": await member.get(f"/leagues/{league}/schedule"),
            "league": await member.get(f"/leagues/{league}"),
            "stranger": await console.browser().get(f"/leagues/{league}/schedule"),
        }
        german = await member.get(f"/leagues/{league}/schedule", headers={"Accept-Language": "de"})

    words = {
        "Checking": "Check-in open", "Later": "Open for entries", "Playing": "Under way",
        "Waiting": "Paused", "Off": "Cancelled",
    }  # fmt: skip
    for where, page in pages.items():
        said = phases(page.text)
        known = words | ({"Checking": "Open for entries"} if where == "stranger" else {})
        assert {name: said[name] for name in known} == known, where
    assert phases(german.text)["Playing"] == "Läuft"


def phases(page: str) -> dict[str, str]:
    """Return the state that a page shows for each evening, by its name."""
    found = re.findall(r'line-name">([^<]*)</span>.*?class="tag[^"]*">([^<]*)<', page, re.DOTALL)
    return dict(found)


async def test_the_league_page_says_who_runs_it_and_what_was_announced(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, season, player = await a_season(console, database)
        asked = {"name": "Thursday", "ruleset": "better"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        tournament = made.json()["id"]
        said = {"text": "Bring <u>chips</u>."}
        told = await owner.post(f"/v1/tournaments/{tournament}/announcements", said)
        assert told.is_success, told.text
        await owner.post(f"/v1/tournaments/{tournament}/registrations")
        await project(database)
        browser = await console.signed_in(owner.login)
        page = await browser.get(f"/leagues/{league}")
        poster = await browser.get(f"/tournaments/{tournament}")

    assert "Who runs it" in page.text and "Bring &lt;u&gt;chips&lt;/u&gt;." in page.text
    for where in (
        f"/leagues/{league}/schedule",
        f"/seasons/{season}",
        f"/leagues/{league}/players",
    ):
        assert f'href="{where}"' in page.text
    assert f'href="/leagues/{league}/players/{player}"' in page.text
    assert f'href="/leagues/{league}/players/{owner.player}"' in poster.text


async def test_strangers_read_the_schedule_of_a_public_league(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        hidden = await console.browser().get(f"/leagues/{league}/schedule")
        opened = await owner.http.put(
            f"/v1/leagues/{league}/visibility",
            json={"visibility": "public"},
            headers=owner.headers | {"If-Match": "*", "Idempotency-Key": "open"},
        )
        assert opened.is_success, opened.text
        shown = await console.browser().get(f"/leagues/{league}/schedule")

    assert hidden.status_code == 404
    assert shown.status_code == 200
    assert f"/v1/public/leagues/{league}/calendar.ics" in shown.text


async def test_an_evening_that_is_over_names_its_winner_to_everybody(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, tournament, people, table = await console.api.playing(
            3, hands_max=1, visibility="public"
        )

        await play_out(owner, tournament, people, table)
        await project(database)
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        won = [each for each in shown if each["placing"] == 1]
        said = f"Won by {', '.join(each['name'] for each in won)}"
        for browser in (await console.signed_in(owner.login), console.browser()):
            for page in (f"/leagues/{league}", f"/leagues/{league}/schedule"):
                assert said in (await browser.get(page)).text, page
        listed = await console.api.http.get(f"/v1/public/leagues/{league}/schedule")
        [item] = listed.json()["items"]
        assert item["winners"] == [{"player": each["player"], "name": each["name"]} for each in won]
    async with serving(database_connections=1) as console, asyncio.timeout(20):
        # If reading the names needed a second connection, this would wait for ever.
        listed = await console.api.http.get(f"/v1/public/leagues/{league}/schedule")
        assert listed.json()["items"] == [item]
