"""
A street of betting: the turns, the legal actions and their prices.

An amount is the new total of one seat in this street, never an increment.

Source: rulebook ``words.street``.
"""

from typing import Literal

import msgspec

from engine.errors import CommandRejected
from engine.hand.street import Bettor, Street
from engine.rulesets import FixedContinue, PokerNoLimit
from engine.values import Chips

Verb = Literal["fold", "check", "call", "raise_to", "stay"]
CardSource = Literal["pile", "discards", "pilot", "wing", "gunner"]
"""The source of a new card. The last three are the open piles of the Galaxy Series."""


class CannotCheck(CommandRejected):
    """The seat faces a bet and cannot check."""

    code = "facing_bet"
    rule = "betting.check"
    detail = "you cannot check: {due} chips are due"

    due: Chips


class NothingToCall(CommandRejected):
    """There is no bet to call. Check instead."""

    code = "nothing_to_call"
    rule = "betting.call"
    detail = "there is nothing to call; check instead"


class CallAmountChanged(CommandRejected):
    """The price of the call is not the expected one."""

    code = "call_amount_changed"
    rule = "betting.call"
    detail = "the call costs {due} chips, not {expected}"

    expected: Chips
    due: Chips


class BetTooSmall(CommandRejected):
    """The bet is below the minimum of the street."""

    code = "bet_too_small"
    detail = "a bet of {offered} chips is below the minimum of {minimum}"

    offered: Chips
    minimum: Chips
    rule: str


class BetTooLarge(CommandRejected):
    """The bet is above the maximum of the seat."""

    code = "bet_too_large"
    rule = "betting.all_in"
    detail = "a bet of {offered} chips is above the maximum of {maximum}"

    offered: Chips
    maximum: Chips


class AmountNotInUnits(CommandRejected):
    """The bet is not a multiple of the table's unit."""

    code = "amount_not_in_units"
    rule = "betting.units"
    detail = "a bet of {offered} chips is not a multiple of {unit}"

    offered: Chips
    unit: Chips


class AmountMissing(CommandRejected):
    """A raise needs an amount."""

    code = "amount_missing"
    detail = "a raise needs the amount to raise to"


class RaiseNotAllowed(CommandRejected):
    """The seat may only call or fold."""

    code = "raise_not_allowed"
    detail = "this seat may not raise now; call or fold"

    rule: str


class VerbNotPlayed(CommandRejected):
    """The ruleset's betting does not have this verb."""

    code = "verb_not_played"
    detail = "{betting} has no {verb}"

    verb: str
    betting: str


