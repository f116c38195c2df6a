"""Named rulesets, and the overrides that a host lays over them."""

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.errors import Wording
from engine.kit.denominations import HYPERSPACE
from engine.rulesets.errors import RulesetInvalid, RulesetUnknown
from engine.rulesets.model import REVISION, CorellianSpike, CoruscantShift, Ruleset, Traditional
from engine.rulesets.validation import contradiction

UNLIMITED = "unlimited"
"""The word in overrides for rebuys without a limit. A ruleset has null for it."""

_DRAW_OFF = {"kind": "draw_off"}
_SPLIT = {"kind": "split"}

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
        "roll": {"by": "left_of_dealer"},
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
        "roll": {"by": "house"},
    },
    "better": {
        "starting_stack": 450,
        "chip_unit": 5,
        "first_dealer": "high_card",
        "forced": {"kind": "blinds", "small": 5, "big": 10},
        "betting": {"kind": "poker_nl", "min_open": "big_blind"},
        "escalation": {"kind": "double_per_orbit"},
        "first_actor": ["left_of_big_blind", "left_of_button"],
        "roll": {"when": "before_deal"},
        "discard": "with_selection",
        "tie": _SPLIT,
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
        "betting": {"kind": "poker_nl"},
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
        "betting": {"kind": "poker_nl", "min_open": 1},
        "roll": {"by": "house"},
        "tie": _SPLIT,
        "end": {"kind": "hands_or_last"},
    },
    "traditional": {"variant": "traditional"},
    "spike": {"variant": "corellian_spike"},
}
"""
The parameters in which each preset differs from its game. The model alone holds a game's own
values.

A choice that the source of a preset prints is listed even if it is the game's default.

Source: rulebook ``rulesets.presets``.
"""

_GAMES = {
    str(game.__struct_config__.tag): msgspec.to_builtins(game(revision=REVISION))
    for game in (CoruscantShift, Traditional, CorellianSpike)
}
_VARIANT = "coruscant_shift"


def preset(name: str) -> Ruleset:
    """
    Return the preset called *name*.

    Raises:
        RulesetUnknown: If no preset has this name.
    """
    return resolve(name, {})


def resolve(name: str, overrides: Mapping[str, Any]) -> Ruleset:
    """
    Return the preset called *name* with *overrides* laid over it.

    An object with a ``kind`` replaces the inherited object whole. Any other object is merged key by
    key. The revision of the rules is always the newest. ``rebuy.max`` may be :data:`UNLIMITED`,
    because null means something else in a merge patch.

    Raises:
        RulesetUnknown: If no preset has this name.
        RulesetInvalid: If the outcome is not a playable game.
    """
    own = _settings(name)
    merged = _merge(_merge(_GAMES[own.get("variant", _VARIANT)], own), overrides)
    rebuy = merged.get("rebuy")
    if isinstance(rebuy, Mapping) and rebuy.get("max") == UNLIMITED:
        merged["rebuy"] = {**rebuy, "max": None}
    try:
        ruleset: Ruleset = msgspec.convert(merged, Ruleset)
    except msgspec.ValidationError as error:
        reason = Wording(f"a parameter has a value that it cannot have: {error}")
        raise RulesetInvalid(reason=reason) from error
    if ruleset.revision != REVISION:
        older = Wording(
            f"revision is not {REVISION}, the newest one: leave it out of the overrides"
        )
        raise RulesetInvalid(reason=older)
    if (found := contradiction(ruleset)) is not None:
        raise RulesetInvalid(reason=found)
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
