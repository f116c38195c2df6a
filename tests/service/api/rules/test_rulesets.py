"""Rulesets over HTTP: public, complete and comparable."""

from typing import Any

import pytest

from engine.rulesets import PRESETS, preset, ruleset_hash
from service.sandbox.demo.options import Options, tournament_request
from service.schedule import lengths

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for a simulation as long as a busy machine needs."""
    monkeypatch.setattr(lengths, "_SECONDS_MAX", 300)


async def test_every_preset_is_listed_and_readable_by_its_name(serving) -> None:
    async with serving() as api:
        listed = (await api.http.get("/v1/rulesets")).json()["items"]
        assert {each["name"] for each in listed} == set(PRESETS)
        for each in listed:
            read = await api.http.get(f"/v1/rulesets/{each['name']}")
            assert read.status_code == 200
            assert read.json() == each
            assert each["hash"] == ruleset_hash(preset(each["name"]))
            assert each["revision"] == each["ruleset"]["revision"]


async def test_a_ruleset_known_by_its_hash_is_not_sent_again(serving) -> None:
    async with serving() as api:
        first = await api.http.get("/v1/rulesets/better")
        tag = first.headers["etag"]
        again = await api.http.get("/v1/rulesets/better", headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")


async def test_two_presets_are_compared_parameter_by_parameter(serving) -> None:
    async with serving() as api:
        read = await api.http.get("/v1/rulesets/halcyon_10?against=holo")
        assert read.json()["differences"] == [
            {"parameter": "discard", "one": "with_selection", "other": "at_shift"},
            {"parameter": "roll.by", "one": "left_of_dealer", "other": "house"},
        ]


@pytest.mark.parametrize("path", ["sabacc", "better?against=sabacc"])
async def test_an_unknown_preset_is_not_found_and_the_known_ones_are_named(serving, path) -> None:
    async with serving() as api:
        answer = await api.http.get(f"/v1/rulesets/{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
        assert "better_simple" in answer.json()["detail"]


@pytest.mark.parametrize("name", PRESETS)
async def test_the_tournament_that_the_demo_asks_for_is_announced(serving, name: str) -> None:
    async with serving() as api:
        owner = await api.person()
        made = await owner.post("/v1/leagues", {"name": "Cloud City", "sandbox": True})
        league = made.json()["id"]
        season = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Winter"})
        options = Options(ruleset=name)
        body = tournament_request(options, 1, season.json()["id"], "2040-01-01T00:00:00Z")
        announced = await owner.post(f"/v1/leagues/{league}/tournaments", body)
        assert announced.status_code == 201, announced.text


async def test_an_evening_gets_levels_that_an_announcement_takes(serving) -> None:
    async with serving() as api:
        asked = {"players": 24, "stack": 2000, "minutes": 180}
        found = (await api.http.post("/v1/structures", json=asked)).json()
        levels = found["levels"]
        assert 170 <= sum(each["length"] or 0 for each in levels[:12]) / 60 <= 190
        assert [each["big"] for each in levels] == sorted(each["big"] for each in levels)
        owner, league = await api.league()
        terms = {"name": "Night", "ruleset": "better", "entrants_max": 24}
        announced = await owner.post(
            f"/v1/leagues/{league}/tournaments", terms | {"overrides": found["overrides"]}
        )
        assert announced.status_code == 201, announced.text
        short = await api.http.post("/v1/structures", json=asked | {"stack": 3})
        assert (short.status_code, short.json()["code"]) == (409, "invalid_ruleset")
        lost = await api.http.post("/v1/structures", json=asked | {"ruleset": "sabacc"})
        assert (lost.status_code, lost.json()["code"]) == (409, "unknown_ruleset")


HANDS = [
    # In Coruscant Shift the nearest selection wins, and more cards of the suit break a tie.
    ("better", [["T+10", "Z1"], ["C+10"]], {"target": 10, "suit": "triangle"}, [0], [None, None]),
    ("better", [["C+04"], ["S+06"]], {"target": 5, "suit": "triangle"}, [0, 1], [None, None]),
    ("traditional", [["SA15", "FL07"], ["X00a", "CO02", "ST03"]], {}, [1],
     ["total", "idiots_array"]),
    ("spike", [["C+05", "S-05", "Z1"], ["T+01", "C+02"]], {}, [0], ["yee_haa", "nulrhek"]),
]  # fmt: skip


@pytest.mark.parametrize(("ruleset", "hands", "more", "best", "names"), HANDS)
async def test_hands_are_ranked_as_at_a_showdown(
    serving, ruleset: str, hands, more, best, names
) -> None:
    async with serving() as api:
        path = f"/v1/rulesets/{ruleset}/evaluate"
        answer = await api.http.post(path, json={"hands": hands, **more})
        assert answer.status_code == 200, answer.text
        assert answer.json()["best"] == best
        assert [each["name"] for each in answer.json()["hands"]] == names


async def test_what_cannot_be_ranked_is_named(serving) -> None:
    async with serving() as api:
        asked = {"hands": [["T+10", "SA15"], ["T+10"], []]}
        answer = await api.http.post("/v1/rulesets/better/evaluate", json=asked)
        places = [each["pointer"] for each in answer.json()["errors"]]
        assert places == ["/target", "/suit", "/hands/0/1", "/hands/1/0", "/hands/2"]
        lost = await api.http.post("/v1/rulesets/sabacc/evaluate", json={"hands": [["T+10"]]})
        assert (lost.status_code, lost.json()["code"]) == (404, "not_found")
        many = {"hands": [["T+10"]] * 13, "target": 1, "suit": "circle"}
        large = await api.http.post("/v1/rulesets/better/evaluate", json=many)
        assert large.json()["errors"][0]["pointer"] == "/hands"


async def test_a_tournament_ranks_hands_by_its_own_rules(serving) -> None:
    """``absolute`` makes -19 as good as 19, which the preset ranks last."""
    async with serving() as api:
        owner, league = await api.league()
        terms = {"name": "Night", "ruleset": "traditional", "overrides": {"compare": "absolute"}}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", terms)
        assert made.status_code == 201, made.text
        body = {"hands": [["X17a", "X02a", "X00a"], ["SA15", "FL02"]]}

        here = await owner.post(f"/v1/tournaments/{made.json()['id']}/evaluate", body)
        plain = await owner.post("/v1/rulesets/traditional/evaluate", body)

        assert here.status_code == 200, here.text
        assert (here.json()["best"], plain.json()["best"]) == ([0], [1])
        stranger = await api.person()
        hidden = await stranger.post(f"/v1/tournaments/{made.json()['id']}/evaluate", body)
        assert hidden.status_code == 404


EVENING = {
    "players": 6,
    "table_seats": 6,
    "stack": 1000,
    "levels": [
        {"small": 10, "big": 20, "length": 600},
        {"small": 50, "big": 100, "length": 600},
        {"small": 250, "big": 500},
    ],
}


async def test_the_length_of_an_evening_is_simulated_once_and_within_a_limit(serving) -> None:
    async with serving(account_simulations=1) as api:
        person = await api.person()
        first = await person.post("/v1/simulations", EVENING)
        again = await person.post("/v1/simulations", EVENING)
        more = await person.post("/v1/simulations", EVENING | {"players": 7})

        assert first.status_code == 200, first.text
        length = first.json()["length"]
        assert 0 < length["p10_seconds"] <= length["p50_seconds"] <= length["p90_seconds"]
        assert length["evenings"] >= 20
        assert (first.json()["hand_seconds"], first.json()["player_seconds"]) == (25, 7)
        assert first.json()["hands_an_hour"] == 54
        assert again.json() == first.json()
        assert (more.status_code, more.json()["limit"]) == (429, "simulations")
        stranger = await api.http.post("/v1/simulations", json=EVENING)
        assert stranger.status_code == 401


async def test_late_players_and_rebuys_lengthen_a_simulated_evening(serving) -> None:
    late = {"level": 2, "players": 2}
    async with serving() as api:
        person = await api.person()

        async def simulated(**more: Any) -> Any:
            answer = await person.post("/v1/simulations", EVENING | {"players": 12} | more)
            assert answer.status_code == 200, answer.text
            return answer.json()

        plain = await simulated()
        assert (plain["late_players"], plain["rebuys_percent"]) == (0, 0)
        assumed = await simulated(late={"level": 2}, rebuys={"max": 1, "until_level": 2})
        assert (assumed["late_players"], assumed["rebuys_percent"]) == (2, 50)
        known = await simulated(late=late, rebuys={"max": 1, "until_level": 2, "percent": 50})
        assert known == assumed, "the assumptions, said"
        many = await simulated(rebuys={"max": 1, "percent": 100})
        assert many["length"]["p50_seconds"] > plain["length"]["p50_seconds"]
        none = await simulated(rebuys={"max": 0})
        assert none == plain

        async def refused(**wrong: Any) -> list[str]:
            answer = await person.post("/v1/simulations", EVENING | {"late": late | wrong})
            assert answer.status_code == 400, answer.text
            return [each["pointer"] for each in answer.json()["errors"]]

        assert await refused(level=3) == ["/late/level"], "the last level has no end"
        assert await refused(players=5) == ["/late/players"], "two begin"


async def test_an_evening_that_cannot_be_played_is_not_simulated(serving) -> None:
    async with serving() as api:
        person = await api.person()
        falling = EVENING | {"levels": EVENING["levels"][::-1]}
        refused = await person.post("/v1/simulations", falling)
        assert (refused.status_code, refused.json()["code"]) == (409, "invalid_ruleset")
        after_the_last = EVENING | {"breaks": [{"level": 3, "seconds": 9}]}
        late = await person.post("/v1/simulations", after_the_last)
        assert late.json()["errors"][0]["pointer"] == "/breaks/0"
