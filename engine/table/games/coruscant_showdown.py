"""
The end of a hand of Coruscant Shift: the reveal, and the policies for ties.

Source: rulebook ``showdown`` and ``ties``.
"""

from datetime import datetime

from engine.errors import InvariantViolated
from engine.hand.showdown import best_seats, key
from engine.kit.cards import VALUES, total
from engine.rulesets import CoruscantShift, DrawOff, Split
from engine.table.games.course import Course
from engine.table.games.dealing import draw_open, enough_for
from engine.table.games.settling import award, close, form_pots, roll_cube
from engine.table.games.steps import rules_of
from engine.table.model import events
from engine.table.model.events import Revealed
from engine.table.model.events.event_parts import opened
from engine.table.model.hand import Hand
from engine.table.model.state import Place


def reveal(course: Course) -> None:
    """Reveal every live selection. Nobody may hide (rulebook ``showdown.reveal``)."""
    hand = course.hand
    hands = [_revealed(hand, place) for place in course.table.live()]
    course.emit(events.HandsRevealed(hands=tuple(hands), rule="showdown.reveal"))


def _revealed(hand: Hand, place: Place) -> Revealed:
    held = place.hand
    if held is None or hand.target is None or hand.suit is None:
        raise InvariantViolated(f"seat {place.seat} has nothing to reveal")
    cards = [card.card for card in held.selection]
    distance, fewer = key(cards, hand.target, hand.suit)
    return Revealed(
        seat=place.seat,
        entrant=place.entrant,
        cards=tuple(map(opened, held.selection)),
        total=total(cards),
        distance=distance,
        suit_count=-fewer,
    )


def settle(course: Course, now: datetime) -> None:
    """Award every pot to its best eligible hand, and close the hand."""
    pots = form_pots(course)
    order = course.hand.order
    keys = {hand.seat: (hand.distance, -hand.suit_count) for hand in course.hand.revealed}
    broken: dict[tuple[int, ...], tuple[int, str]] = {}
    for number, pot in enumerate(pots, start=1):
        eligible = pot.eligible
        best = best_seats([(seat, keys[seat]) for seat in order if seat in eligible])
        rule = "showdown.best"
        if len(best) > 1:
            best, rule = _one_of(course, number, best, broken)
        award(course, number, pot.chips, best, rule=rule)
    close(course, "showdown", pots, now)


def _one_of(
    course: Course,
    number: int,
    best: tuple[int, ...],
    broken: dict[tuple[int, ...], tuple[int, str]],
) -> tuple[tuple[int, ...], str]:
    """
    Return the winners of pot *number*, and the deciding rule.

    A broken tie has the same winner in later pots of the same seats.
    """
    tie = rules_of(course.table, CoruscantShift).tie
    if isinstance(tie, Split):
        return best, "ties.split"
    if best not in broken:
        broken[best] = _break_tie(course, number, best)
    winner, rule = broken[best]
    return (winner,), rule


def _break_tie(course: Course, number: int, tied: tuple[int, ...]) -> tuple[int, str]:
    """Return the winner of a tie, and the rule of the draw-off or the chance cube."""
    tie = rules_of(course.table, CoruscantShift).tie
    limit = tie.limit if isinstance(tie, DrawOff) and not tie.prefer_cube else 0
    for _ in range(limit):
        drawn = _draw_off(course, number, tied)
        if drawn is None:
            break
        highest = max(VALUES[card] for card in drawn.values())
        tied = tuple(seat for seat in tied if VALUES[drawn[seat]] == highest)
        if len(tied) == 1:
            return tied[0], "ties.draw_off"
    return roll_cube(course, number, tied), "ties.cube"


def _draw_off(course: Course, number: int, tied: tuple[int, ...]) -> dict[int, str] | None:
    """Deal each tied seat an open card. Return None if too few cards are left."""
    if not enough_for(course, len(tied)):
        return None
    drawn: dict[int, str] = {}
    for cards in draw_open(course, tied):
        drawn |= {part.seat: part.card.card for part in cards}
        course.emit(events.DrawOffDealt(pot=number, cards=cards, rule="ties.draw_off"))
    return drawn
