"""Which parameters cannot go together, and why: one sentence for the host."""

from collections.abc import Mapping

from engine.denominations import flaw
from engine.rulesets.levels import contradiction_in
from engine.rulesets.model import CorellianSpike, CoruscantShift, Ruleset, Traditional
from engine.rulesets.parts import (
    Ante,
    AnteByPlayers,
    Blinds,
    CardFees,
    DrawOff,
    EachDealtOnce,
    FixedContinue,
    HandsOrLast,
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


def contradiction(ruleset: Ruleset) -> str | None:
    """Return why *ruleset* is not a playable game; none if it is one."""
    most = _PLAYERS_MAX if isinstance(ruleset, CoruscantShift) else _ROUNDS_PLAYERS_MAX
    if ruleset.chip_unit < 1:
        return "chip_unit is below 1"
    if (ruleset.score == "cash_out") != isinstance(ruleset.end, OpenEnd):
        return "score cash_out and end open go together: chips are money there"
    if (ruleset.rebuy.max or 0) < 0 or ruleset.rebuy.seconds < 0:
        return "rebuy.max and rebuy.seconds must not be negative"
    if ruleset.moneyless and ruleset.rebuy.max != 0:
        return "score hands_won has no chips to buy"
    if not 2 <= ruleset.max_players <= most:
        return f"max_players is not between 2 and {most}"
    if ruleset.denominations and (wrong := flaw(ruleset.denominations, unit=ruleset.chip_unit)):
        return wrong
    match ruleset:
        case CoruscantShift():
            own = _of_coruscant_shift(ruleset)
        case Traditional():
            own = _of_rounds(ruleset) or _of_traditional(ruleset)
        case CorellianSpike():
            own = _of_rounds(ruleset) or _of_spike(ruleset)
    return own or _of_betting(ruleset)


def _of_coruscant_shift(ruleset: CoruscantShift) -> str | None:
    unit = ruleset.chip_unit
    if isinstance(ruleset.escalation, Levels):
        reason = contradiction_in(ruleset.escalation, ruleset.forced, unit)
        if reason is not None:
            return reason
    amounts = ruleset.base_amounts()
    sums = (amounts.small, amounts.big, amounts.ante, ruleset.starting_stack or 0)
    match ruleset:
        case _ if any(chips % unit for chips in sums):
            return f"forced bets and starting_stack must be multiples of chip_unit {unit}"
        case _ if not ruleset.recycle_discards and (
            2 * ruleset.max_players * ruleset.hand_size > _DECK_SIZE
        ):
            return "so many players need recycle_discards"
        case CoruscantShift(hand_size=size) if size != 5:  # noqa: PLR2004 - a game of five cards
            return "hand_size is not 5"
        case CoruscantShift(first_selection_min=least) if not 0 <= least <= 5:  # noqa: PLR2004
            return "first_selection_min is not between 0 and 5"
        case CoruscantShift(final_selection_min=least) if least != 1:
            return "final_selection_min is not 1"
        case CoruscantShift(forced=Blinds(small=small, big=big)) if not 0 < small <= big:
            return "blinds must be positive and the small one not above the big one"
        case CoruscantShift(tie=DrawOff(limit=limit)) if limit < 1:
            return "a draw_off needs a limit of 1 at least; prefer_cube rolls the cube at once"
        case CoruscantShift(special_item=True, item_values=values) if not values or any(
            value < 1 or value % unit for value in values
        ):
            return f"item_values must be positive multiples of chip_unit {unit}"
        case CoruscantShift(forced=Ante(amount=0)):
            return "an ante of 0 is no ante"
        case CoruscantShift(escalation=AnteByPlayers(), forced=forced) if not isinstance(
            forced, Ante
        ):
            return "escalation ante_by_players needs an ante"
        case CoruscantShift(escalation=AnteByPlayers(inc=inc)) if not _steps_known(inc, unit):
            return "inc needs numbers of players, a '*', and multiples of chip_unit"
        case CoruscantShift(first_actor=first, forced=forced) if (
            "left_of_big_blind" in first and not isinstance(forced, Blinds)
        ):
            return "first_actor left_of_big_blind needs blinds"
        case _:
            return _of_moneyless(ruleset) or _of_not_dealt_in(ruleset)


def _of_moneyless(ruleset: CoruscantShift) -> str | None:
    if not ruleset.moneyless:
        return None
    if ruleset.betting != FixedContinue(cost=0):
        return "score hands_won has no chips: staying must be free"
    if not isinstance(ruleset.forced, NoForcedBet):
        return "score hands_won has no chips for forced bets"
    match ruleset.end:
        case EachDealtOnce() | HandsOrLast(hands=int()):
            return None
        case _:
            return "score hands_won needs an end by hands: nobody is ever out"


def _of_not_dealt_in(ruleset: CoruscantShift) -> str | None:
    if ruleset.short_forced != "not_dealt_in":
        return None
    if not isinstance(ruleset.forced, Ante):
        return "short_forced not_dealt_in needs an ante"
    if not isinstance(ruleset.escalation, NoEscalation):
        return "short_forced not_dealt_in needs an ante that stays as it is"
    return None


def _steps_known(inc: Mapping[str, int], unit: int) -> bool:
    named = all(key == "*" or (key.isascii() and key.isdecimal()) for key in inc)
    return named and "*" in inc and all(step >= 0 and step % unit == 0 for step in inc.values())


def _of_rounds(ruleset: Traditional | CorellianSpike) -> str | None:
    unit = ruleset.chip_unit
    sums = (ruleset.main_ante, ruleset.sabacc_ante, ruleset.starting_stack or 0)
    if any(chips % unit for chips in sums):
        return f"antes and starting_stack must be multiples of chip_unit {unit}"
    if ruleset.main_ante == 0:
        return "an ante of 0 leaves nothing to play for"
    if ruleset.moneyless:
        return "score hands_won has no chips to bet"
    if isinstance(ruleset.end, OpenEnd):
        return "end open is for Coruscant Shift"
    if isinstance(ruleset.end, EachDealtOnce):
        return "end each_dealt_once needs a dealer; here the house deals"
    return None


def _of_traditional(ruleset: Traditional) -> str | None:
    if ruleset.pot_building_rounds < 0:
        return "pot_building_rounds is below 0"
    if not ruleset.pot_building_rounds < ruleset.max_rounds <= _ROUNDS_MAX:
        return f"max_rounds is not between pot_building_rounds + 1 and {_ROUNDS_MAX}"
    return None


def _of_spike(ruleset: CorellianSpike) -> str | None:
    fees = ruleset.swap_gain_cost or CardFees(gain=0, swap=0, discard=0)
    galaxy = ruleset.ranking == "galaxy"
    one_card = ruleset.spike_redeals == "oldest_card"
    if any(fee % ruleset.chip_unit for fee in (fees.gain, fees.swap, fees.discard, fees.junk)):
        return f"fees must be multiples of chip_unit {ruleset.chip_unit}"
    if (ruleset.galaxy_series or galaxy or one_card) and not ruleset.experimental:
        return "galaxy_series, ranking galaxy and spike_redeals oldest_card need experimental"
    if ruleset.galaxy_series and ruleset.gain_from_discard:
        return "galaxy_series has no open discard pile to gain from"
    if one_card and not ruleset.spike_dice:
        return "spike_redeals oldest_card needs spike_dice"
    if galaxy and not isinstance(ruleset.tie, Split):
        return "ranking galaxy leaves ties to a split"
    if galaxy and (ruleset.extra_named_hands or ruleset.strict_named_hands):
        return "extra_named_hands and strict_named_hands belong to the printed ranking"
    if len(set(ruleset.extra_named_hands)) < len(ruleset.extra_named_hands):
        return "an extra named hand is named twice"
    return None


def _of_betting(ruleset: Ruleset) -> str | None:
    blinds = isinstance(ruleset.forced, Blinds)
    if ruleset.button == "dead" and not blinds:
        return "button dead needs blinds"
    if ruleset.button == "dead" and isinstance(ruleset.end, EachDealtOnce):
        return "end each_dealt_once needs a dealer, and a dead button may have none"
    match ruleset.betting:
        case PokerNoLimit(min_open="big_blind") if not blinds:
            return "min_open big_blind needs blinds"
        case PokerNoLimit(min_open="half_ante") if not isinstance(ruleset.forced, Ante):
            return "min_open half_ante needs an ante"
        case PokerNoLimit(min_open="table_min") if (ruleset.table_min or 0) % ruleset.chip_unit:
            return f"table_min is not a multiple of chip_unit {ruleset.chip_unit}"
        case PokerNoLimit(min_open=int(least)) if least < 1 or least % ruleset.chip_unit:
            return "min_open is not a positive multiple of chip_unit"
        case _:
            return None
