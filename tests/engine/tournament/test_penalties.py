"""Penalties and disqualifications at real tables, hand by hand."""

from typing import Any

import pytest

from engine.rulesets import preset
from engine.table.model.commands import VoidDeal
from engine.table.model.events import HandKilled, HandOpened, HandQuit, PenaltyImposed
from engine.tournament.model.commands.floor import Disqualify, OrderMove, Penalise
from engine.tournament.model.errors.floor import RulingNotPossible
from engine.tournament.model.events import EntrantEliminated
from engine.tournament.model.events.floor import EntrantDisqualified, PenaltyGiven, StackRemoved
from engine.tournament.model.state import Finished, Running
from engine.values import EntrantId
from tests.engine.coordination.evening import Evening
from tests.engine.tournament.floor import table
from tests.engine.tournament.rulings import RULED


def evening(entrants: int = 4, **terms: Any) -> Evening:
    return Evening(entrants, preset("better_simple"), **terms)


def someone(night: Evening, number: int = 1) -> EntrantId:
    return night.tables[table(number)].places[0].entrant


def left(night: Evening, who: EntrantId) -> int:
    place = next(
        found
        for each in night.tables.values()
        if not each.closed and (found := each.place_of(who)) is not None
    )
    return place.penalty


def hand(night: Evening, number: int = 1) -> HandOpened:
    """Lead a table to its next hand, and play it."""
    while night.next_hand(table(number)).outcome != "open":
        pass
    night.play_hand(table(number))
    return night.happened(HandOpened)[-1]  # type: ignore[no-any-return]


def test_e15_rounds_are_hands_for_every_player_at_the_table_when_it_is_given() -> None:
    night = evening(8, table_seats=8)
    (given,) = night.ask(Penalise(entrant=someone(night), rounds=2, **RULED))
    assert isinstance(given, PenaltyGiven)
    assert (given.hands, given.players, given.rule) == (16, 8, "penalty.rounds")
    assert left(night, someone(night)) == 16


def test_a_penalty_is_served_from_the_next_hand_on_and_posts_all_the_same() -> None:
    night = evening()
    who = someone(night)
    night.ask(Penalise(entrant=who, hands=2, **RULED))
    for remaining in (1, 0):
        opened = hand(night)
        books = next(each for each in opened.seats if each.entrant == who)
        assert (books.dealt, books.penalty) == (True, remaining + 1)
        assert night.happened(HandKilled)[-1].entrant == who
        assert left(night, who) == remaining
    killed = len(night.happened(HandKilled))
    hand(night)
    assert len(night.happened(HandKilled)) == killed


def test_a_penalty_given_during_a_hand_counts_from_the_next_and_adds_to_what_is_left() -> None:
    night = evening()
    who = someone(night)
    night.ask(Penalise(entrant=who, hands=2, **RULED))
    night.next_hand(table(1))
    night.ask(Penalise(entrant=who, hands=3, **RULED))
    assert left(night, who) == 4
    assert night.happened(PenaltyImposed)[-1].left == 4


def test_b13_a_penalty_given_in_a_voided_deal_is_kept_and_the_deal_counts_once() -> None:
    night = evening()
    first, second = (place.entrant for place in night.table.places[:2])
    night.ask(Penalise(entrant=first, hands=3, **RULED))
    night.next_hand(table(1))
    night.ask(Penalise(entrant=second, hands=1, **RULED))
    void = VoidDeal(cause="mis_deal", reason="card_shown", now=night.now)
    night.at_table(table(1), night.table, void)
    assert (left(night, first), left(night, second)) == (3, 1)
    assert hand(night).deal == 2
    assert (left(night, first), left(night, second)) == (2, 0)


def test_what_is_left_of_a_penalty_goes_along_to_another_table() -> None:
    night = evening(7, table_seats=4)
    who = someone(night)
    night.ask(Penalise(entrant=who, hands=5, **RULED))
    night.ask(OrderMove(entrant=who, to_table=table(2), **RULED))
    night.next_hand(table(1))
    assert night.tables[table(2)].place_of(who) is not None
    assert left(night, who) == 5
    assert night.happened(PenaltyImposed)[-1].rule == "penalty.moved"


