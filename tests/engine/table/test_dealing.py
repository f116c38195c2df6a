"""Cards that are owed when a pile ends in the middle of a pass."""

from msgspec.structs import replace

from engine.table.games.course import Course
from engine.table.games.dealing import deal_due
from engine.table.model import events
from engine.table.model.events import CardCount
from tests.engine.table.stacked import HIGH, LOW, MIDDLE, floor, opened


def test_a_pass_goes_on_with_the_next_seat_where_a_new_pile_begins() -> None:
    floor_ = opened(floor((100, 100, 100)), {1: HIGH, 2: LOW, 3: MIDDLE})
    floor_.field(2, "SA01")
    course = Course(floor_.table)
    counts = tuple(CardCount(seat=seat, cards=cards) for seat, cards in ((2, 1), (3, 2), (1, 2)))
    course.emit(events.HandsTakenUp(counts=counts, with_pile=False, rule="traditional.shift"))
    last = replace(course.hand, pile_next=len(course.hand.pile_cards) - 1)
    course.table = replace(course.table, hand=last)

    while course.hand.in_card_rounds.due:
        deal_due(course, "traditional.shift")

    first, pile, rest = course.events[1:]
    assert isinstance(first, events.ShiftDealt) and isinstance(pile, events.PileCommitted)
    assert isinstance(rest, events.ShiftDealt)
    assert [(part.seat, len(part.cards)) for part in first.dealt] == [(2, 1)]
    places = {part.seat: [card.position for card in part.cards] for part in rest.dealt}
    assert places == {3: [0, 2], 1: [1, 3]}
    assert pile.size == 5


def test_a_seat_that_has_had_its_card_is_passed_over_on_the_new_pile() -> None:
    floor_ = opened(floor((100, 100, 100)), {1: HIGH, 2: LOW, 3: MIDDLE})
    course = Course(floor_.table)
    counts = tuple(CardCount(seat=seat, cards=2) for seat in (2, 3, 1))
    course.emit(events.HandsTakenUp(counts=counts, with_pile=False, rule="traditional.shift"))
    last = replace(course.hand, pile_next=len(course.hand.pile_cards) - 2)
    course.table = replace(course.table, hand=last)

    while course.hand.in_card_rounds.due:
        deal_due(course, "traditional.shift")

    rest = course.events[-1]
    assert isinstance(rest, events.ShiftDealt)
    # Seats 2 and 3 have one card. The pass ends with seat 1, and the next begins with seat 2.
    places = {part.seat: [card.position for card in part.cards] for part in rest.dealt}
    assert places == {1: [0, 3], 2: [1], 3: [2]}
