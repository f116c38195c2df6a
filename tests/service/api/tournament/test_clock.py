"""Level clocks over the API: what it shows, and the commands it accepts."""

from datetime import datetime, timedelta
from typing import Any

import pytest

pytestmark = pytest.mark.anyio

LEVELS = [
    {"small": 5, "big": 10, "length": 1200},
    {"small": 10, "big": 20, "length": 900},
    {"small": 25, "big": 50},
]
STRUCTURE = {"escalation": {"kind": "levels", "by": "clock", "levels": LEVELS}}
TERMS = {"name": "Night", "ruleset": "better", "overrides": STRUCTURE}


async def begun(api: Any, **terms: Any) -> tuple[Any, str]:
    """Start a tournament of two in a sandbox. Return its owner and its path."""
    owner = await api.person()
    league = (await owner.post("/v1/leagues", {"name": "A", "sandbox": True})).json()["id"]
    made = await owner.post(f"/v1/leagues/{league}/tournaments", {**TERMS, **terms})
    assert made.status_code == 201, made.text
    path = f"/v1/tournaments/{made.json()['id']}"
    for _ in range(2):
        assert (await (await api.join(owner, league)).post(f"{path}/registrations")).is_success
    assert (await owner.post(f"{path}/start")).is_success
    return owner, path


def seconds(shown: dict[str, Any]) -> float:
    due = datetime.fromisoformat(shown["due"])
    return (due - datetime.now(due.tzinfo)) / timedelta(seconds=1)


async def test_tournament_and_table_show_the_level_and_when_the_next_comes(serving) -> None:
    async with serving() as api:
        owner, path = await begun(api)
        shown = (await owner.get(path)).json()
        table = (await owner.get(f"/v1/tables/{shown['tables'][0]['id']}")).json()

        assert shown["clock"]["level"] == 1
        assert shown["clock"]["amounts"] == {"small": 5, "big": 10, "ante": 0}
        assert shown["clock"]["next_amounts"] == {"small": 10, "big": 20, "ante": 0}
        # The service keeps the database's time, to within the round trip of a busy machine.
        assert 1100 < seconds(shown["clock"]) <= 1205
        assert table["level"] == 1
        assert table["next_level"]["number"] == 2
        assert table["next_level"]["amounts"] == shown["clock"]["next_amounts"]
        assert table["next_level"]["due"] == shown["clock"]["due"]


async def test_a_pause_shows_what_is_left_of_the_level(serving) -> None:
    async with serving() as api:
        owner, path = await begun(api)
        assert (await owner.post(f"{path}/pause")).is_success
        shown = (await owner.get(path)).json()
        table = (await owner.get(f"/v1/tables/{shown['tables'][0]['id']}")).json()

        assert shown["clock"]["due"] is None
        assert 1100 < shown["clock"]["left_seconds"] <= 1200
        assert table["next_level"]["due"] is None
        assert table["next_level"]["left_seconds"] == shown["clock"]["left_seconds"]


async def test_a_sandbox_scales_the_levels(serving) -> None:
    async with serving() as api:
        owner, path = await begun(api, time_scale=600)
        terms = (await owner.get(path)).json()["ruleset"]["escalation"]["levels"]

        assert [step["length"] for step in terms] == [2, 1, None]


async def test_only_a_sandbox_scales_time(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        refused = await owner.post(f"/v1/leagues/{league}/tournaments", {**TERMS, "time_scale": 60})

        assert (refused.status_code, refused.json()["code"]) == (400, "not_a_sandbox")


async def test_levels_that_cannot_be_played_are_refused(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        levels = [{"small": 10, "big": 20, "length": 60}, {"small": 5, "big": 10}]
        overrides = {"escalation": {"kind": "levels", "by": "clock", "levels": levels}}
        refused = await owner.post(
            f"/v1/leagues/{league}/tournaments", {**TERMS, "overrides": overrides}
        )

        assert refused.json()["code"] == "invalid_ruleset"


async def test_staff_set_the_clock_and_the_next_level_comes_by_it(serving) -> None:
    async with serving() as api:
        owner, path = await begun(api)
        body = {"seconds": 300, "reason": "The pizza came late."}
        done = await owner.post(f"{path}/clock", body, key="pizza")
        assert (done.status_code, done.json()["ruling"]) == (200, "clock_set"), done.text
        shown = (await owner.get(path)).json()
        assert 1400 < seconds(shown["clock"]) <= 1500
        again = await owner.post(f"{path}/clock", body, key="pizza")
        assert again.json() == done.json()

        table = f"/v1/tables/{shown['tables'][0]['id']}"
        on = await owner.post(f"{path}/clock", {"level": 2, "reason": "We are late."})
        assert on.is_success, on.text
        shown = (await owner.get(path)).json()
        assert shown["clock"]["level"] == 2
        assert 800 < seconds(shown["clock"]) <= 900
        assert (await owner.get(table)).json()["next_level"]["number"] == 3
        no = await owner.post(f"{path}/clock", {"level": 9, "reason": "A slip."})
        assert (no.status_code, no.json()["reason"]) == (409, "level")
