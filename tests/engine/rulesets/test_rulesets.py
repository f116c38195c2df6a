"""Presets as their sources print them, a host's overrides, and rulesets that cannot work."""

from typing import Any

import msgspec
import pytest

from engine.kit.denominations import HYPERSPACE
from engine.rulesets import PRESETS, PokerNoLimit, preset, resolve
from engine.rulesets.differences import Difference, differences
from engine.rulesets.errors import RulesetInvalid, RulesetUnknown
from engine.rulesets.model import CorellianSpike, CoruscantShift, Traditional
from engine.table.model import events
from engine.table.model.commands import VacateSeats
from tests.engine.table.hands import Company, bare, every, of

DRAW_OFF = {"kind": "draw_off", "limit": 3, "then": "cube"}


@pytest.mark.parametrize(
    ("name", "overrides", "said"),
    [
        ("better", {"chip_unit": 3}, "multiples of chip_unit 3"),
        ("better", {"chip_unit": 0}, "chip_unit is below 1"),
        ("better", {"forced": {"kind": "blinds", "small": 2, "big": 10}}, "multiples of chip_unit"),
        ("better", {"forced": {"kind": "blinds", "small": 10, "big": 5}}, "not above the big one"),
        ("better", {"forced": {"kind": "none"}}, "needs blinds"),
        ("better", {"max_players": 13}, "between 2 and 12"),
        ("better", {"max_players": 1}, "between 2 and 12"),
        ("better", {"max_players": 12, "recycle_discards": False}, "need recycle_discards"),
        ("better", {"hand_size": 6}, "hand_size is not 5"),
        ("better", {"first_selection_min": 6}, "between 0 and 5"),
        ("better", {"final_selection_min": 0}, "final_selection_min is not 1"),
        ("better", {"betting": {"min_open": 7}}, "multiple of chip_unit"),
        ("better", {"betting": {"min_open": "half_ante"}}, "half_ante needs an ante"),
        ("better", {"starting_stack": 451}, "multiples of chip_unit"),
        ("better", {"nonsense": 1}, "nonsense"),
        ("better", {"button": "dead", "end": {"kind": "each_dealt_once"}}, "dead button"),
        ("better", {"short_forced": "not_dealt_in"}, "needs an ante"),
        ("better", {"denominations": [{"name": "credit", "credits": 10}]}, "smallest denomination"),
        ("better", {"escalation": {"kind": "ante_by_players", "inc": {"*": 5}}}, "needs an ante"),
        ("cantina", {"button": "dead"}, "dead needs blinds"),
        ("cantina", {"forced": {"kind": "ante", "amount": 0}}, "no ante"),
        ("cantina", {"escalation": {"inc": {"two": 5}}}, "inc needs numbers of players"),
        ("cantina", {"short_forced": "not_dealt_in"}, "an ante that stays"),
        ("halcyon_10", {"tie": {"kind": "draw_off", "limit": 0}}, "limit of 1"),
        ("official", {"betting": {"kind": "poker_nl"}}, "staying must be free"),
        ("official", {"starting_stack": 100}, "starting_stack must be null"),
        ("official", {"special_item": True}, "nobody is ever broke"),
        ("better", {"revision": 1}, "revision is not 2"),
        ("better", {"revision": 3}, "revision is not 2"),
        ("better", {"starting_stack": 0}, "starting_stack does not pay"),
        ("better", {"starting_stack": 5 * 10**12}, "above 1000000000000"),
        ("better", {"betting": {"kind": "fixed_continue", "cost": 3}}, "cost is not a multiple"),
        ("better", {"button": "starter"}, "starter has no seats for blinds"),
        ("better", {"end": {"kind": "hands_or_last", "hands": 0}}, "end.hands is below 1"),
        ("better", {"rebuy": {"max": 1, "until_level": 0}}, "until_level"),
        ("casino", {"escalation": {"kind": "double_per_orbit"}}, "needs forced bets"),
        ("cantina", {"end": {"kind": "each_dealt_once"}}, "starter nobody deals"),
        ("cantina", {"escalation": {"inc": {"*": 10**13}}}, "above 1000000000000"),
        ("halcyon_100", {"starting_stack": 4}, "starting_stack does not pay"),
        (
            "halcyon_10",
            {
                "forced": {"kind": "none"},
                "betting": {"cost": 0},
                "end": {"kind": "last_standing"},
            },
            "nobody can ever lose a chip",
        ),
        (
            "better",
            {
                "forced": {"kind": "blinds", "small": 5, "big": 10, "table_ante": 10},
                "escalation": {
                    "kind": "levels",
                    "by": "hands",
                    "levels": [{"small": 5, "big": 10}],
                },
            },
            "level 1 has no ante for table_ante",
        ),
        (
            "better",
            {
                "forced": {
                    "kind": "blinds",
                    "small": 5,
                    "big": 10,
                    "table_ante": 10,
                    "player_ante": 5,
                }
            },
            "table_ante and player_ante exclude each other",
        ),
        (
            "better",
            {"forced": {"kind": "blinds", "small": 5, "big": 10, "player_ante": 3}},
            "must be multiples of chip_unit 5",
        ),
        (
            "better",
            {
                "forced": {"kind": "blinds", "small": 5, "big": 10, "player_ante": 5},
                "escalation": {
                    "kind": "levels",
                    "by": "hands",
                    "levels": [{"small": 5, "big": 10}],
                },
            },
            "no level has an ante for player_ante",
        ),
        ("traditional", {"starting_stack": 1}, "starting_stack does not pay"),
        ("traditional", {"pot_building_rounds": 4, "max_rounds": 3}, "max_rounds is not between"),
        ("spike", {"chip_unit": 5}, "antes and starting_stack must be multiples"),
        (
            "spike",
            {"chip_unit": 5, "ante": {"hand": 10, "sabacc": 5}, "swap_gain_cost": {"gain": 3}},
            "multiples of chip_unit 5",
        ),
    ],
)
def test_what_cannot_work_is_refused_and_the_reason_is_said(
    name: str, overrides: dict[str, Any], said: str
) -> None:
    with pytest.raises(RulesetInvalid) as refused:
        resolve(name, overrides)
    assert said in refused.value.detail


