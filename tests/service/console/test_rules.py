"""The rules in words: right for every ruleset, and each with its number."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.hand.galaxy_hands import galaxy_rank
from engine.hand.spike_hands import rank
from engine.rulesets import EXTRA_HANDS, PRESETS, preset, resolve
from service.console.languages import spoken
from service.console.rules.evening import rules_of
from service.console.rules.spike import GALAXY, HANDS, ladder

Serving = Callable[..., Any]

CHANGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("better", {"first_dealer": "random"}),
    ("better", {"table_min": 40, "betting": {"kind": "poker_nl"}}),
    ("better", {"chip_unit": 1, "denominations": []}),
    ("better", {"denominations": []}),
    ("better", {"odd_chip": "seat_order"}),
    ("better", {"button": "dead"}),
    ("better", {"end": {"kind": "hands_or_last", "hands": 12}}),
    ("halcyon_10", {"final_tie": "shared"}),
    ("better", {"rebuy": {"max": 2}}),
    ("better", {"rebuy": {"max": 2, "until_level": 3}}),
    ("better", {"rebuy": {"max": 1, "seconds": 60}}),
    ("better", {"first_selection_min": 2}),
    ("better", {"max_players": 6, "recycle_discards": False}),
    ("better", {"roll": {"by": "left_of_dealer"}}),
    ("better", {"forced": {"kind": "blinds", "small": 5, "big": 10, "table_ante": 10}}),
    ("better", {"forced": {"kind": "blinds", "small": 5, "big": 10, "player_ante": 5}}),
    ("halcyon_10", {"short_forced": "not_dealt_in"}),
    ("better", {"short_blind": "as_posted"}),
    ("better", {"escalation": {"kind": "none"}}),
    ("cantina", {"escalation": {"kind": "ante_by_players", "inc": {"*": 3}}}),
    ("better", {"betting": {"kind": "poker_nl", "min_open": 20}}),
    ("better", {"betting": {"kind": "poker_nl", "min_raise": "last_raise"}}),
    ("better", {"betting": {"kind": "poker_nl", "min_raise": "min_bet"}}),
    ("better", {"first_actor": ["left_of_button", "left_of_button"]}),
    ("better", {"roll": {"by": "house"}}),
    ("better", {"roll": {"when": "after_deal"}}),
    ("better", {"discard": "at_shift"}),
    ("better", {"bet2": "before_improve"}),
    ("better", {"tie": {"kind": "chance_cube"}}),
    ("halcyon_10", {"tie": {"kind": "draw_off", "limit": 5}}),
    ("better", {"headsup": "dealer_small_blind"}),
    ("better", {"special_item": True}),
    ("better", {"special_item": True, "item_values": [300]}),
    ("traditional", {"ante": {"main": 5}}),
    ("traditional", {"pot_building_rounds": 2}),
    ("traditional", {"max_rounds": 12}),
    ("traditional", {"compare": "absolute"}),
    ("traditional", {"announce_totals": True}),
    ("traditional", {"short_forced": "out"}),
    ("spike", {"ante": {"sabacc": 4}}),
    ("spike", {"spike_dice": False}),
    ("spike", {"spike_before_bet": True}),
    ("spike", {"gain_from_discard": True}),
    ("spike", {"swap_gain_cost": {}}),
    ("spike", {"extra_named_hands": ["prime_sabacc"]}),
    ("spike", {"strict_named_hands": True}),
    ("spike", {"tie": {"kind": "split"}}),
    ("spike", {"experimental": True, "galaxy_series": True}),
    ("spike", {"experimental": True, "spike_redeals": "oldest_card"}),
    ("spike", {"experimental": True, "ranking": "galaxy", "tie": {"kind": "split"}}),
)
"""Overrides that players must be told, by preset."""


def test_every_preset_is_told_whole_with_numbers_and_nothing_of_it_is_marked() -> None:
    for name in PRESETS:
        rules = rules_of(preset(name), name, spoken("en"))
        said = [each for chapter in rules.chapters for each in chapter.sentences]
        assert all(chapter.sentences for chapter in rules.chapters), name
        assert all(each.number and each.text.endswith((".", "!")) for each in said), name
        assert not any(each.differs for each in said), name
        assert [hand for hand in rules.example.hands if hand.wins], name


@pytest.mark.parametrize(("name", "overrides"), CHANGES)
def test_what_an_evening_changes_is_said_and_marked(name: str, overrides: dict[str, Any]) -> None:
    changed = rules_of(resolve(name, overrides), name, spoken("en"))
    usual = rules_of(preset(name), name, spoken("en"))
    texts = [each.text for chapter in changed.chapters for each in chapter.sentences]
    before = [each.text for chapter in usual.chapters for each in chapter.sentences]
    assert texts != before
    marked = {
        each.text for chapter in changed.chapters for each in chapter.sentences if each.differs
    }
    assert set(texts) - set(before) <= marked


def test_the_hands_stand_in_the_order_in_which_the_engine_ranks_them() -> None:
    every = resolve("spike", {"extra_named_hands": list(EXTRA_HANDS)})
    order = ladder(every)  # type: ignore[arg-type]
    ranks = [rank(HANDS[each][2], extra=EXTRA_HANDS) for each in order]
    assert tuple(each.name for each in ranks) == order
    assert [each.key for each in ranks] == sorted(each.key for each in ranks)
    assert [galaxy_rank(HANDS[each][2]).name for each in ("pure_sabacc", "rhylet", "nulrhek")] == [
        each for each in GALAXY if each in ("pure_sabacc", "rhylet", "nulrhek")
    ]


@pytest.mark.anyio
async def test_anybody_may_read_the_rules_of_a_preset_and_members_those_of_an_evening(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        asked = {"name": "Thursday", "ruleset": "better", "overrides": {"button": "dead"}}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        tournament = made.json()["id"]
        stranger = console.browser()
        page = await stranger.get("/rules/spike")
        assert page.status_code == 200
        assert "Pure Sabacc" in page.text
        assert "The rules of Corellian Spike" in page.text
        browser = await console.signed_in(owner.login)
        page = await browser.get(f"/tournaments/{tournament}/rules")
        assert page.status_code == 200
        assert "even to an empty seat" in page.text
        assert "differ from “Better Sabacc”" in page.text
        assert "Better Sabacc" in (await browser.get(f"/tournaments/{tournament}")).text
        assert "this evening" in page.text
        assert (await stranger.get(f"/tournaments/{tournament}/rules")).status_code == 404
