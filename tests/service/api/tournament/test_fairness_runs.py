"""The generator's nightly statistics over HTTP."""

import json
from datetime import date
from functools import partial
from typing import Any

import asyncpg
import pytest

from service.audit.play.fresh import measured
from service.director.runtime import open_runtime
from service.tasks import randomness
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

WELL = {"places of d62": 0.4, "target dice": 0.5}


async def measure(database: TestDatabase, night: str, values: dict[str, float]) -> None:
    """Store the p-values of one night. The tests choose the dates and leave some nights out."""
    connection = await asyncpg.connect(database.url("holotable_worker"))
    statement = "INSERT INTO fairness_run (night, master, p_values) VALUES ($1, $2, $3)"
    master = date.fromisoformat(night).day.to_bytes(32)
    await connection.execute(statement, date.fromisoformat(night), master, json.dumps(values))
    await connection.close()


async def test_whoever_is_signed_in_sees_every_night_the_latest_first(
    serving: Any, database: TestDatabase
) -> None:
    nights = ["2026-11-21", "2026-11-20", "2026-11-18", "2026-10-31", "2025-12-31"]
    for night in sorted(nights, key=lambda each: each[-1]):
        alarming = night == "2026-11-20"
        await measure(database, night, WELL | ({"target dice": 1e-9} if alarming else {}))
    async with serving() as api:
        assert (await api.http.get("/v1/fairness-runs")).status_code == 401
        person, _ = await api.league()
        shown: list[dict[str, Any]] = []
        path = "/v1/fairness-runs?limit=2"
        while path:
            answered = await person.get(path)
            assert answered.status_code == 200, answered.text
            page = answered.json()
            shown += page["items"]
            cursor = page["next_cursor"]
            path = cursor and f"/v1/fairness-runs?limit=2&cursor={cursor}"
    assert [each["night"] for each in shown] == nights
    assert [each["night"] for each in shown if each["alarm"]] == ["2026-11-20"]
    assert shown[0]["p_values"] == WELL
    assert shown[2]["master"] == f"{18:064x}"


async def test_a_night_is_drawn_again_from_what_is_shown(
    serving: Any, database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tenth of the draws is enough here. ``make test-long`` measures a whole night twice."""
    tenth = partial(measured, share=0.1)
    monkeypatch.setattr(randomness, "measured", tenth)
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        await randomness.measure_randomness(runtime, {"night": "2026-11-21"})
    async with serving() as api:
        person, _ = await api.league()
        (shown,) = (await person.get("/v1/fairness-runs")).json()["items"]
        wrong = await person.get("/v1/fairness-runs?cursor=W10")
        assert wrong.json()["code"] == "invalid_cursor"
    assert tenth(bytes.fromhex(shown["master"])) == shown["p_values"]
