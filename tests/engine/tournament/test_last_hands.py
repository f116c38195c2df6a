"""The end at a given time: the hands in play are the last, or a drawn number follows."""

from typing import Any

import pytest

from engine.kit.rng import RandomWords, derive_seed, openings_digest
from engine.tournament.model.commands.floor import CallLastHands, OrderMove
from engine.tournament.model.directives import CountHands, Finish, Hold, Open
from engine.tournament.model.errors.floor import RulingNotPossible
from engine.tournament.model.events import TournamentFinished
from engine.tournament.model.events.floor import LastHandsCalled
from engine.tournament.model.state import Finished
from engine.tournament.model.terms import FloorTerms
from engine.tournament.model.terms.floor import HandsDrawn
from tests.engine.coordination.simulation import Floor
from tests.engine.tournament.floor import MASTERS, NOON, table
from tests.engine.tournament.rulings import RULED
from tests.engine.tournament.test_rulings import opened, running, sitting

CALL = CallLastHands(now=NOON)
DRAWN = FloorTerms(last_hands=HandsDrawn(low=3, high=7))


def led(floor: Floor, number: int) -> Any:
    """Carry out the directives of the table until it opens a hand, holds or closes."""
    while (plan := floor.plan(table(number))).outcome == "rearrange":
        floor.carry_out(plan)
    floor.carry_out(plan)
    return plan.directive


def test_hands_in_play_count_and_no_other_is_opened() -> None:
    floor = Floor(8, seed=1)
    opened(floor, 1, 2)
    floor.decide(CALL)
    floor.lose(table(1), sitting(floor, 1)[0])
    assert isinstance(floor.plan(table(1)).directive, CountHands)
    assert led(floor, 1) == Hold(reason="hands_max")
    winner = sitting(floor, 2)[1]
    floor.lose(table(2), sitting(floor, 2)[0])
    finish = led(floor, 2)
    assert isinstance(finish, Finish) and finish.rule == "finish.last_hands"
    assert isinstance(floor.tournament, Finished)
    finished = next(each for each in floor.events if isinstance(each, TournamentFinished))
    assert finished.rule == "finish.last_hands"
    places = {each.entrant: each.place for each in finished.placings}
    assert places[winner] == 1 and len(places) == 8


def test_e21_as_many_hands_more_are_played_as_were_drawn_from_the_committed_seed() -> None:
    floor = Floor(8, seed=1, floor=DRAWN)
    opened(floor, 1, 2)
    number = running(floor).draws + 1
    floor.decide(CALL)
    called = floor.events[-1]
    assert isinstance(called, LastHandsCalled) and called.draw is not None
    seed = derive_seed(bytes.fromhex(MASTERS.open), "draws", 0, number, 1)
    due = 3 + RandomWords(seed, "lot", 1, openings_digest(())).below(5)
    assert (called.draw.number, called.draw.drawn, called.hands) == (number, due, due)
    assert running(floor).draws == number
    played = {1: 0, 2: 0}
    for index in (1, 2):
        floor.lose(table(index))
        while isinstance(directive := led(floor, index), Open):
            played[index] += 1
            assert directive.last == (played[index] == due)
            floor.lose(table(index))
    assert played == {1: due, 2: due}
    assert isinstance(floor.tournament, Finished)


def test_e21_nobody_is_moved_meanwhile() -> None:
    floor = Floor(8, seed=1, floor=DRAWN)
    opened(floor, 1, 2)
    floor.decide(CALL)
    floor.lose(table(1), *sitting(floor, 1)[:2])
    floor.lose(table(2))
    assert isinstance(led(floor, 1), Open)
    assert [len(sitting(floor, number)) for number in (1, 2)] == [2, 4]
    with pytest.raises(RulingNotPossible):
        floor.decide(OrderMove(entrant=sitting(floor, 2)[0], to_table=table(1), **RULED))


def test_a_table_with_one_left_waits_for_the_others_to_have_played() -> None:
    floor = Floor(8, seed=1, floor=DRAWN)
    opened(floor, 1, 2)
    floor.decide(CALL)
    floor.lose(table(1), *sitting(floor, 1)[1:])
    assert led(floor, 1) == Hold(reason="waiting_for_entrants")
    floor.lose(table(2))
    while isinstance(directive := led(floor, 2), Open):
        floor.lose(table(2))
    assert isinstance(directive, Finish)
    assert isinstance(floor.tournament, Finished)


def test_they_are_called_once() -> None:
    floor = Floor(8, seed=1, floor=DRAWN)
    assert floor.decide(CALL)
    assert not floor.decide(CallLastHands(by=RULED["by"], reason=RULED["reason"], now=NOON))
