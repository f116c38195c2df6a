"""Rulesets over HTTP: public, complete and comparable."""

import pytest

from engine.rulesets import PRESETS, preset, ruleset_hash
from service.sandbox.demo.options import Options, tournament_request

pytestmark = pytest.mark.anyio


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
