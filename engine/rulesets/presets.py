"""Named rulesets, and how a host's overrides are laid over them."""

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.rulesets.errors import RulesetInvalid, RulesetUnknown
from engine.rulesets.model import Ante, AnteByPlayers, Blinds, PokerNoLimit, Ruleset

_DRAW_OFF = {"kind": "draw_off", "limit": 3, "then": "cube"}

PRESETS: dict[str, dict[str, Any]] = {
    "official": {
        "betting": {"kind": "fixed_continue", "cost": 0},
        "bet2": "before_improve",
        "tie": _DRAW_OFF,
        "end": {"kind": "each_dealt_once"},
        "score": "hands_won",
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
    },
    "better_simple": {
        "extends": "better",
        "starting_stack": 100,
        "chip_unit": 1,
        "forced": {"kind": "blinds", "small": 1, "big": 2},
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
}
"""What each preset says differently from the defaults.  Source: rulebook ``rulesets.presets``."""

_PLAYERS_MAX = 12
_DECK_SIZE = 62


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
    merged = _merge(_settings(name), overrides)
    try:
        ruleset = msgspec.convert(merged, Ruleset)
    except msgspec.ValidationError as error:
        raise RulesetInvalid(reason=str(error)) from error
    if (reason := _contradiction(ruleset)) is not None:
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


def _contradiction(ruleset: Ruleset) -> str | None:
    unit = ruleset.chip_unit
    amounts = ruleset.base_amounts()
    sums = (amounts.small, amounts.big, amounts.ante, ruleset.starting_stack or 0)
    match ruleset:
        case _ if unit < 1:
            return "chip_unit is below 1"
        case _ if any(chips % unit for chips in sums):
            return f"forced bets and starting_stack must be multiples of chip_unit {unit}"
        case _ if not 2 <= ruleset.max_players <= _PLAYERS_MAX:
            return f"max_players is not between 2 and {_PLAYERS_MAX}"
        case _ if not ruleset.recycle_discards and (
            2 * ruleset.max_players * ruleset.hand_size > _DECK_SIZE
        ):
            return "so many players need recycle_discards"
        case Ruleset(hand_size=size) if size != 5:  # noqa: PLR2004 - the game is of five cards
            return "hand_size is not 5"
        case Ruleset(first_selection_min=least) if not 0 <= least <= 5:  # noqa: PLR2004
            return "first_selection_min is not between 0 and 5"
        case Ruleset(final_selection_min=least) if least != 1:
            return "final_selection_min is not 1"
        case Ruleset(forced=Blinds(small=small, big=big)) if not 0 < small <= big:
            return "blinds must be positive and the small one not above the big one"
        case Ruleset(forced=Ante(amount=0)):
            return "an ante of 0 is no ante"
        case Ruleset(escalation=AnteByPlayers(), forced=forced) if not isinstance(forced, Ante):
            return "escalation ante_by_players needs an ante"
        case Ruleset(escalation=AnteByPlayers(inc=inc)) if not _steps_known(inc, unit):
            return "inc needs numbers of players, a '*', and multiples of chip_unit"
        case _:
            return _betting_contradiction(ruleset)


def _steps_known(inc: Mapping[str, int], unit: int) -> bool:
    named = all(key == "*" or (key.isascii() and key.isdecimal()) for key in inc)
    return named and "*" in inc and all(step >= 0 and step % unit == 0 for step in inc.values())


def _betting_contradiction(ruleset: Ruleset) -> str | None:
    blinds = isinstance(ruleset.forced, Blinds)
    if "left_of_big_blind" in ruleset.first_actor and not blinds:
        return "first_actor left_of_big_blind needs blinds"
    match ruleset.betting:
        case PokerNoLimit(min_open="big_blind") if not blinds:
            return "min_open big_blind needs blinds"
        case PokerNoLimit(min_open=int(least)) if least < 1 or least % ruleset.chip_unit:
            return "min_open is not a positive multiple of chip_unit"
        case PokerNoLimit() if ruleset.moneyless:
            return "score hands_won has no chips to bet"
        case _:
            return None
