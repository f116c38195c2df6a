"""
A hand of Traditional, one card round after another.

Each card round has card turns, one street, and two dice that may shift the cards.

Source: rulebook ``traditional``.
"""

from datetime import datetime

from engine.hand.betting import LegalAction
from engine.kit.cards import total
from engine.kit.dice import roll_pair
from engine.rulesets import Traditional
from engine.table.games.course import Course
from engine.table.games.dealing import deal, deal_due, recycle, sealed_card
from engine.table.games.game import CardAnswer, CardTurns
from engine.table.games.steps import (
    bet,
    kill,
    open_decision,
    post_forced_bets,
    rules_of,
    to_be_killed,
)
from engine.table.games.traditional_showdown import reveal, settle
from engine.table.model import events
from engine.table.model.commands import CardVerb
from engine.table.model.events import CardCount, SeatTotal
from engine.table.model.state import Place, Table
from engine.values import Sealed, only


def step(course: Course, now: datetime) -> None:
    """Take the next automatic step, or open the next decision."""
    hand = course.hand
    if "forced" not in hand.done:
        post_forced_bets(course, now)
    elif "deal" not in hand.done:
        deal(course, now)
    elif to_be_killed(course.table):
        kill(course, now)
    elif rules_of(course.table, Traditional).announce_totals and "announce" not in hand.done:
        _announce(course)
    elif "reveal" in hand.done:
        settle(course, now)
    elif hand.street == hand.in_card_rounds.round:
        _card_turns(course, now)
    else:
        _after_the_bet(course)


def _announce(course: Course) -> None:
    totals = tuple(
        SeatTotal(seat=place.seat, total=total(card.card for card in place.hand.cards))
        for place in course.table.live()
        if place.hand is not None
    )
    course.emit(events.TotalsAnnounced(totals=totals, rule="traditional.announce"))


def _card_turns(course: Course, now: datetime) -> None:
    """Open the next seat's card turn. After the last one, play the street."""
    table, hand, card_rounds = course.table, course.hand, course.hand.in_card_rounds
    waiting = [place.seat for place in table.live() if place.seat not in card_rounds.taken]
    if card_rounds.called:
        bet(course, now)
    elif card_rounds.round > rules_of(table, Traditional).max_rounds:
        _call(course, now, "traditional.call_at_last")
    elif not waiting:
        bet(course, now)
    elif hand.pile_next < len(hand.pile_cards):
        open_decision(course, "card", (waiting[0],), now)
    elif hand.discards:
        recycle(course)
    else:
        _call(course, now, "traditional.call_without_cards")


def _call(course: Course, now: datetime, rule: str) -> None:
    course.emit(
        events.HandCalled(
            round=course.hand.in_card_rounds.round,
            decision=None,
            seat=None,
            entrant=None,
            at=now,
            rule=rule,
        )
    )


def _after_the_bet(course: Course) -> None:
    """Roll the dice, carry out a shift, then begin the next card round or reveal the hands."""
    card_rounds = course.hand.in_card_rounds
    rolled = card_rounds.rolls[-1] if card_rounds.rolls else None
    if rolled is None or rolled.round != card_rounds.round:
        _roll(course)
    elif rolled.doubles and not card_rounds.shifted:
        _take_up(course)
    elif card_rounds.due:
        deal_due(course, "traditional.shift")
    elif card_rounds.called:
        reveal(course)
    else:
        course.emit(events.CardRoundClosed(round=card_rounds.round))


def _roll(course: Course) -> None:
    hand, card_rounds = course.hand, course.hand.in_card_rounds
    seed = bytes.fromhex(hand.seeds.value.dice)
    dice = roll_pair(seed, "shift", len(card_rounds.rolls) + 1, hand.digest)
    course.emit(
        events.ShiftRolled(
            round=card_rounds.round,
            dice=dice,
            doubles=dice[0] == dice[1],
            rule="traditional.shift_dice",
        )
    )


def _take_up(course: Course) -> None:
    """Take up every card outside the static field, and shuffle them with pile and discards."""
    counts = tuple(
        CardCount(seat=place.seat, cards=len(place.hand.cards))
        for place in course.table.live()
        if place.hand is not None
    )
    course.emit(events.HandsTakenUp(counts=counts, with_pile=True, rule="traditional.shift"))
    if course.hand.discards:
        recycle(course)


def _actions(table: Table, place: Place) -> tuple[LegalAction, ...]:
    held = place.hand
    if held is None:
        return ()
    loose = tuple(card.card for card in held.cards)
    actions = [
        LegalAction(verb="stand", rule=_RULES["stand"]),
        LegalAction(verb="draw", rule=_RULES["draw"], source="pile"),
    ]
    if loose:
        rule = _RULES["trade"]
        actions.append(LegalAction(verb="trade", rule=rule, source="pile", cards=loose))
    return tuple(actions)


def _taken(course: Course, answer: CardAnswer) -> events.CardTurnTaken:
    place, hand = answer.place, course.hand
    given = None
    if answer.card is not None and answer.salt is not None:
        given = Sealed(answer.card, bytes.fromhex(answer.salt), only(place.entrant))
    drawn = None if answer.source is None else sealed_card(course, hand.pile_next, place)
    return events.CardTurnTaken(
        decision=answer.decision.token,
        seat=place.seat,
        entrant=place.entrant,
        verb=answer.verb,
        source=answer.source,
        given=given,
        shown=None,
        drawn=drawn,
        taken=None,
        fee=0,
        stack=place.stack,
        timed_out=answer.timed_out,
        at=answer.now,
        rule="clock.card" if answer.timed_out else _RULES[answer.verb],
    )


_RULES: dict[CardVerb, str] = {
    "stand": "traditional.stand",
    "draw": "traditional.draw",
    "trade": "traditional.trade",
}


def _earliest_call(table: Table) -> int:
    return rules_of(table, Traditional).pot_building_rounds + 1


TURNS = CardTurns(
    verbs=frozenset(_RULES),
    actions=_actions,
    taken=_taken,
    field=True,
    earliest_call=_earliest_call,
)
