"""Announcements that begin with a preset of terms."""

from typing import Any

import pytest

from engine.rulesets import PRESETS as RULESETS
from tests.service.api.season.test_fixtures import season_in, weekly
from tests.service.api.season.test_templates import announced, house, template

pytestmark = pytest.mark.anyio

TDA = {"ruleset": "better", "terms": "tda-2024"}


async def test_a_preset_of_terms_is_listed_for_everyone(serving) -> None:
    async with serving() as api:
        (listed,) = (await api.http.get("/v1/terms-presets")).json()["items"]
    assert listed["name"] == "tda-2024"
    assert listed["terms"]["floor"]["halt_when_short"] == 3


async def test_an_announcement_after_tda_has_its_terms_and_its_parameters(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        night = await announced(owner, league, **TDA, starting_stack=1000)
    game, floor = night["ruleset"], night["floor"]
    assert (night["decision_seconds"], night["grace_seconds"]) == (25, 5)
    assert (floor["size_tolerance"], floor["halt_when_short"], floor["redraw_at"]) == (1, 3, [1])
    rounds = floor["hand_for_hand"]
    assert (rounds["at_bubble"], rounds["ties"], rounds["clock_seconds"]) == (True, "shared", 120)
    assert (game["button"], game["headsup"]) == ("dead", "dealer_small_blind")
    assert (game["betting"]["min_raise"], game["odd_chip"]) == ("last_raise", "seat_order")
    assert (game["betting"]["min_open"], game["escalation"]["by"]) == ("big_blind", "clock")


async def test_whatever_is_said_beside_a_preset_goes_before_it(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        own = {"floor": {"halt_when_short": None}, "overrides": {"button": "moving"}}
        night = await announced(owner, league, **TDA, **own, decision_seconds=40)
    assert (night["decision_seconds"], night["grace_seconds"]) == (40, 5)
    assert night["floor"]["halt_when_short"] is None
    assert night["floor"]["hand_for_hand"]["at_bubble"] is True
    assert (night["ruleset"]["button"], night["ruleset"]["headsup"]) == (
        "moving",
        "dealer_small_blind",
    )


async def test_a_layer_that_names_a_preset_stands_on_it_and_null_leaves_it(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        await house(owner, league, ruleset="better", decision_seconds=45, grace_seconds=7)
        named = await announced(owner, league, terms="tda-2024")
        await house(owner, league, **TDA, decision_seconds=45)
        below = await announced(owner, league)
        without = await announced(owner, league, terms=None)
        weekly_terms = await template(owner, league, terms="tda-2024", grace_seconds=9)
        through = await announced(owner, league, template=weekly_terms)

    def times(night: dict[str, Any]) -> tuple[int, int]:
        return night["decision_seconds"], night["grace_seconds"]

    assert [times(each) for each in (named, below, without, through)] == [
        (25, 5),
        (45, 5),
        (45, 2),
        (25, 9),
    ]
    assert without["ruleset"]["button"] == "moving"


@pytest.mark.parametrize("ruleset", sorted(set(RULESETS) - {"casino"}))
async def test_every_ruleset_for_several_tables_is_announced_after_tda(
    serving, ruleset: str
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        night = await announced(owner, league, ruleset=ruleset, terms="tda-2024")
    blinds = night["ruleset"].get("forced", {}).get("kind") == "blinds"
    assert (night["ruleset"]["button"] == "dead") == blinds


async def test_an_unknown_preset_of_terms_is_refused_wherever_it_is_named(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        asked = {"name": "Night", "ruleset": "better", "terms": "wsop"}
        answers = [
            await owner.post(f"/v1/leagues/{league}/tournaments", asked),
            await owner.post(f"/v1/leagues/{league}/templates", {"name": "W", "body": asked}),
        ]
        season = await season_in(owner, league)
        answers.append(await weekly(owner, season, tournament=asked))
        good = await weekly(owner, season, tournament={"name": "Night"} | TDA)
    assert [(each.status_code, each.json()["code"]) for each in answers] == [
        (400, "validation_failed")
    ] * 3
    assert good.status_code == 201, good.text
