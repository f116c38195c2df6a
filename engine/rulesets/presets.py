"""Named rulesets, and how a host's overrides are laid over them."""

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.denominations import HYPERSPACE
from engine.rulesets.errors import RulesetInvalid, RulesetUnknown
from engine.rulesets.model import Ruleset
from engine.rulesets.validation import contradiction

_DRAW_OFF = {"kind": "draw_off", "limit": 3, "then": "cube"}

PRESETS: dict[str, dict[str, Any]] = {
    "official": {
        "betting": {"kind": "fixed_continue", "cost": 0},
        "bet2": "before_improve",
        "tie": _DRAW_OFF,
        "end": {"kind": "each_dealt_once"},
        "score": "hands_won",
        "final_tie": "shared",
    },
    "halcyon_10": {
        "starting_stack": 10,
        "forced": {"kind": "ante", "amount": 1},
        "betting": {"kind": "fixed_continue", "cost": 1},
        "roll": {"by": "left_of_dealer", "when": "after_deal"},
        "discard": "with_selection",
        "tie": _DRAW_OFF,
        "end": {"kind": "each_dealt_once"},
    },
    "halcyon_100": {
        "starting_stack": 100,
        "forced": {"kind": "ante", "amount": 5},
        "short_forced": "not_dealt_in",
        "betting": {"kind": "fixed_continue", "cost": 2},
        "discard": "with_selection",
        "tie": _DRAW_OFF,
        "end": {"kind": "each_dealt_once"},
    },
    "holo": {
        "extends": "halcyon_10",
        "discard": "at_shift",
        "roll": {"by": "house", "when": "after_deal"},
    },
    "better": {
        "starting_stack": 450,
        "chip_unit": 5,
        "first_dealer": "high_card",
        "forced": {"kind": "blinds", "small": 5, "big": 10},
        "betting": {"kind": "poker_nl", "min_raise": "chip_unit", "min_open": "big_blind"},
        "escalation": {"kind": "double_per_orbit"},
        "first_actor": ["left_of_big_blind", "left_of_button"],
        "roll": {"by": "dealer", "when": "before_deal"},
        "discard": "with_selection",
        "odd_chip": "carry",
        "denominations": [msgspec.to_builtins(each) for each in HYPERSPACE],
    },
    "better_simple": {
        "extends": "better",
        "denominations": [],
        "starting_stack": 100,
        "chip_unit": 1,
        "forced": {"kind": "blinds", "small": 1, "big": 2},
    },
    "casino": {
        "extends": "better",
        "starting_stack": None,
        "rebuy": {"max": None},
        "betting": {"kind": "poker_nl", "min_raise": "chip_unit", "min_open": "table_min"},
        "forced": {"kind": "none"},
        "escalation": {"kind": "none"},
        "first_actor": ["left_of_button", "left_of_button"],
        "end": {"kind": "open"},
        "score": "cash_out",
    },
    "cantina": {
        "starting_stack": 100,
        "first_dealer": "random",
        "button": "starter",
        "forced": {"kind": "ante", "amount": 2},
        "escalation": {"kind": "ante_by_players", "inc": {"2": 5, "3": 3, "4": 2, "*": 1}},
        "betting": {"kind": "poker_nl", "min_raise": "chip_unit", "min_open": 1},
        "roll": {"by": "house", "when": "after_deal"},
        "end": {"kind": "hands_or_last", "hands": None},
    },
    "traditional": {
        "variant": "traditional",
        "starting_stack": 100,
        "ante": {"main": 1, "sabacc": 1},
        "betting": {"kind": "poker_nl", "min_raise": "chip_unit", "min_open": 1},
        "pot_building_rounds": 4,
        "max_rounds": 10,
        "shift": {"kind": "doubles", "when": "after_bet"},
        "compare": "signed",
        "short_forced": "sits_out",
    },
    "spike": {
        "variant": "corellian_spike",
        "starting_stack": 100,
        "ante": {"hand": 2, "sabacc": 1},
        "betting": {"kind": "poker_nl", "min_raise": "chip_unit", "min_open": 1},
        "spike_dice": True,
        "spike_before_bet": False,
        "gain_from_discard": False,
        "swap_gain_cost": None,
        "galaxy_series": False,
        "tie": {"kind": "single_blind_draw"},
        "short_forced": "out",
    },
}
"""What each preset says differently from the defaults.  Source: rulebook ``rulesets.presets``."""


def preset(name: str) -> Ruleset:
    """
    Return the preset called *name*.

    Raises:
        RulesetUnknown: If there is none.
    """
    return resolve(name, {})


def resolve(name: str, overrides: Mapping[str, Any]) -> Ruleset:
    """
    Return the preset called *name* with *overrides* laid over it.

    An object that carries ``kind`` replaces the inherited object whole; any
    other object is merged key by key.

    Raises:
        RulesetUnknown: If there is no such preset.
        RulesetInvalid: If the outcome is not a playable game.
    """
    merged = {"variant": "coruscant_shift"} | _merge(_settings(name), overrides)
    try:
        ruleset: Ruleset = msgspec.convert(merged, Ruleset)
    except msgspec.ValidationError as error:
        raise RulesetInvalid(reason=str(error)) from error
    if (reason := contradiction(ruleset)) is not None:
        raise RulesetInvalid(reason=reason)
    return ruleset


def _settings(name: str) -> dict[str, Any]:
    if name not in PRESETS:
        raise RulesetUnknown(name=name, known=", ".join(sorted(PRESETS)))
    own = dict(PRESETS[name])
    parent = own.pop("extends", None)
    return own if parent is None else _merge(_settings(parent), own)


def _merge(inherited: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(inherited)
    for key, value in own.items():
        before = merged.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping) and "kind" not in value:
            merged[key] = _merge(before, value)
        else:
            merged[key] = value
    return merged