def test_levels_of_blinds_may_hold_an_ante_of_the_table() -> None:
    levels = [{"small": 1, "big": 2, "length": 1}, {"small": 2, "big": 4, "ante": 4}]
    structure = {"kind": "levels", "by": "hands", "levels": levels}
    company = Company(resolve("better_simple", {"escalation": structure}), dict.fromkeys("ABC", 9))
    company.fold_round()
    posted = of(company.fold_round(), events.ForcedBetsPosted)
    assert [(post.kind, post.chips) for post in posted.posts] == [
        ("small_blind", 2),
        ("big_blind", 4),
        ("table_ante", 4),
    ]


def test_levels_of_blinds_raise_the_antes_of_the_players_if_the_ruleset_has_them() -> None:
    """The first levels may have no ante."""
    levels = [{"small": 1, "big": 2, "length": 1}, {"small": 2, "big": 4, "ante": 1}]
    overrides = {
        "forced": {"kind": "blinds", "small": 1, "big": 2, "player_ante": 1},
        "escalation": {"kind": "levels", "by": "hands", "levels": levels},
    }
    company = Company(resolve("better_simple", overrides), dict.fromkeys("ABC", 9))
    first = of(company.fold_round(), events.ForcedBetsPosted)
    assert [(post.kind, post.chips) for post in first.posts] == [
        ("small_blind", 1),
        ("big_blind", 2),
    ]
    posted = of(company.fold_round(), events.ForcedBetsPosted)
    assert [(post.kind, post.chips) for post in posted.posts] == [
        ("ante", 1),
        ("ante", 1),
        ("ante", 1),
        ("small_blind", 2),
        ("big_blind", 4),
    ]


def test_an_unknown_preset_is_refused_with_the_known_ones() -> None:
    with pytest.raises(RulesetUnknown) as refused:
        preset("sabacc")
    assert all(name in refused.value.detail for name in PRESETS)


def test_every_preset_can_be_played_and_compares_equal_to_itself() -> None:
    for name in PRESETS:
        assert differences(preset(name), preset(name)) == ()
        assert preset(name).revision == 2


def test_an_override_without_kind_is_merged_and_one_with_kind_replaces() -> None:
    merged = resolve("better", {"betting": {"min_raise": "last_raise"}})
    assert merged.betting == PokerNoLimit(min_raise="last_raise", min_open="big_blind")
    replaced = resolve("better", {"betting": {"kind": "poker_nl", "min_raise": "last_raise"}})
    assert replaced.betting == PokerNoLimit(min_raise="last_raise", min_open="table_min")


def test_a_part_of_another_kind_differs_as_a_whole() -> None:
    found = {each.parameter: each for each in differences(preset("better"), preset("cantina"))}
    assert found["forced"] == Difference(
        parameter="forced",
        one={"kind": "blinds", "small": 5, "big": 10, "table_ante": 0, "player_ante": 0},
        other={"kind": "ante", "amount": 2},
    )
    assert "betting.min_open" in found
    assert "betting" not in found


def test_the_hyperspace_chips_belong_to_better_and_are_no_part_of_the_simple_game() -> None:
    assert preset("better").denominations == HYPERSPACE
    assert preset("better_simple").denominations == ()


