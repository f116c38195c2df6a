"""Any overrides are refused with a reason, or give a game that comes to its end."""

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.rulesets import PRESETS, OpenEnd, Ruleset, resolve
from engine.rulesets.errors import RulesetInvalid
from tests.properties import invariants
from tests.properties.chooser import Choices, Chooser
from tests.properties.croupier import Croupier, small_stack
from tests.properties.game import Game

CHIPS = (0, 1, 2, 5, 10, 100, 1_000)

played = settings(
    derandomize=True,
    max_examples=40,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
choices = st.builds(Choices, st.just(()), st.integers(1, 2**16))


def kind(name: str, **members: Any) -> dict[str, Any]:
    return {"kind": name, **members}


def levels(*steps: dict[str, int]) -> dict[str, Any]:
    *passing, last = steps
    return kind("levels", by="hands", levels=[*({**step, "length": 2} for step in passing), last])


OF_EVERY_GAME: dict[str, tuple[Any, ...]] = {
    "first_dealer": ("host_choice", "high_card", "random"),
    "max_players": (1, 2, 3, 6, 8, 10, 12, 13),
    "starting_stack": (None, *CHIPS),
    "chip_unit": (0, 1, 2, 5),
    "table_min": (None, *CHIPS),
    "odd_chip": ("carry", "seat_order"),
    "button": ("moving", "dead", "starter"),
    "end": (
        kind("last_standing"),
        kind("each_dealt_once"),
        kind("open"),
        *(kind("hands_or_last", hands=hands) for hands in (None, 0, 1, 3)),
    ),
    "score": ("chips", "hands_won", "cash_out"),
    "final_tie": ("sudden_death", "shared"),
    "rebuy": ({"max": 0}, {"max": 1}, {"max": None, "until_level": 2}, {"until_level": 0}),
    "denominations": ([],),
}
POKER = tuple(
    kind("poker_nl", min_raise=least, min_open=opening)
    for least in ("chip_unit", "min_bet", "last_raise")
    for opening in ("big_blind", "half_ante", "table_min", 0, 1, 5, 1_000)
)
OF_CORUSCANT_SHIFT: dict[str, tuple[Any, ...]] = {
    "first_selection_min": (0, 1, 3, 5, 6),
    "final_selection_min": (0, 1, 2),
    "recycle_discards": (True, False),
    "forced": (
        kind("none"),
        *(kind("ante", amount=amount) for amount in (0, 1, 5)),
        *(kind("blinds", small=small, big=big) for small, big in ((1, 2), (5, 10), (5, 5), (3, 2))),
        *(kind("blinds", small=5, big=10, table_ante=ante) for ante in (1, 5)),
        *(kind("blinds", small=5, big=10, player_ante=ante) for ante in (1, 5)),
        kind("blinds", small=5, big=10, table_ante=5, player_ante=5),
    ),
    "short_forced": ("all_in", "not_dealt_in"),
    "short_blind": ("full_price", "as_posted"),
    "escalation": (
        kind("none"),
        kind("double_per_orbit"),
        kind("ante_by_players", inc={"2": 5, "*": 1}),
        kind("ante_by_players", inc={"*": 5}),
        levels({"small": 1, "big": 2}, {"small": 2, "big": 4}),
        levels({"small": 5, "big": 10}, {"small": 5, "big": 10, "ante": 5}),
        levels({"ante": 1}, {"ante": 5}),
    ),
    "betting": (*POKER, *(kind("fixed_continue", cost=cost) for cost in (0, 1, 5))),
    "first_actor": tuple(
        [one, other]
        for one in ("left_of_button", "left_of_big_blind")
        for other in ("left_of_button", "left_of_big_blind")
    ),
    "roll": tuple(
        {"by": by, "when": when}
        for by in ("dealer", "left_of_dealer", "house")
        for when in ("before_deal", "after_deal")
    ),
    "discard": ("at_shift", "with_selection"),
    "bet2": ("before_improve", "after_improve"),
    "tie": (
        kind("split"),
        kind("chance_cube"),
        kind("draw_off", prefer_cube=True),
        *(kind("draw_off", limit=limit) for limit in (0, 1, 3, 50)),
    ),
    "headsup": ("literal", "dealer_small_blind"),
    "special_item": (True, False),
}
OF_ROUNDS: dict[str, tuple[Any, ...]] = {"betting": POKER, "short_forced": ("sits_out", "out")}
OF_TRADITIONAL: dict[str, tuple[Any, ...]] = {
    "ante": tuple({"main": m, "sabacc": s} for m in (0, 1, 5) for s in (0, 1, 5)),
    "pot_building_rounds": (-1, 0, 1, 4, 10),
    "max_rounds": (0, 1, 2, 5, 10, 50, 51),
    "compare": ("signed", "absolute"),
    "announce_totals": (True, False),
}
OF_SPIKE: dict[str, tuple[Any, ...]] = {
    "ante": tuple({"hand": h, "sabacc": s} for h in (0, 2, 5) for s in (0, 1, 5)),
    "spike_dice": (True, False),
    "spike_before_bet": (True, False),
    "spike_redeals": ("hand", "oldest_card"),
    "gain_from_discard": (True, False),
    "swap_gain_cost": (
        None,
        {},
        *({"gain": n, "swap": n, "discard": n, "junk": n} for n in (0, 5)),
    ),
    "ranking": ("printed", "galaxy"),
    "extra_named_hands": ([], ["idiots_array", "straight_trill"], ["prime_sabacc"] * 2),
    "strict_named_hands": (True, False),
    "galaxy_series": (True, False),
    "tie": (kind("single_blind_draw"), kind("split")),
    "experimental": (True, False),
}
WISHES = {
    name: OF_EVERY_GAME
    | {
        "traditional": OF_ROUNDS | OF_TRADITIONAL,
        "spike": OF_ROUNDS | OF_SPIKE,
    }.get(name, OF_CORUSCANT_SHIFT)
    for name in PRESETS
}


@st.composite
def wishes(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Return sensible and senseless overrides of the preset called *name*."""
    known = WISHES[name]
    keys = draw(st.lists(st.sampled_from(sorted(known)), min_size=1, max_size=6, unique=True))
    return {key: draw(st.sampled_from(known[key])) for key in keys}


def accepted(name: str, overrides: dict[str, Any]) -> Ruleset | None:
    """Return the ruleset, or ``None`` if it is refused with a reason."""
    try:
        return resolve(name, overrides)
    except RulesetInvalid as refused:
        assert refused.facts["reason"]
        return None


@pytest.mark.parametrize("name", sorted(PRESETS))
@played
@given(st.data(), st.integers(2, 12), st.integers(0, 2**16), choices)
def test_a_table_plays_whatever_ruleset_is_accepted(
    name: str, data: st.DataObject, seats: int, seed: int, dice: Random
) -> None:
    """Nothing is lost, each seat that must act can act, and stacks stay in whole chips."""
    ruleset = accepted(name, data.draw(wishes(name)))
    if ruleset is None:
        return

    def check(croupier: Croupier) -> None:
        if croupier.table.hand is not None:
            invariants.nothing_lost_between(croupier.floor.appends[-1], croupier.chips)
        invariants.nothing_lost(croupier)
        invariants.waits_or_rests(croupier.table)
        assert all(place.stack % ruleset.chip_unit == 0 for place in croupier.table.places)

    croupier = Croupier(ruleset, min(seats, ruleset.max_players), seed, dice)
    croupier.play(3, after=check)
    for append in croupier.floor.appends:
        invariants.decided_alike(append)
    invariants.folds_alike(croupier.floor)


@pytest.mark.parametrize("name", sorted(PRESETS))
@played
@given(st.data(), st.integers(2, 8), st.integers(2, 5), choices)
def test_a_tournament_ends_whatever_ruleset_is_accepted(
    name: str, data: st.DataObject, entrants: int, table_seats: int, dice: Random
) -> None:
    ruleset = accepted(name, data.draw(wishes(name)))
    if ruleset is None:
        return
    table_seats = min(table_seats, ruleset.max_players)
    if isinstance(ruleset.end, OpenEnd):
        table_seats = entrants = min(entrants, ruleset.max_players)
    stack = small_stack(ruleset, 1)
    game = Game(
        ruleset,
        entrants,
        Chooser(dice),
        ruleset_name=name,
        table_seats=table_seats,
        starting_stack=stack,
        hands_max=6,
    )

    placings = game.play().placings

    assert sorted(each.place for each in placings)[0] == 1
    assert len(placings) == entrants
    assert sum(table.chips() for table in game.tables.values()) == entrants * stack
