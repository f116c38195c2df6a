"""
The end of a hand of Corellian Spike: the reveal, ties and the two pots.

Source: rulebook ``spike.ranking``, ``ties.blind_draw`` and ``spike.sabacc_pot``.
"""

from datetime import datetime

from engine.errors import InvariantViolated
from engine.hand.pots import split
from engine.hand.spike_hands import blind_draw_key
from engine.hand.spike_reasons import judged
from engine.rulesets import CorellianSpike, Split
from engine.table.games.course import Course
from engine.table.games.dealing import draw_open, enough_for
from engine.table.games.settling import award, close, form_pots, roll_cube
from engine.table.games.steps import rules_of
from engine.table.model import events
from engine.table.model.events import Ranked
from engine.table.model.events.event_parts import opened
from engine.table.model.state import Place

Winners = tuple[tuple[int, ...], str]
"""The seats that win a pot, clockwise from the left of the button, and the deciding rule."""


def reveal(course: Course) -> None:
    """Reveal and rank every live hand. Nobody may hide."""
    hands = tuple(_ranked(course, place) for place in course.table.live())
    course.emit(events.HandsRanked(hands=hands, rule="spike.ranking"))


def _ranked(course: Course, place: Place) -> Ranked:
    held = place.hand
    if held is None:
        raise InvariantViolated(f"seat {place.seat} has nothing to reveal")
    worth = judged(rules_of(course.table, CorellianSpike), [card.card for card in held.cards])
    return Ranked(
        seat=place.seat,
        entrant=place.entrant,
        cards=tuple(map(opened, held.cards)),
        total=worth.total,
        name=worth.name,
        key=worth.key,
        bombed=False,
    )


def settle(course: Course, now: datetime) -> None:
    """Award each pot to its best hand, and the Sabacc pot with the first."""
    pots = form_pots(course)
    keys = {shown.seat: shown.key for shown in course.hand.in_card_rounds.ranked}
    decided: dict[tuple[int, ...], Winners] = {}
    for number, pot in enumerate(pots, start=1):
        best = min(keys[seat] for seat in pot.eligible)
        tied = tuple(
            seat for seat in course.hand.order if seat in pot.eligible and keys[seat] == best
        )
        if tied not in decided:
            decided[tied] = _winners(course, number, tied)
        seats, rule = decided[tied]
        award(course, number, pot.chips, seats, rule=rule)
        if number == 1:
            _award_sabacc_pot(course, seats)
    close(course, "showdown", pots, now)


def _winners(course: Course, number: int, tied: tuple[int, ...]) -> Winners:
    if len(tied) == 1:
        return tied, "showdown.best"
    if isinstance(rules_of(course.table, CorellianSpike).tie, Split):
        return tied, "ties.split"
    while len(tied) > 1:
        if not enough_for(course, len(tied)):
            return (roll_cube(course, number, tied),), "ties.cube"
        tied = _blind_draw(course, number, tied)
    return tied, "ties.blind_draw"


def _blind_draw(course: Course, number: int, tied: tuple[int, ...]) -> tuple[int, ...]:
    """Deal each tied seat one open card, and return the seats with the best card."""
    drawn: dict[int, str] = {}
    for cards in draw_open(course, tied):
        drawn |= {part.seat: part.card.card for part in cards}
        course.emit(events.DrawOffDealt(pot=number, cards=cards, rule="ties.blind_draw"))
    best = min(map(blind_draw_key, drawn.values()))
    return tuple(seat for seat in tied if blind_draw_key(drawn[seat]) == best)


def _award_sabacc_pot(course: Course, seats: tuple[int, ...]) -> None:
    """Award the Sabacc pot to the first pot's winners, if their hands total zero."""
    table = course.table
    total = next(
        shown.total for shown in course.hand.in_card_rounds.ranked if shown.seat == seats[0]
    )
    if total != 0 or table.sabacc_pot == 0:
        return
    shares, _ = split(table.sabacc_pot, seats, unit=table.ruleset.chip_unit, carry=False)
    for seat, chips in shares:
        if chips == 0:
            continue
        course.emit(
            events.SabaccPotAwarded(
                seat=seat,
                entrant=table.at(seat).entrant,
                chips=chips,
                rule="spike.sabacc_pot",
            )
        )
