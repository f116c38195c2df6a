"""Invented evenings, counted by the terms of a season, before the season is opened."""

from typing import Any

import pytest

pytestmark = pytest.mark.anyio

EVENINGS = [
    {"places": [{"label": "Ada", "place": 1, "knockouts": 1}, {"label": "Bo", "place": 2}]},
    {"places": [{"label": "Bo", "place": 1}, {"label": "Cem", "place": 2}]},
    {"places": [{"label": "Ada", "place": 1}, {"label": "Bo", "place": 1}]},
]


def lines(answer: Any) -> dict[str, tuple[int, str, list[tuple[str, bool]]]]:
    """Return rank, total and results by player."""
    found = {}
    for each in answer.json()["standings"]:
        results = [(one["points"], one["counts"]) for one in each["results"]]
        found[each["label"]] = (each["rank"], each["points"], results)
    return found


async def test_invented_evenings_are_counted_as_a_season_counts_them(serving) -> None:
    async with serving() as api:
        person = await api.person()
        body = {
            "evenings": EVENINGS,
            "aggregation": {"mode": "best", "results": 2},
            "bonuses": [{"kind": "knockouts", "points": "3"}],
        }
        found = await person.post("/v1/season-terms/try", body)
        assert found.status_code == 200, found.text
        assert lines(found) == {
            "Ada": (1, "6.50", [("2.00", True), ("1.50", True)]),
            "Bo": (2, "3.50", [("1.00", False), ("2.00", True), ("1.50", True)]),
            "Cem": (3, "1.00", [("1.00", True)]),
        }
        assert found.json()["standings"][0]["bonuses"] == "3.00"


async def test_a_preset_brings_its_own_numbers(serving) -> None:
    async with serving() as api:
        person = await api.person()
        points = {"type": "points_preset", "name": "table"}
        body = {"evenings": EVENINGS[:1], "points": points}
        found = await person.post("/v1/season-terms/try", body)
        assert [each["points"] for each in found.json()["standings"]] == ["25.00", "18.00"]


async def test_terms_that_no_season_may_have_are_refused(serving) -> None:
    async with serving() as api:
        person = await api.person()
        best = {"evenings": EVENINGS, "aggregation": {"mode": "best"}}
        refused = await person.post("/v1/season-terms/try", best)
        assert (refused.status_code, refused.json()["code"]) == (409, "season_terms_invalid")
        twice = [{"places": [{"label": "Ada", "place": 1}, {"label": "Ada", "place": 2}]}]
        wrong = await person.post("/v1/season-terms/try", {"evenings": twice})
        assert wrong.json()["errors"][0]["pointer"] == "/evenings/0/places"
