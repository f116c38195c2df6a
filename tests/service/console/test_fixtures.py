"""Planned evenings: one is moved or skipped, or all from one on, after a look at the dry run."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.service.api.proof.test_evidence import project
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


def days_ahead(days: int, clock: str = "19:00") -> str:
    return f"{(datetime.now(UTC) + timedelta(days=days)).date()}T{clock}"


async def planned_weekly(console: Any, zone: str) -> tuple[Any, str, str, str]:
    """Return an owner, a league, its season, and a recurrence that begins in three days."""
    owner, league = await console.api.league()
    made = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Winter"})
    season = made.json()["id"]
    asked = {
        "rrule": "FREQ=WEEKLY", "zone": zone, "starts": days_ahead(3),
        "tournament": {"name": "Thursday", "ruleset": "better"},
    }  # fmt: skip
    planned = await owner.post(f"/v1/seasons/{season}/fixtures", asked)
    return owner, league, season, planned.json()["id"]


async def test_one_evening_or_all_from_one_on_are_changed(serving: Serving) -> None:
    async with serving() as console:
        owner, league, season, recurrence = await planned_weekly(console, "Europe/Berlin")
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


def forms_of(page: str, occurrence: str) -> dict[str, tuple[dict[str, str], list[str]]]:
    """Return the fields and the buttons of each form of one planned evening, by its last part."""
    found: dict[str, tuple[dict[str, str], list[str]]] = {}
    for where, inside in re.findall(
        r'<form[^>]*action="([^"]*)"[^>]*>(.*?)</form>', page, re.DOTALL
    ):
        fields = dict(re.findall(r'<input[^>]* name="([^"]+)" value="([^"]*)"', inside))
        if fields.get("occurrence") == occurrence:
            buttons = re.findall(r"<button[^>]*>(?:<svg.*?</svg>)?([^<]+)", inside)
            found[where.rpartition("/")[2]] = (fields, buttons)
    return found


async def test_every_button_of_a_planned_evening_does_what_it_says(
    serving: Serving, database: TestDatabase
) -> None:
    """Also on an evening that was skipped, or is announced already, and after the plan's end."""
    async with serving() as console:
        owner, league, season, recurrence = await planned_weekly(console, "UTC")
        at = f"/leagues/{league}/fixtures/{season}/{recurrence}"
        browser = await console.signed_in(owner.login)

        async def pressed(way: str, button: str, occurrence: str, **typed: str) -> str:
            """Press a button of an evening as the page offers it, confirm, and return the page."""
            await project(database)
            page = await browser.get(f"/leagues/{league}/fixtures")
            fields, buttons = forms_of(page.text, occurrence)[way]
            assert button in buttons, (button, buttons)
            named = {"Skip this one": {"skip": "yes"}, "End the plan here": {"end": "yes"}}
            sent = fields | named.get(button, {}) | typed
            browser.page = await browser.post(f"{at}/{way}", sent)
            assert "?</h1>" in browser.page.text, browser.page.text
            page = await browser.submit(f"{at}/{way}")
            assert "The plan is changed." in page.text, page.text
            return page.text

        async def next_ones() -> list[str]:
            listed = (await owner.get(f"/v1/seasons/{season}/fixtures")).json()["items"]
            return [each["local"] for each in listed[0]["next"]]

        first, second, third, fourth = (days_ahead(each) for each in (3, 10, 17, 24))
        page = await pressed("one", "Skip this one", second)
        assert second not in await next_ones()
        assert "Skip this one" not in forms_of(page, second)["one"][1], "it is skipped already"
        await pressed("one", "Hold this one", second)
        assert second in await next_ones(), "a skipped evening is held after all"
        moved = days_ahead(11, "20:15")
        await pressed("one", "Move this one", second, starts=moved)
        assert moved in await next_ones()
        await pressed("one", "Move this one", second, starts=second)
        assert second in await next_ones()
        later = days_ahead(18, "18:00")
        await pressed("from-here", "Move all from here", third, starts=later)
        assert {first, second, later} <= set(await next_ones())
        assert fourth not in await next_ones()
        await pressed("from-here", "End the plan here", later)
        assert await next_ones() == [first, second]
        page = (await browser.get(f"/leagues/{league}/fixtures")).text
        assert forms_of(page, later) == {}, "an evening that is no longer planned has no buttons"
        await pressed("from-here", "End the plan here", first)
        page = (await browser.get(f"/leagues/{league}/fixtures")).text
        assert "Skip this one" not in page
