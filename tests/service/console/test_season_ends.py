"""Opening a season from a preset, and closing it with a look at what is counted."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.service.api.proof.test_evidence import project
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_a_season_opens_from_a_preset_with_the_best_results(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        browser = await console.signed_in(owner.login)
        path = f"/leagues/{league}/new-season"
        page = await browser.get(path)
        assert "Stockholm" in page.text
        page = await browser.submit(path, name="<b>Winter</b>", preset="stockholm", counts="best")
        assert page.status_code >= 400  # best of how many?
        assert "&lt;b&gt;Winter&lt;/b&gt;" in page.text
        page = await browser.submit(
            path, name="Winter", preset="stockholm", counts="best", results="8"
        )
        assert "The season is open." in page.text, page.text


async def test_a_way_of_counting_shows_an_example(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        browser = await console.signed_in(owner.login)
        path = f"/leagues/{league}/new-season"
        plain = await browser.get(path)
        assert "Six players, four evenings" in plain.text
        assert "<del>" not in plain.text

        page = await browser.submit(
            path, name="Winter", preset="table", counts="best", results="2", again="yes"
        )

        assert page.status_code == 200, page.text
        assert 'value="Winter"' in page.text
        assert "<del>" in page.text
        assert "<strong>50</strong>" in re.sub(r"</?span[^>]*>", "", page.text)  # 25 twice
        page = await browser.submit(path, name="Winter", counts="best", again="yes")
        assert "say how many results count" in page.text
        assert (await owner.get(f"/v1/leagues/{league}/seasons")).json()["items"] == []


async def with_an_evening(console: Any, name: str) -> tuple[Any, str, str, str]:
    """Return an owner, a league, its season, and an evening of the season that somebody entered."""
    owner, league = await console.api.league()
    made = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Winter"})
    season = made.json()["id"]
    asked = {"name": name, "ruleset": "better", "season": season}
    evening = (await owner.post(f"/v1/leagues/{league}/tournaments", asked)).json()["id"]
    player = await console.api.join(owner, league)
    await player.post(f"/v1/tournaments/{evening}/registrations")
    return owner, league, season, evening


async def test_a_season_closes_after_a_look_at_what_is_not_counted(serving: Serving) -> None:
    async with serving() as console:
        owner, _, season, evening = await with_an_evening(console, "<i>Late</i>")
        browser = await console.signed_in(owner.login)
        path = f"/seasons/{season}/close"
        page = await browser.get(path)
        assert page.status_code == 200, page.text
        assert "Not counted yet" not in page.text  # reading tries nothing
        page = await browser.submit(f"{path}/try")
        assert page.status_code == 200, page.text
        assert "Not counted yet" in page.text
        assert "&lt;i&gt;Late&lt;/i&gt;" in page.text
        assert (await owner.get(f"/v1/seasons/{season}")).json()["state"] == "open"

        await owner.post(f"/v1/tournaments/{evening}/cancel")
        await browser.get(path)
        page = await browser.submit(f"{path}/try")
        assert "cancelled" in page.text
        page = await browser.submit(path)
        assert "The season is closed." in page.text, page.text
        assert (await owner.get(f"/v1/seasons/{season}")).json()["state"] == "closed"


async def test_a_season_that_ends_a_plan_of_evenings_says_so_before_it_closes(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        made = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Winter"})
        path = f"/seasons/{made.json()['id']}/close"
        browser = await console.signed_in(owner.login)
        assert "ends with the season" not in (await browser.get(path)).text
        start = (datetime.now(UTC) + timedelta(days=60)).strftime("%Y-%m-%dT19:00")
        plan = {
            "rrule": "FREQ=WEEKLY", "zone": "Europe/London", "starts": start, "ahead_hours": 24,
            "tournament": {"name": "<i>Spice</i>", "ruleset": "better"},
        }  # fmt: skip
        planned = await owner.post(f"/v1{path.removesuffix('/close')}/fixtures", plan)
        assert planned.status_code == 201, planned.text
        await project(database)

        said = "The plan of &lt;i&gt;Spice&lt;/i&gt; ends with the season."
        assert said in (await browser.get(path)).text
        assert said in (await browser.submit(f"{path}/try")).text
        page = await browser.submit(path)
        assert "The season is closed." in page.text, page.text


async def test_a_player_cannot_open_a_season(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        player = await console.api.join(owner, league)
        page = await (await console.signed_in(player.login)).get(f"/leagues/{league}/new-season")
        assert page.status_code == 404


async def test_an_owner_leaves_an_evening_out_and_closes_the_season_to_the_last_button(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, season, evening = await with_an_evening(console, "Late")
        browser = await console.signed_in(owner.login)
        path = f"/seasons/{season}/close"
        await project(database)
        page = await browser.get(f"/leagues/{league}")
        assert f'href="{path}"' in page.text
        assert "These places are final." not in page.text
        await browser.get(path)
        page = await browser.submit(f"{path}/try")
        assert "Leave these out and close the season" in page.text
        page = await browser.submit(path, reason="")
        assert page.status_code == 400
        assert "Leave these out and close the season" in page.text
        page = await browser.submit(path, reason="Nobody <b>came</b>")
        assert "Close the season?" in page.text, page.text
        assert 'name="leave_out[]"' in page.text
        told = page.text.partition("Its evenings</caption>")[2].partition("</table>")[0]
        assert "Late" in told and "Open for entries" in told
        assert "left out: it stays open, and counts for no season" in told
        assert "No place, prize, seat or stack changes." not in page.text
        page = await browser.submit(path)
        assert "The season is closed." in page.text, page.text
        await project(database)
        page = await browser.get(f"/leagues/{league}")
        assert f'href="{path}"' not in page.text, "a closed season offers no close"
        assert f'href="/leagues/{league}/new-season"' in page.text
        assert "These places are final." in page.text
        shown = (await owner.get(f"/v1/seasons/{season}")).json()
        assert shown["state"] == "closed"
        page = await browser.get(f"/seasons/{season}")
        assert page.status_code == 200
        assert path not in page.text

        # Whoever kept the address reads that there is nothing left to close.
        page = await browser.get(path)
        assert "This season is closed." in page.text, page.text
        assert f'action="{path}/try"' not in page.text
        assert (await browser.get(f"/tournaments/{evening}")).status_code == 200


async def test_an_evening_that_outlives_its_season_says_that_it_counts_for_none(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        made = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Winter"})
        season = made.json()["id"]
        asked = {"name": "Late", "ruleset": "better", "season": season}
        evening = (await owner.post(f"/v1/leagues/{league}/tournaments", asked)).json()["id"]
        browser = await console.signed_in(owner.login)
        page = await browser.get(f"/tournaments/{evening}")
        assert "counts for no season" not in page.text
        path = f"/seasons/{season}/close"
        await browser.get(path)
        page = await browser.submit(f"{path}/try")
        assert "One evening is not over. It stays open, and counts for no season." in page.text
        await browser.submit(path)
        assert (await owner.get(f"/v1/seasons/{season}")).json()["state"] == "closed"

        page = await browser.get(f"/tournaments/{evening}")
        assert "The season “Winter” has closed. This evening counts for no season." in page.text
        cancelled = await owner.post(f"/v1/tournaments/{evening}/cancel", {"reason": "Over"})
        assert cancelled.is_success, cancelled.text
        page = await browser.get(f"/tournaments/{evening}")
        assert "counts for no season" not in page.text
