"""Hand-for-hand play: all tables wait for each other, and each hand places busts together."""

from typing import Any

import pytest

from engine.rulesets import resolve, ruleset_hash
from engine.tournament.model.commands import CloseEarly
from engine.tournament.model.commands.floor import Disqualify, EndHandForHand, StartHandForHand
from engine.tournament.model.directives import EndRound, Hold, NextRound, Open
from engine.tournament.model.errors.floor import RulingNotPossible
from engine.tournament.model.events import (
    ClockStarted,
    ClockStopped,
    EntrantBusted,
    EntrantEliminated,
    LevelRaised,
)
from engine.tournament.model.events.floor import HandForHandEnded, HandForHandStarted, RoundClosed
from engine.tournament.model.state import Finished, Running
from engine.tournament.model.terms import FloorTerms
from engine.tournament.model.terms.floor import HandForHandTerms
from engine.tournament.model.values import Placing
from engine.values import EntrantId
from tests.engine.coordination.simulation import Floor
from tests.engine.tournament.floor import NOON, table
from tests.engine.tournament.rulings import RULED
from tests.engine.tournament.test_rulings import opened, running, sitting

BUBBLE = FloorTerms(hand_for_hand=HandForHandTerms(at_bubble=True))


def begun(entrants: int, **terms: Any) -> Floor:
    """Return a floor on which hand-for-hand play began with every hand in play."""
    floor = Floor(entrants, seed=1, **terms)
    opened(floor, *(each.number for each in running(floor).tables))
    floor.decide(StartHandForHand(**RULED))
    return floor


def settle_all(floor: Floor, **losers: list[EntrantId]) -> None:
    for seating in running(floor).tables:
        if floor.tables[seating.table].hand is not None:
            floor.lose(seating.table, *losers.get(f"t{seating.number}", []))


def step(floor: Floor, number: int = 1) -> Any:
    plan = floor.plan(table(number))
    floor.carry_out(plan)
    return plan.directive


def next_round(floor: Floor) -> None:
    """Lead every table to its next hand of hand-for-hand play."""
    while not isinstance(floor.plan(table(1)).directive, Open):
        step(floor)
    for seating in running(floor).tables:
        directive = step(floor, seating.number)
        assert isinstance(directive, Open) and directive.round == running(floor).floor.round


def placings(floor: Floor) -> dict[EntrantId, Placing]:
    state = floor.tournament
    assert isinstance(state, Running | Finished)
    return {each.entrant: each for each in state.placings}


def test_a_table_that_has_played_its_hand_waits_for_all_the_others() -> None:
    floor = begun(8)
    floor.lose(table(1))
    assert floor.plan(table(1)).directive == Hold(reason="hand_for_hand")
    floor.lose(table(2))
    assert isinstance(floor.plan(table(1)).directive, NextRound)
    next_round(floor)
    assert [floor.tables[table(number)].round for number in (1, 2)] == [2, 2]
    floor.lose(table(2))
    assert floor.plan(table(2)).directive == Hold(reason="hand_for_hand")
    floor.lose(table(1))
    assert isinstance(floor.plan(table(2)).directive, EndRound)
    next_round(floor)
    assert floor.tables[table(1)].round == 3
    floor.check()


def test_e2_two_out_at_different_tables_in_one_round_share_the_place() -> None:
    floor = begun(8)
    settle_all(floor)
    next_round(floor)
    first, second = sitting(floor, 1)[0], sitting(floor, 2)[0]
    floor.lose(table(1), first)
    assert placings(floor) == {}
    floor.lose(table(2), second)
    step(floor)
    out = placings(floor)
    assert {out[first].place, out[second].place} == {7}
    assert out[first].shared == out[second].shared == 2
    busted = [each for each in floor.events if isinstance(each, EntrantBusted)]
    assert [each.round for each in busted] == [2, 2]
    rules = [each.rule for each in floor.events if isinstance(each, EntrantEliminated)]
    assert rules == ["hand_for_hand.shared"] * 2


def test_e2_or_the_stack_at_the_start_of_the_hand_decides() -> None:
    by_stack = FloorTerms(hand_for_hand=HandForHandTerms(ties="stack_at_start"))
    floor = begun(8, floor=by_stack)
    poor, rich = sitting(floor, 1)[1], sitting(floor, 2)[0]
    stakes = floor.tables[table(1)]
    floor.lose(table(2))
    # One has 400 and the other 1000 when the hand begins.
    state = floor.tables[table(1)]
    floor._settled(
        stakes.table,
        {
            place.entrant: {poor: 400, state.places[0].entrant: 1600}.get(place.entrant, 1000)
            for place in state.places
        },
    )
    next_round(floor)
    settle_all(floor, t1=[poor], t2=[rich])
    step(floor)
    assert (placings(floor)[rich].place, placings(floor)[poor].place) == (7, 8)


def test_e1_at_one_table_the_larger_stack_finishes_higher_in_a_round_too() -> None:
    floor = begun(8)
    settle_all(floor)
    next_round(floor)
    one, other = sitting(floor, 1)[:2]
    settle_all(floor, t1=[one, other])
    step(floor)
    assert placings(floor)[one].shared == placings(floor)[other].shared == 2
    last = [each for each in floor.events if isinstance(each, EntrantEliminated)][-1]
    assert last.rule == "placing.shared"


