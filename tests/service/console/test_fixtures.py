"""Planned evenings: one is moved or skipped, or all from one on, after a look at the dry run."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


def days_ahead(days: int, clock: str = "19:00") -> str:
    return f"{(datetime.now(UTC) + timedelta(days=days)).date()}T{clock}"


async def test_one_evening_or_all_from_one_on_are_changed(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        made = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Winter"})
        season = made.json()["id"]
        asked = {
            "rrule": "FREQ=WEEKLY", "zone": "Europe/Berlin", "starts": days_ahead(3),
            "tournament": {"name": "Thursday", "ruleset": "better"},
        }  # fmt: skip
        planned = await owner.post(f"/v1/seasons/{season}/fixtures", asked)
        recurrence = planned.json()["id"]
        browser = await console.signed_in(owner.login)
        await browser.get(f"/leagues/{league}/fixtures")
        at = f"/leagues/{league}/fixtures/{season}/{recurrence}"

        async def changed(way: str, **fields: str) -> list[str]:
            """Send a form, confirm its dry run, and return the local times that are next."""
            page = await browser.post(f"{at}/{way}", browser.hidden("/sign-out") | fields)
            assert "?</h1>" in page.text, page.text
            browser.page = page
            page = await browser.submit(f"{at}/{way}")
            assert "The plan is changed." in page.text, page.text
            listed = (await owner.get(f"/v1/seasons/{season}/fixtures")).json()["items"]
            return [each["local"] for each in listed[0]["next"]]

        found = await changed("one", occurrence=days_ahead(3), starts=days_ahead(4, "20:00"))
        assert days_ahead(4, "20:00") in found
        found = await changed("one", occurrence=days_ahead(10), skip="yes")
        assert days_ahead(10) not in found
        found = await changed(
            "from-here", occurrence=days_ahead(17), starts=days_ahead(18, "18:30")
        )
        assert days_ahead(18, "18:30") in found
        found = await changed("from-here", occurrence=days_ahead(25, "18:30"), end="yes")
        assert days_ahead(32, "18:30") not in found

        refused = await browser.post(
            f"{at}/one", browser.hidden("/sign-out") | {"occurrence": "../x", "skip": "yes"}
        )
        assert refused.status_code == 400