@pytest.mark.parametrize(("ante", "least"), [(2, 1), (7, 3), (20, 10), (1, 1)])
def test_half_the_ante_in_force_is_the_smallest_bet_if_the_host_wishes(
    ante: int, least: int
) -> None:
    ruleset = resolve(
        "cantina",
        {
            "first_dealer": "host_choice",
            "forced": {"kind": "ante", "amount": ante},
            "betting": {"min_open": "half_ante"},
        },
    )
    company = Company(ruleset, dict.fromkeys("ABC", 100))
    company.deal()
    assert company.legal("C")["raise_to"].min == least


def test_the_table_minimum_is_the_smallest_bet_where_it_is_asked_for() -> None:
    company = Company(bare(table_min=8), dict.fromkeys("ABC", 100))
    company.deal()
    assert company.legal("A")["raise_to"].min == 8


def test_halcyon_with_raises_opens_at_the_forced_bet() -> None:
    betting = {"kind": "poker_nl", "min_open": 1}
    ruleset = resolve("halcyon_10", {"first_dealer": "host_choice", "betting": betting})
    company = Company(ruleset, dict.fromkeys("ABC", 10), "B A C")
    company.deal()
    assert company.legal("A")["raise_to"].min == 1
    company.bets("A 3", "B call", "C fold")
    company.improve()
    happened = company.bets("A check", "B check")
    assert company.won(happened) == {"B": 3 + 3 + 3}


@pytest.mark.parametrize(
    "tie", [{"kind": "chance_cube"}, {**DRAW_OFF, "prefer_cube": True}], ids=["cube", "preferred"]
)
def test_the_chance_cube_may_decide_at_once(tie: dict[str, Any]) -> None:
    company = Company(bare(tie=tie), dict.fromkeys("ABC", 100), "AB C")
    company.deal()
    company.bets("A 10", "B call", "C call")
    happened = company.check_down()
    assert not every(happened, events.DrawOffDealt)
    rolled = of(happened, events.CubeRolled)
    award = of(happened, events.PotAwarded)
    assert {company.name(seat) for seat in rolled.seats} == {"A", "B"}
    assert ([share.seat for share in award.shares], award.rule) == ([rolled.winner], "ties.cube")
    last = company.floor.view(1).last_hand
    assert last is not None
    assert [shown.rule for shown in last.awards] == ["ties.cube"]


def test_after_three_equal_draws_the_cube_decides_and_says_so() -> None:
    company = Company(bare(tie={**DRAW_OFF, "limit": 1}), dict.fromkeys("AB", 100), "AB")
    for seed in range(400):
        company = Company(
            bare(tie={**DRAW_OFF, "limit": 1}), dict.fromkeys("AB", 100), "AB", seed=seed
        )
        company.deal()
        company.bets("A check", "B check")
        happened = company.check_down()
        if every(happened, events.CubeRolled):
            break
    award = of(happened, events.PotAwarded)
    assert (len(every(happened, events.DrawOffDealt)), award.rule) == (1, "ties.cube")


def test_a_dealer_rolls_in_the_own_name_and_an_empty_seat_in_nobodys() -> None:
    ruleset = resolve(
        "better_simple",
        {"first_dealer": "host_choice", "button": "dead", "headsup": "dealer_small_blind"},
    )
    company = Company(ruleset, dict.fromkeys("BCDA", 100))
    assert of(company.fold_round(), events.DiceRolled).roller == 1
    company.floor.do(VacateSeats(departures=(company.entrant("B"),), now=company.floor.now))
    happened = company.fold_round()
    assert of(happened, events.HandOpened).button == company.seats["B"]
    assert of(happened, events.DiceRolled).roller is None


def repeated(own: Any, inherited: Any, path: str = "") -> list[str]:
    """Return the places in which *own* repeats *inherited*."""
    if isinstance(own, dict) and isinstance(inherited, dict):
        if own.get("kind", inherited.get("kind")) != inherited.get("kind"):
            return []
        return [
            place
            for key, value in own.items()
            if key not in ("kind", "variant", "extends")
            for place in repeated(value, inherited.get(key), f"{path}.{key}")
        ]
    return [path] if own == inherited else []


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_preset_says_only_what_its_game_does_not(name: str) -> None:
    own = PRESETS[name]
    parent = own.get("extends")
    games = {
        "coruscant_shift": CoruscantShift(),
        "traditional": Traditional(),
        "corellian_spike": CorellianSpike(),
    }
    before = preset(parent) if parent else games[own.get("variant", "coruscant_shift")]
    assert repeated(own, msgspec.to_builtins(before)) == []


@pytest.mark.parametrize(
    ("name", "tie"),
    [("cantina", "split"), ("better", "split"), ("official", "draw_off")],
)
def test_a_preset_names_what_decides_its_ties(name: str, tie: str) -> None:
    assert PRESETS[name]["tie"]["kind"] == tie