@pytest.mark.parametrize("wrong", [{}, {"hands": 1, "rounds": 1}, {"hands": 0}, {"rounds": 1000}])
def test_a_penalty_is_either_hands_or_rounds_and_not_without_end(wrong: dict[str, int]) -> None:
    night = evening()
    with pytest.raises(RulingNotPossible):
        night.ask(Penalise(entrant=someone(night), **wrong, **RULED))


def test_e16_the_chips_of_who_is_disqualified_leave_play_and_nothing_else_does() -> None:
    night = evening()
    who = someone(night)
    night.next_hand(table(1))
    before = night.table.chips()
    decided = night.ask(Disqualify(entrant=who, **RULED))
    assert [type(each) for each in decided] == [EntrantDisqualified, EntrantEliminated]
    assert (decided[1].place, decided[1].rule) == (4, "placing.disqualified")
    quit_ = night.happened(HandQuit)[-1]
    assert (quit_.entrant, quit_.rule) == (who, "disqualification")
    night.play_hand(table(1))
    assert night.table.chips() == before
    stack = night.table.place_of(who)
    assert stack is not None
    night.next_hand(table(1))
    removed = next(each for each in night.events if isinstance(each, StackRemoved))
    assert (removed.entrant, removed.chips) == (who, stack.stack)
    assert night.table.chips() == before - stack.stack
    assert night.table.place_of(who) is None
    assert hand(night).number == 2


@pytest.mark.parametrize("when", ["in the hand", "after the void"])
def test_who_is_disqualified_plays_no_deal_that_follows_a_voided_one(when: str) -> None:
    night = evening(4)
    night.next_hand(table(1))
    who = someone(night)
    asked = Disqualify(entrant=who, **RULED)
    if when == "in the hand":
        night.ask(asked)
    void = VoidDeal(cause="mis_deal", reason="card_shown", now=night.now)
    night.at_table(table(1), night.table, void)
    if when == "after the void":
        night.ask(asked)

    assert night.next_hand(table(1)).outcome == "open"

    quit_ = night.happened(HandQuit)[-1]
    assert (quit_.entrant, quit_.rule) == (who, "disqualification")
    assert len(night.table.live()) == 3
    night.play_hand(table(1))
    before = sum(place.stack for place in night.table.places)
    hand(night)
    (removed,) = (each for each in night.events if isinstance(each, StackRemoved))
    assert sum(place.stack for place in night.table.places) == before - removed.chips
    assert {each.deal for each in night.happened(HandOpened)} == {1, 2}


def test_who_is_disqualified_with_two_left_ends_the_tournament() -> None:
    night = evening(2)
    who = someone(night)
    night.next_hand(table(1))
    night.ask(Disqualify(entrant=who, **RULED))
    assert isinstance(night.tournament, Finished)
    assert {each.entrant: each.place for each in night.tournament.placings}[who] == 2
    night.next_hand(table(1))
    assert night.table.closed


def test_between_hands_the_stack_goes_before_the_next_hand_and_the_carry_stays() -> None:
    night = evening(3)
    who = someone(night)
    hand(night)
    carried, chips = night.table.carry, night.table.chips()
    place = night.table.place_of(who)
    assert place is not None
    night.ask(Disqualify(entrant=who, **RULED))
    night.next_hand(table(1))
    assert night.table.carry == carried
    assert night.table.chips() == chips - place.stack
    running = night.tournament
    assert isinstance(running, Running) and running.floor.removing == ()
    assert running.floor.disqualified == (who,)


def test_nobody_is_disqualified_from_a_casino_or_twice() -> None:
    casino = Evening(3, preset("casino"), starting_stack=100)
    with pytest.raises(RulingNotPossible):
        casino.ask(Disqualify(entrant=someone(casino), **RULED))
    night = evening()
    night.ask(Disqualify(entrant=someone(night), **RULED))
    assert night.ask(Disqualify(entrant=someone(night), **RULED)) == ()
