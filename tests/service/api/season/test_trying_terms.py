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


async def test_only_short_examples_are_tried_and_within_a_limit(serving) -> None:
    """A long formula takes long, so the evenings are few, and a flood of tries is refused."""
    slow = {"type": "points_formula", "text": "+".join(["exp(ln(n+1))"] * 28)}
    places = [{"label": str(number), "place": number} for number in range(1, 13)]
    async with serving(account_simulations=1) as api:
        person = await api.person()

        async def tried(evenings: list[dict[str, Any]]) -> Any:
            body = {"evenings": evenings, "points": slow}
            return await person.post("/v1/season-terms/try", body)

        larger = [*places, {"label": "13", "place": 12}]
        for evenings in ([{"places": larger}], [{"places": places}] * 9):
            refused = await tried(evenings)
            assert (refused.status_code, refused.json()["code"]) == (400, "validation_failed")
        found = await tried([{"places": places}] * 8)
        assert found.status_code == 200, found.text
        again = await tried([{"places": places}] * 8)
        assert (again.status_code, again.json()["limit"]) == (429, "simulations")
        assert int(again.headers["Retry-After"]) > 0
