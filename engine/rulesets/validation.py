"""Contradictions between parameters, each as one sentence for the host."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from engine.errors import Wording
from engine.kit.denominations import flaw
from engine.rulesets.levels import contradiction_in
from engine.rulesets.model import REVISION, CorellianSpike, CoruscantShift, Ruleset, Traditional
from engine.rulesets.parts import (
    Ante,
    AnteByPlayers,
    Blinds,
    CardFees,
    DoublePerOrbit,
    DrawOff,
    EachDealtOnce,
    FixedContinue,
    HandsOrLast,
    LastStanding,
    Levels,
    NoEscalation,
    NoForcedBet,
    OpenEnd,
    PokerNoLimit,
    Split,
)

_PLAYERS_MAX = 12
_ROUNDS_PLAYERS_MAX = 8
_ROUNDS_MAX = 50
_DECK_SIZE = 62
NUMBER_MAX = 10**12
"""The limit of any number. Sums of these numbers over a tournament stay exact in JSON readers."""


def contradiction(ruleset: Ruleset) -> Wording | None:
    """Return the reason why *ruleset* is not a playable game, or None if it is one."""
    return (
        _of_every_game(ruleset)
        or _of_its_own(ruleset)
        or _of_betting(ruleset)
        or _of_the_stack(ruleset)
    )


def _of_every_game(ruleset: Ruleset) -> Wording | None:
    most = _PLAYERS_MAX if isinstance(ruleset, CoruscantShift) else _ROUNDS_PLAYERS_MAX
    match ruleset:
        case _ if not 1 <= ruleset.revision <= REVISION:
            return Wording(f"revision is not between 1 and {REVISION}: no other revision exists")
        case _ if any(number > NUMBER_MAX for number in _numbers(msgspec.to_builtins(ruleset))):
            return Wording(f"a number is above {NUMBER_MAX}")
        case _ if ruleset.chip_unit < 1:
            return Wording("chip_unit is below 1")
        case _ if (ruleset.score == "cash_out") != isinstance(ruleset.end, OpenEnd):
            return Wording("score cash_out needs end open, and end open needs score cash_out")
        case _ if _too_few(ruleset.end):
            return Wording("end.hands is below 1")
        case _ if not 2 <= ruleset.max_players <= most:
            return Wording(f"max_players is not between 2 and {most}")
        case _:
            return _of_chips(ruleset)


def _too_few(end: Any) -> bool:
    return isinstance(end, HandsOrLast) and end.hands is not None and end.hands < 1


def _of_chips(ruleset: Ruleset) -> Wording | None:
    rebuy = ruleset.rebuy
    if (rebuy.max or 0) < 0 or rebuy.seconds < 0:
        return Wording("rebuy.max and rebuy.seconds must not be negative")
    if rebuy.until_level is not None and rebuy.until_level < 1:
        return Wording("rebuy.until_level is below 1, the first level")
    if ruleset.moneyless and rebuy.max != 0:
        return Wording("score hands_won has no chips to buy")
    if ruleset.moneyless and ruleset.starting_stack is not None:
        return Wording("score hands_won has no chips: starting_stack must be null")
    return flaw(ruleset.denominations, unit=ruleset.chip_unit) if ruleset.denominations else None


def _numbers(value: Any) -> Iterator[int]:
    """Yield every number in *value*."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _numbers(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _numbers(each)


def _of_its_own(ruleset: Ruleset) -> Wording | None:
    match ruleset:
        case CoruscantShift():
            return _of_coruscant_shift(ruleset)
        case Traditional():
            return _of_rounds(ruleset) or _of_traditional(ruleset)
        case CorellianSpike():
            return _of_rounds(ruleset) or _of_spike(ruleset)


