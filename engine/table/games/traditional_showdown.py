"""
The end of a hand of Traditional: bombed-out hands, Sudden Demise and the two pots.

Source: rulebook ``traditional.reveal`` and the rules after it.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from engine.errors import InvariantViolated
from engine.hand.ranks import HandRank
from engine.hand.traditional_ranking import SPECIAL, rank
from engine.rulesets import Traditional
from engine.table.games.course import Course
from engine.table.games.dealing import draw_open, enough_for
from engine.table.games.settling import award, close, form_pots, roll_cube
from engine.table.games.steps import rules_of
from engine.table.model import events
from engine.table.model.events import DealtDemise, FormedPot, Ranked
from engine.table.model.events.event_parts import opened
from engine.table.model.state import Place


def reveal(course: Course) -> None:
    """Reveal and rank every live hand. Nobody may hide."""
    hands = tuple(_ranked(course, place) for place in course.table.live())
    course.emit(events.HandsRanked(hands=hands, rule="traditional.reveal"))


def _judged(course: Course, cards: Sequence[str]) -> HandRank:
    return rank(cards, rules_of(course.table, Traditional).compare)


def _ranked(course: Course, place: Place) -> Ranked:
    held = place.hand
    if held is None:
        raise InvariantViolated(f"seat {place.seat} has nothing to reveal")
    cards = (*held.field, *held.cards)
    judged = _judged(course, [card.card for card in cards])
    return Ranked(
        seat=place.seat,
        entrant=place.entrant,
        cards=tuple(map(opened, cards)),
        total=judged.total,
        name=judged.name,
        key=judged.key,
        bombed=judged.bombed,
    )


def settle(course: Course, now: datetime) -> None:
    """Charge the bomb-out penalties, then award the main pot's layers and the Sabacc pot."""
    pots = form_pots(course)
    _fine(course, sum(pot.chips for pot in pots))
    standing = _Standing(course)
    first: int | None = None
    for number, pot in enumerate(pots, start=1):
        winner, rule = standing.best(number, pot)
        award(course, number, pot.chips, () if winner is None else (winner,), rule=rule)
        if number == 1:
            first = winner
    if first is not None:
        _award_sabacc_pot(course, first)
    close(course, "showdown", pots, now)


def _fine(course: Course, owed: int) -> None:
    """Charge each bombed-out seat as much as the main pot holds, or its whole stack if smaller."""
    for shown in course.hand.in_card_rounds.ranked:
        if not shown.bombed:
            continue
        place = course.table.at(shown.seat)
        paid = min(owed, place.stack)
        course.emit(
            events.PenaltyPaid(
                seat=place.seat,
                entrant=place.entrant,
                cause="bombed_out",
                owed=owed,
                paid=paid,
                stack=place.stack - paid,
                rule="traditional.bomb_out",
            )
        )


def _award_sabacc_pot(course: Course, winner: int) -> None:
    """Award the Sabacc pot to the first pot's winner, if the hand was special before any Demise."""
    name = next(shown.name for shown in course.hand.in_card_rounds.ranked if shown.seat == winner)
    if name not in SPECIAL or course.table.sabacc_pot == 0:
        return
    course.emit(
        events.SabaccPotAwarded(
            seat=winner,
            entrant=course.table.at(winner).entrant,
            chips=course.table.sabacc_pot,
            rule="traditional.sabacc_pot",
        )
    )


class _Standing:
    """The current rank of each hand, including its Sudden Demise cards."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._hands = {
            shown.seat: [card.card for card in shown.cards]
            for shown in course.hand.in_card_rounds.ranked
        }
        self._ranks = {
            shown.seat: _judged(course, self._hands[shown.seat])
            for shown in course.hand.in_card_rounds.ranked
        }

    def best(self, number: int, pot: FormedPot) -> tuple[int | None, str]:
        """
        Return the winner of pot *number* and the deciding rule. None if everybody bombed out.

        Sudden Demise breaks a tie. If all the tied seats bomb out, the best of the others wins.
        """
        rule = "showdown.best"
        while contenders := self._unbombed(
            seat for seat in self._course.hand.order if seat in pot.eligible
        ):
            tied = self._best_of(contenders)
            while len(tied) > 1:
                if not enough_for(self._course, len(tied)):
                    return roll_cube(self._course, number, tied), "ties.cube"
                self._deal(number, tied)
                rule = "traditional.demise"
                tied = self._best_of(self._unbombed(tied))
            if tied:
                return tied[0], rule
        return None, "traditional.nobody"

    def _unbombed(self, seats: Iterable[int]) -> tuple[int, ...]:
        return tuple(seat for seat in seats if not self._ranks[seat].bombed)

    def _best_of(self, seats: tuple[int, ...]) -> tuple[int, ...]:
        if not seats:
            return ()
        best = min(self._ranks[seat].key for seat in seats)
        return tuple(seat for seat in seats if self._ranks[seat].key == best)

    def _deal(self, number: int, tied: tuple[int, ...]) -> None:
        for cards in draw_open(self._course, tied):
            dealt = []
            for part in cards:
                self._hands[part.seat].append(part.card.card)
                judged = _judged(self._course, self._hands[part.seat])
                self._ranks[part.seat] = judged
                dealt.append(
                    DealtDemise(
                        seat=part.seat,
                        card=part.card,
                        total=judged.total,
                        key=judged.key,
                        bombed=judged.bombed,
                    )
                )
            self._course.emit(
                events.DemiseDealt(pot=number, dealt=tuple(dealt), rule="traditional.demise")
            )