class LegalAction(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A legal action of a seat. Members that do not apply are null."""

    verb: str
    """The verb of the action, to send as its ``type``."""

    rule: str
    """The rulebook's name of the rule that allows the action."""

    amount: Chips | None = None
    """The price of a call, a stay or a card action in chips."""

    min: Chips | None = None
    """The smallest total that the seat may raise to."""

    max: Chips | None = None
    """The largest total that the seat may raise to."""

    cards: tuple[str, ...] | None = None
    """The own cards from which one is given up, or any number are fielded."""

    cards_min: int | None = None
    """The smallest number of cards in a selection or an improvement."""

    source: CardSource | None = None
    """The source of the new card."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The effect of an action on the seat and the street."""

    paid: Chips
    stack: Chips
    current_bet: Chips
    full_raise: Chips
    all_in: bool
    rule: str


def next_to_act(street: Street) -> int | None:
    """
    Return the seat that has the turn, or None when the street is over.

    A lone seat that nobody can answer has a turn only if it faces a bet.

    Source: rulebook ``betting.street_end``.
    """
    turn, others, bet = None, False, street.current_bet
    for each in street.clockwise():
        hand = each.hand
        if hand is None or not hand.live or not (each.stack > 0 or street.ruleset.moneyless):
            continue
        if turn is not None:
            return turn  # this seat is able to answer it
        if hand.acted_at is None or (
            hand.put_in < bet and _asked_again(street, each.seat, hand.put_in)
        ):
            turn = each.seat
            if others:
                return turn
        others = True
    return None if turn is None or not _asked_alone(street, turn) else turn


def _asked_again(street: Street, seat: int, put_in: Chips) -> bool:
    """Return whether a seat that has acted owes chips. A fixed price is asked only once."""
    return isinstance(street.ruleset.betting, PokerNoLimit) and street.due(seat, put_in) > 0


def _asked_alone(street: Street, seat: int) -> bool:
    """Return whether the only seat that can act faces a bet, or others have had a turn."""
    hands = [hand for each in street.seats if (hand := each.hand) is not None]
    own = street.bettor(seat).put_in
    if isinstance(street.ruleset.betting, FixedContinue):
        free = street.contested_only and street.due(seat, own) == 0
        return not free and any(hand.acted_at is not None for hand in hands)
    return any(hand.live and hand.put_in > own for hand in hands)


def _barred(street: Street, bettor: Bettor) -> str | None:
    """Return the rule that forbids a raise, or None if it is allowed."""
    if not street.others_can_answer(bettor.seat):
        return "betting.lone_seat"
    if bettor.put_in + bettor.stack <= street.current_bet:
        return "betting.all_in"
    increment = street.min_increment
    if bettor.acted_at is not None and street.current_bet - bettor.acted_at < increment:
        return "betting.reopening"
    return None


def _raise_bounds(street: Street, bettor: Bettor) -> tuple[Chips, Chips]:
    most = bettor.put_in + bettor.stack
    least = (
        street.min_open if street.current_bet == 0 else street.current_bet + street.min_increment
    )
    return min(least, most), most


def legal_actions(street: Street, seat: int) -> tuple[LegalAction, ...]:
    """Return the legal actions of *seat*, which has the turn. ``act`` accepts exactly these."""
    bettor = street.bettor(seat)
    due = street.due(seat, bettor.put_in)
    fold = LegalAction(verb="fold", rule=_fold_rule(street, due))
    price = min(due, bettor.stack)
    if isinstance(street.ruleset.betting, FixedContinue):
        return (fold, LegalAction(verb="stay", rule="betting.fixed_continue", amount=price))
    actions = [fold]
    if due > 0:
        actions.append(LegalAction(verb="call", rule="betting.call", amount=price))
    else:
        actions.append(LegalAction(verb="check", rule="betting.check"))
    if _barred(street, bettor) is None:
        least, most = _raise_bounds(street, bettor)
        rule = _raise_rule(street.ruleset.betting, street)
        actions.append(LegalAction(verb="raise_to", rule=rule, min=least, max=most))
    return tuple(actions)


def act(
    street: Street,
    seat: int,
    verb: Verb,
    amount: Chips | None = None,
    expected: Chips | None = None,
) -> Outcome:
    """
    Return the effect of *verb* by *seat*, which has the turn.

    Raises:
        CommandRejected: If the street does not allow it.
    """
    bettor, rules = street.bettor(seat), street.ruleset.betting
    if verb == "raise_to" and isinstance(rules, PokerNoLimit):
        return _raise_to(rules, street, bettor, amount)
    due = street.due(seat, bettor.put_in)
    if verb == "fold":
        return _pays(street, bettor, 0, _fold_rule(street, due))
    if isinstance(rules, FixedContinue):
        if verb != "stay":
            raise VerbNotPlayed(verb=verb, betting="fixed_continue")
        return _pays_price(street, bettor, due, expected, "betting.fixed_continue")
    if verb == "check":
        if due > 0:
            raise CannotCheck(due=due)
        return _pays(street, bettor, 0, "betting.check")
    if verb == "call":
        if due == 0:
            raise NothingToCall
        return _pays_price(street, bettor, due, expected, "betting.call")
    raise VerbNotPlayed(verb=verb, betting="poker_nl")


def _pays(street: Street, bettor: Bettor, chips: Chips, rule: str) -> Outcome:
    return Outcome(
        paid=chips,
        stack=bettor.stack - chips,
        current_bet=street.current_bet,
        full_raise=street.full_raise,
        all_in=chips > 0 and chips == bettor.stack,
        rule=rule,
    )


def _fold_rule(street: Street, due: Chips) -> str:
    """Return the rule of a fold. A fold without a bet to face has its own rule."""
    free = due == 0 and isinstance(street.ruleset.betting, PokerNoLimit)
    return "betting.free_fold" if free else "betting.fold"


def _pays_price(
    street: Street, bettor: Bettor, due: Chips, expected: Chips | None, rule: str
) -> Outcome:
    price = min(due, bettor.stack)
    if expected is not None and expected != price:
        raise CallAmountChanged(expected=expected, due=price)
    return _pays(street, bettor, price, rule)


def _raise_to(rules: PokerNoLimit, street: Street, bettor: Bettor, amount: Chips | None) -> Outcome:
    if amount is None:
        raise AmountMissing
    if (rule := _barred(street, bettor)) is not None:
        raise RaiseNotAllowed(rule=rule)
    least, most = _raise_bounds(street, bettor)
    size = _raise_rule(rules, street)
    if amount > most:
        raise BetTooLarge(offered=amount, maximum=most)
    if amount < least:
        raise BetTooSmall(offered=amount, minimum=least, rule=size)
    if amount != most and amount % street.ruleset.chip_unit:
        raise AmountNotInUnits(offered=amount, unit=street.ruleset.chip_unit)
    increment = amount - street.current_bet
    # A short all-in moves the bet, never the full raise (rulebook ``betting.reopening``).
    full = increment >= max(street.full_raise, street.min_open)
    return Outcome(
        paid=amount - bettor.put_in,
        stack=most - amount,
        current_bet=amount if amount > street.current_bet else street.current_bet,
        full_raise=increment if full else street.full_raise,
        all_in=amount == most,
        rule=size,
    )


def _raise_rule(rules: PokerNoLimit, street: Street) -> str:
    """Return the rule of the minimum bet or raise."""
    if street.current_bet == 0:
        return "betting.opening_bet"
    match rules.min_raise:
        case "chip_unit":
            return "betting.chip_unit"
        case "min_bet":
            return "betting.min_bet"
        case "last_raise":
            return "betting.last_raise"