def _of_coruscant_shift(ruleset: CoruscantShift) -> Wording | None:
    unit = ruleset.chip_unit
    if isinstance(ruleset.escalation, Levels):
        reason = contradiction_in(ruleset.escalation, ruleset.forced, unit)
        if reason is not None:
            return reason
    amounts = ruleset.base_amounts()
    sums = (amounts.small, amounts.big, amounts.ante, ruleset.starting_stack or 0)
    match ruleset:
        case _ if any(chips % unit for chips in sums):
            return Wording(f"forced bets and starting_stack must be multiples of chip_unit {unit}")
        case _ if not ruleset.recycle_discards and (
            2 * ruleset.max_players * ruleset.hand_size > _DECK_SIZE
        ):
            return Wording("so many players need recycle_discards")
        case CoruscantShift(hand_size=size) if size != 5:
            return Wording("hand_size is not 5")
        case CoruscantShift(first_selection_min=least) if not 0 <= least <= 5:
            return Wording("first_selection_min is not between 0 and 5")
        case CoruscantShift(final_selection_min=least) if least != 1:
            return Wording("final_selection_min is not 1")
        case CoruscantShift(forced=Blinds(small=small, big=big)) if not 0 < small <= big:
            return Wording("blinds must be positive and the small one not above the big one")
        case CoruscantShift(forced=Blinds(table_ante=table, player_ante=player)) if (
            table and player
        ):
            return Wording(
                "table_ante and player_ante exclude each other: a game with blinds has one ante"
            )
        case CoruscantShift(tie=DrawOff(limit=limit)) if limit < 1:
            return Wording(
                "a draw_off needs a limit of 1 at least, or prefer_cube for the cube at once"
            )
        case CoruscantShift(special_item=True, item_values=values) if not values or any(
            value < 1 or value % unit for value in values
        ):
            return Wording(f"item_values must be positive multiples of chip_unit {unit}")
        case CoruscantShift(forced=Ante(amount=0)):
            return Wording("an ante of 0 is no ante")
        case CoruscantShift(escalation=AnteByPlayers(), forced=forced) if not isinstance(
            forced, Ante
        ):
            return Wording("escalation ante_by_players needs an ante")
        case CoruscantShift(escalation=AnteByPlayers(inc=inc)) if not _steps_known(inc, unit):
            return Wording("inc needs numbers of players, a '*', and multiples of chip_unit")
        case _:
            return (
                _of_bets_not_forced(ruleset) or _of_moneyless(ruleset) or _of_not_dealt_in(ruleset)
            )


def _of_bets_not_forced(ruleset: CoruscantShift) -> Wording | None:
    """Return the parameter that needs forced bets or blinds which the ruleset lacks."""
    match ruleset:
        case CoruscantShift(
            forced=NoForcedBet(),
            betting=FixedContinue(cost=0),
            end=LastStanding() | HandsOrLast(hands=None),
        ) if not ruleset.moneyless:
            return Wording(
                "nobody can ever lose a chip, but the game ends when one player has them all"
            )
        case CoruscantShift(first_actor=first, forced=forced) if (
            "left_of_big_blind" in first and not isinstance(forced, Blinds)
        ):
            return Wording("first_actor left_of_big_blind needs blinds")
        case CoruscantShift(escalation=DoublePerOrbit(), forced=NoForcedBet()):
            return Wording("escalation double_per_orbit needs forced bets")
        case _:
            return None


def _of_moneyless(ruleset: CoruscantShift) -> Wording | None:
    if not ruleset.moneyless:
        return None
    if ruleset.betting != FixedContinue(cost=0):
        return Wording("score hands_won has no chips: staying must be free")
    if not isinstance(ruleset.forced, NoForcedBet):
        return Wording("score hands_won has no chips for forced bets")
    if ruleset.special_item:
        return Wording("score hands_won has no use for special_item: nobody is ever broke")
    match ruleset.end:
        case EachDealtOnce() | HandsOrLast(hands=int()):
            return None
        case _:
            return Wording("score hands_won needs an end by hands: nobody is ever out")


def _of_not_dealt_in(ruleset: CoruscantShift) -> Wording | None:
    if ruleset.short_forced != "not_dealt_in":
        return None
    if not isinstance(ruleset.forced, Ante):
        return Wording("short_forced not_dealt_in needs an ante")
    if not isinstance(ruleset.escalation, NoEscalation):
        return Wording("short_forced not_dealt_in needs an ante that stays as it is")
    return None


def _steps_known(inc: Mapping[str, int], unit: int) -> bool:
    named = all(key == "*" or (key.isascii() and key.isdecimal()) for key in inc)
    return named and "*" in inc and all(step >= 0 and step % unit == 0 for step in inc.values())