def test_e3_who_goes_out_in_the_hands_in_play_at_the_announcement_is_in_the_round() -> None:
    floor = begun(12, payouts=(1,) * 9, prize_pool=900, currency="EUR")
    out = [sitting(floor, number)[0] for number in (1, 2, 3)]
    for number, each in zip((1, 2, 3), out, strict=True):
        floor.lose(table(number), each)
    step(floor)
    assert {placings(floor)[each].place for each in out} == {10}
    assert {placings(floor)[each].shared for each in out} == {3}


def test_it_begins_by_itself_at_the_bubble_and_ends_in_the_money() -> None:
    floor = Floor(8, seed=1, floor=BUBBLE, payouts=(1,) * 6, prize_pool=600, currency="EUR")
    opened(floor, 1, 2)
    floor.lose(table(1), sitting(floor, 1)[0])
    started = floor.events[-1]
    assert isinstance(started, HandForHandStarted)
    assert (started.cause, started.left, started.paid) == ("bubble", 7, 6)
    # Table 2 is in the first hand of hand-for-hand play: the hand in play counts.
    floor.lose(table(2), sitting(floor, 2)[0])
    step(floor)
    kinds = [type(each) for each in floor.events[-3:]]
    assert kinds == [RoundClosed, EntrantEliminated, HandForHandEnded]
    assert floor.events[-1].cause == "in_the_money"
    assert running(floor).floor.hand_for_hand is None


def test_e4_each_round_costs_a_fixed_slice_of_the_clock_and_levels_still_rise() -> None:
    levels = [
        {"small": 5, "big": 10, "length": 150},
        {"small": 10, "big": 20, "length": 600},
        {"small": 20, "big": 40, "length": None},
    ]
    rules = resolve("better", {"escalation": {"kind": "levels", "by": "clock", "levels": levels}})
    floor = begun(8, ruleset=rules, ruleset_hash=ruleset_hash(rules))
    assert isinstance(floor.events[-1], ClockStopped)
    assert floor.events[-1].rule == "hand_for_hand.clock"
    left = []
    for _ in range(3):
        settle_all(floor)
        next_round(floor)
        clock = running(floor).clock
        assert clock is not None and clock.due is None
        left.append((clock.level, clock.left_microseconds))
    # Two minutes are taken from 2:30. Then the level is over, and 1:30 comes off the next one.
    assert left == [(1, 30_000_000), (2, 510_000_000), (2, 390_000_000)]
    assert len([each for each in floor.events if isinstance(each, LevelRaised)]) == 1
    floor.decide(EndHandForHand(**RULED))
    assert isinstance(floor.events[-1], ClockStarted)


def test_a_director_ends_it_and_who_went_out_in_the_round_is_placed() -> None:
    floor = begun(8)
    gone = sitting(floor, 1)[0]
    floor.lose(table(1), gone)
    floor.decide(EndHandForHand(**RULED))
    assert placings(floor)[gone].place == 8
    floor.lose(table(2))
    assert running(floor).floor.hand_for_hand is None
    assert [floor.plan(table(number)).outcome for number in (1, 2)] == ["open", "open"]


def test_a_director_ends_it_where_that_ends_the_tournament() -> None:
    floor = begun(8)
    settle_all(floor, t1=sitting(floor, 1)[1:], t2=sitting(floor, 2)[1:])
    floor.decide(Disqualify(entrant=sitting(floor, 2)[0], **RULED))
    floor.decide(EndHandForHand(**RULED))
    assert isinstance(floor.tournament, Finished)
    assert len(placings(floor)) == 8


def test_it_ends_when_one_table_is_left() -> None:
    floor = begun(8)
    settle_all(floor, t1=sitting(floor, 1)[:2], t2=sitting(floor, 2)[:2])
    while running(floor).floor.hand_for_hand is not None:
        step(floor)
    ended = floor.events[-1]
    assert isinstance(ended, HandForHandEnded)
    assert (ended.cause, ended.left) == ("one_table", 4)
    assert floor.plan(table(1)).outcome == "open"


def test_one_table_alone_does_not_play_hand_for_hand() -> None:
    floor = Floor(4, seed=1)
    with pytest.raises(RulingNotPossible):
        floor.decide(StartHandForHand(**RULED))


@pytest.mark.parametrize("seed", range(12))
def test_a_tournament_that_plays_hand_for_hand_to_the_end_loses_nobody(seed: int) -> None:
    """Hand-for-hand begins with the first bust. Places and chips add up after every bust."""
    early = FloorTerms(hand_for_hand=HandForHandTerms(at_left=19))
    floor = Floor(20, seed=seed, floor=early)
    for _ in range(4000):
        if floor.over:
            break
        floor.step()
        floor.check()
    assert isinstance(floor.tournament, Finished)
    assert len(floor.tournament.placings) == 20
    taken = sorted(place for each in floor.tournament.placings for place in [each.place])
    assert taken[0] == 1
    rounds = [each.round for each in floor.events if isinstance(each, RoundClosed)]
    assert rounds == sorted(rounds) and rounds


def test_a_round_ends_at_once_if_its_open_windows_sell_nothing() -> None:
    rebuys = resolve("better_simple", {"rebuy": {"max": 1, "seconds": 600}})
    floor = begun(8, table_seats=4, ruleset=rebuys, ruleset_hash=ruleset_hash(rebuys))
    settle_all(floor)
    next_round(floor)
    settle_all(floor, t2=[sitting(floor, 2)[0]])
    assert running(floor).windows
    waits = []
    for _ in range(2):
        order = floor.plan(table(1)).directive
        assert isinstance(order, EndRound)
        waits.append(order.wait_seconds)
        floor.decide(CloseEarly(now=NOON))
    assert waits == [600, 0]
