"""
A hand of Corellian Spike: three card rounds.

Each card round has card turns, one street, and two dice. Doubles redeal the hands.

Source: rulebook ``spike.rounds``.
"""

from collections.abc import Callable
from datetime import datetime

from engine.kit.dice import roll_pair
from engine.rulesets import CorellianSpike
from engine.table.games.course import Course
from engine.table.games.dealing import deal, deal_due, open_card, recycle
from engine.table.games.spike_showdown import reveal, settle
from engine.table.games.steps import (
    bet,
    kill,
    open_decision,
    post_forced_bets,
    rules_of,
    to_be_killed,
)
from engine.table.model import events
from engine.table.model.events import CardCount
from engine.table.model.hand import Hand
from engine.table.model.state import Table

ROUNDS = 3


def step(course: Course, now: datetime) -> None:
    """Take the next automatic step, or open the next decision."""
    table, hand = course.table, course.hand
    if "forced" not in hand.done:
        post_forced_bets(course, now)
    elif "deal" not in hand.done:
        deal(course, now)
    elif to_be_killed(table):
        kill(course, now)
    elif "reveal" in hand.done:
        settle(course, now)
    else:
        _play_round(course, now)


def _play_round(course: Course, now: datetime) -> None:
    table, hand = course.table, course.hand
    card_rounds = hand.in_card_rounds
    waiting = [place.seat for place in table.live() if place.seat not in card_rounds.taken]
    card_due = _open_card_due(rules_of(table, CorellianSpike), hand, bool(waiting))
    if waiting and hand.pile_left == 0 and hand.recyclable:
        recycle(course)
    elif card_due and hand.pile_left:
        _lay_open(course)
    elif waiting:
        open_decision(course, "card", (waiting[0],), now)
    else:
        _after_the_turns(course, now)


def _open_card_due(rules: CorellianSpike, hand: Hand, waiting: bool) -> bool:
    """Return whether an open pile lacks a card."""
    card_rounds = hand.in_card_rounds
    if not rules.galaxy_series:
        return not card_rounds.open_discards
    # After the last card turn, the taken card is not replaced, because nobody is left to buy it
    # (rulebook ``spike.refill``).
    return len(card_rounds.market) < card_rounds.round and (waiting or card_rounds.round < ROUNDS)


def _lay_open(course: Course) -> None:
    card = open_card(course, course.hand.pile_next)
    if rules_of(course.table, CorellianSpike).galaxy_series:
        course.emit(events.MarketCardLaid(card=card, rule="spike.galaxy_series"))
    else:
        course.emit(events.DiscardFlipped(card=card, rule="spike.discard_pile"))


def _after_the_turns(course: Course, now: datetime) -> None:
    """Play the street and roll the dice, in the ruleset's order. Then end the card round."""
    table, card_rounds = course.table, course.hand.in_card_rounds
    parts: list[tuple[Callable[[Table], bool], Callable[[Course, datetime], None]]]
    parts = [(_bet_due, bet), (_spike_due, _spike)]
    if rules_of(table, CorellianSpike).spike_before_bet:
        parts.reverse()
    for due, play in parts:
        if due(table):
            play(course, now)
            return
    if card_rounds.round == ROUNDS:
        reveal(course)
    else:
        course.emit(events.CardRoundClosed(round=card_rounds.round))


def _bet_due(table: Table) -> bool:
    hand = table.hand
    return hand is not None and hand.street == hand.in_card_rounds.round


def _spike_due(table: Table) -> bool:
    rules, hand = rules_of(table, CorellianSpike), table.hand
    if hand is None or not rules.spike_dice:
        return False
    card_rounds = hand.in_card_rounds
    if rules.spike_redeals == "oldest_card" and card_rounds.round < ROUNDS:
        return False
    if not card_rounds.rolls or card_rounds.rolls[-1].round != card_rounds.round:
        return True
    return bool(card_rounds.due) or (card_rounds.rolls[-1].doubles and not card_rounds.shifted)


def _spike(course: Course, now: datetime) -> None:
    """Roll the dice. On doubles, take up cards and deal the same number of new ones."""
    hand, card_rounds = course.hand, course.hand.in_card_rounds
    if card_rounds.due:
        deal_due(course, "spike.redeal")
    elif card_rounds.rolls and card_rounds.rolls[-1].round == card_rounds.round:
        _take_up(course)
    else:
        seed = bytes.fromhex(hand.seeds.value.dice)
        dice = roll_pair(seed, "spike", len(card_rounds.rolls) + 1, hand.digest)
        course.emit(
            events.ShiftRolled(
                round=card_rounds.round, dice=dice, doubles=dice[0] == dice[1], rule="spike.dice"
            )
        )


def _take_up(course: Course) -> None:
    one_card = rules_of(course.table, CorellianSpike).spike_redeals == "oldest_card"
    counts = tuple(
        CardCount(seat=place.seat, cards=1 if one_card else len(place.hand.cards))
        for place in course.table.live()
        if place.hand is not None
    )
    rule = "spike.one_card" if one_card else "spike.redeal"
    course.emit(events.HandsTakenUp(counts=counts, with_pile=False, rule=rule))
