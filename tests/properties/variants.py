"""The games of the random tests: every preset, and the options that no preset turns on."""

from typing import Any

from engine.rulesets import EXTRA_HANDS, PRESETS, Ruleset, resolve

_OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "better with a dead button": (
        "better_simple",
        {
            "button": "dead",
            "headsup": "dealer_small_blind",
            "forced": {"kind": "blinds", "small": 1, "big": 2, "table_ante": 2},
            "betting": {"min_raise": "last_raise"},
            "short_blind": "as_posted",
        },
    ),
    "better with antes of the players": (
        "better_simple",
        {
            "forced": {"kind": "blinds", "small": 2, "big": 4, "player_ante": 1},
            "headsup": "dealer_small_blind",
        },
    ),
    "better, dead and literal": (
        "better_simple",
        {
            "button": "dead",
            "tie": {"kind": "draw_off", "prefer_cube": True},
            "odd_chip": "seat_order",
        },
    ),
    "better with levels": (
        "better_simple",
        {
            "escalation": {
                "kind": "levels",
                "by": "hands",
                "levels": [
                    {"small": 1, "big": 2, "length": 2},
                    {"small": 2, "big": 5, "length": 2},
                    {"small": 5, "big": 10},
                ],
            },
            "first_selection_min": 1,
        },
    ),
    "cantina at half the ante": (
        "cantina",
        {"betting": {"min_open": "half_ante", "min_raise": "min_bet"}, "odd_chip": "carry"},
    ),
    "halcyon with raises": (
        "halcyon_10",
        {"betting": {"kind": "poker_nl", "min_open": 1}, "tie": {"kind": "chance_cube"}},
    ),
    "spike with fees": (
        "spike",
        {"swap_gain_cost": {"junk": 1}, "gain_from_discard": True, "spike_before_bet": True},
    ),
    "spike of the galaxy": (
        "spike",
        {
            "experimental": True,
            "galaxy_series": True,
            "ranking": "galaxy",
            "spike_redeals": "oldest_card",
            "tie": {"kind": "split"},
        },
    ),
    "spike without dice": (
        "spike",
        {
            "spike_dice": False,
            "extra_named_hands": list(EXTRA_HANDS),
            "strict_named_hands": True,
            "tie": {"kind": "split"},
            "odd_chip": "carry",
            "short_forced": "sits_out",
        },
    ),
    "traditional by the size": (
        "traditional",
        {
            "compare": "absolute",
            "announce_totals": True,
            "pot_building_rounds": 1,
            "max_rounds": 4,
            "short_forced": "out",
        },
    ),
}
VARIANTS = (*sorted(PRESETS), *sorted(_OPTIONS))


def variant(name: str, overrides: dict[str, Any] | None = None) -> Ruleset:
    """Return the ruleset called *name*, changed by *overrides*."""
    preset, options = _OPTIONS.get(name, (name, {}))
    return resolve(preset, options | (overrides or {}))