def _of_rounds(ruleset: Traditional | CorellianSpike) -> Wording | None:
    unit = ruleset.chip_unit
    sums = (ruleset.main_ante, ruleset.sabacc_ante, ruleset.starting_stack or 0)
    if any(chips % unit for chips in sums):
        return Wording(f"antes and starting_stack must be multiples of chip_unit {unit}")
    if ruleset.main_ante == 0:
        return Wording("an ante of 0 leaves nothing to play for")
    if ruleset.moneyless:
        return Wording("score hands_won has no chips to bet")
    if isinstance(ruleset.end, OpenEnd):
        return Wording("end open is for Coruscant Shift")
    if isinstance(ruleset.end, EachDealtOnce):
        return Wording("end each_dealt_once needs a dealer, and in this game the house deals")
    return None


def _of_traditional(ruleset: Traditional) -> Wording | None:
    if ruleset.pot_building_rounds < 0:
        return Wording("pot_building_rounds is below 0")
    if not ruleset.pot_building_rounds < ruleset.max_rounds <= _ROUNDS_MAX:
        return Wording(f"max_rounds is not between pot_building_rounds + 1 and {_ROUNDS_MAX}")
    return None


def _of_spike(ruleset: CorellianSpike) -> Wording | None:
    fees = ruleset.swap_gain_cost or CardFees(gain=0, swap=0, discard=0)
    galaxy = ruleset.ranking == "galaxy"
    one_card = ruleset.spike_redeals == "oldest_card"
    if any(fee % ruleset.chip_unit for fee in (fees.gain, fees.swap, fees.discard, fees.junk)):
        return Wording(f"fees must be multiples of chip_unit {ruleset.chip_unit}")
    if (ruleset.galaxy_series or galaxy or one_card) and not ruleset.experimental:
        return Wording(
            "galaxy_series, ranking galaxy and spike_redeals oldest_card need experimental"
        )
    if ruleset.galaxy_series and ruleset.gain_from_discard:
        return Wording("galaxy_series has no open discard pile to gain from")
    if one_card and not ruleset.spike_dice:
        return Wording("spike_redeals oldest_card needs spike_dice")
    if galaxy and not isinstance(ruleset.tie, Split):
        return Wording("ranking galaxy leaves ties to a split")
    if galaxy and (ruleset.extra_named_hands or ruleset.strict_named_hands):
        return Wording("extra_named_hands and strict_named_hands belong to the printed ranking")
    if len(set(ruleset.extra_named_hands)) < len(ruleset.extra_named_hands):
        return Wording("extra_named_hands names a hand twice")
    return None


def _of_the_stack(ruleset: Ruleset) -> Wording | None:
    stack, least = ruleset.starting_stack, ruleset.least_stack(ruleset.base_amounts())
    if stack is not None and stack < max(1, least):
        return Wording("starting_stack does not pay for the first hand")
    return None


def _of_betting(ruleset: Ruleset) -> Wording | None:
    blinds = isinstance(ruleset.forced, Blinds)
    if ruleset.button == "dead" and not blinds:
        return Wording("button dead needs blinds")
    if ruleset.button == "dead" and isinstance(ruleset.end, EachDealtOnce):
        return Wording("end each_dealt_once needs a dealer, and a dead button may have none")
    if ruleset.button == "starter" and blinds:
        return Wording("button starter has no seats for blinds")
    if ruleset.button == "starter" and isinstance(ruleset.end, EachDealtOnce):
        return Wording("end each_dealt_once needs a dealer, and with button starter nobody deals")
    match ruleset.betting:
        case FixedContinue(cost=cost) if cost % ruleset.chip_unit:
            return Wording(f"betting.cost is not a multiple of chip_unit {ruleset.chip_unit}")
        case PokerNoLimit(min_open="big_blind") if not blinds:
            return Wording("min_open big_blind needs blinds")
        case PokerNoLimit(min_open="half_ante") if not isinstance(ruleset.forced, Ante):
            return Wording("min_open half_ante needs an ante")
        case PokerNoLimit(min_open="table_min") if (ruleset.table_min or 0) % ruleset.chip_unit:
            return Wording(f"table_min is not a multiple of chip_unit {ruleset.chip_unit}")
        case PokerNoLimit(min_open=int(least)) if least < 1 or least % ruleset.chip_unit:
            return Wording("min_open is not a positive multiple of chip_unit")
        case _:
            return None
