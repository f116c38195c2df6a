"""The orders of directors, which are carried out between hands only."""

from typing import Any

import pytest

from engine.tournament.model.commands.floor import (
    ChangeBreakingOrder,
    HoldOneTable,
    OrderMove,
    ReleaseTable,
    Warn,
)
from engine.tournament.model.directives import Break, Hold, MoveOut
from engine.tournament.model.errors import EntrantUnknown
from engine.tournament.model.errors.floor import RulingNotPossible, TableNotInPlay
from engine.tournament.model.events import EntrantsMoved, TableBroken
from engine.tournament.model.events.floor import EntrantWarned, MoveOrdered
from engine.tournament.model.state import Running
from engine.values import EntrantId, Seat, TableId
from tests.engine.coordination.simulation import Floor
from tests.engine.tournament.floor import entrant, table
from tests.engine.tournament.rulings import DIRECTOR, RULED, WHY


def running(floor: Floor) -> Running:
    assert isinstance(floor.tournament, Running)
    return floor.tournament


def sitting(floor: Floor, number: int) -> list[EntrantId]:
    seating = running(floor).seating(table(number))
    assert seating is not None
    return [each.entrant for each in seating.seats]


def order(floor: Floor, mover: EntrantId, to: TableId, seat: int | None = None) -> Any:
    wanted = None if seat is None else Seat(seat)
    floor.decide(OrderMove(entrant=mover, to_table=to, to_seat=wanted, **RULED))
    return floor.events[-1]


def opened(floor: Floor, *numbers: int) -> None:
    for number in numbers:
        assert floor.plan(table(number)).outcome == "open"
        floor.carry_out(floor.plan(table(number)))


def test_a_move_that_was_ordered_waits_until_both_tables_are_between_hands() -> None:
    floor = Floor(7, seed=1)
    opened(floor, 1, 2)
    mover = sitting(floor, 1)[0]
    ordered = order(floor, mover, table(2), seat=4)
    assert isinstance(ordered, MoveOrdered)
    assert (ordered.by, ordered.reason, ordered.candidates) == (DIRECTOR, WHY, (Seat(4),))
    floor.lose(table(1))
    assert floor.plan(table(1)).directive == Hold(reason="ordered_move")
    floor.lose(table(2))
    plan = floor.plan(table(2))
    assert isinstance(plan.directive, MoveOut) and plan.directive.rule == "directing.move"
    floor.carry_out(plan)
    assert mover in sitting(floor, 2)
    assert running(floor).floor.ordered == ()
    moved = next(each for each in floor.events if isinstance(each, EntrantsMoved))
    assert (moved.moves[0].to_seat, moved.rule) == (4, "directing.move")
    floor.check()


def test_who_was_moved_by_a_director_is_not_the_next_one_to_be_moved_back() -> None:
    floor = Floor(8, seed=1, table_seats=6)
    opened(floor, 1, 2)
    mover = sitting(floor, 1)[0]
    order(floor, mover, table(2))
    floor.lose(table(1))
    floor.lose(table(2))
    floor.rearrange()
    assert [len(sitting(floor, number)) for number in (1, 2)] == [4, 4]
    assert mover in sitting(floor, 2)


@pytest.mark.parametrize(
    ("to", "seat", "why"),
    [(1, None, "same_table"), (2, 1, "seat_not_free"), (2, 9, "seat_not_free")],
)
def test_a_move_that_cannot_be_made_is_refused(to: int, seat: int | None, why: str) -> None:
    floor = Floor(7, seed=1)
    with pytest.raises(RulingNotPossible) as refused:
        order(floor, sitting(floor, 1)[0], table(to), seat)
    assert refused.value.facts["reason"] == why


def test_nobody_unknown_is_moved_and_nobody_to_a_table_that_is_none() -> None:
    floor = Floor(7, seed=1)
    with pytest.raises(EntrantUnknown):
        order(floor, entrant(99), table(2))
    with pytest.raises(TableNotInPlay):
        order(floor, sitting(floor, 1)[0], table(9))


def test_the_breaking_order_can_be_changed_before_a_break() -> None:
    floor = Floor(9, seed=3)
    assert running(floor).breaking_order == (3, 2, 1)
    floor.decide(ChangeBreakingOrder(order=(1, 3, 2), **RULED))
    opened(floor, 1, 2, 3)
    floor.lose(table(2), sitting(floor, 2)[0])
    floor.lose(table(1))
    floor.lose(table(3))
    plan = floor.plan(table(2))
    assert isinstance(plan.directive, Break) and plan.directive.table == table(1)
    floor.carry_out(plan)
    assert next(each for each in floor.events if isinstance(each, TableBroken)).table == table(1)


def test_a_breaking_order_names_every_open_table_once() -> None:
    floor = Floor(9, seed=3)
    for wrong in ((1, 2), (1, 2, 2), (1, 2, 4)):
        with pytest.raises(RulingNotPossible):
            floor.decide(ChangeBreakingOrder(order=wrong, **RULED))


def test_nothing_is_settled_with_a_table_that_is_held() -> None:
    floor = Floor(9, seed=3)
    opened(floor, 1, 2, 3)
    floor.decide(HoldOneTable(table=table(3), **RULED))
    for number in (1, 2, 3):
        floor.lose(table(number), *sitting(floor, number)[:1])
    assert floor.plan(table(3)).directive == Hold(reason="held")
    # Table 3 has to break, and nobody is taken from it.
    assert floor.plan(table(1)).outcome == "open"
    floor.decide(ReleaseTable(table=table(3), **RULED))
    assert isinstance(floor.plan(table(3)).directive, Break)


def test_a_warning_is_only_for_the_record() -> None:
    floor = Floor(7, seed=1)
    before = running(floor)
    floor.decide(Warn(entrant=sitting(floor, 1)[0], **RULED))
    assert isinstance(floor.events[-1], EntrantWarned)
    assert running(floor).tables == before.tables
    assert running(floor).floor == before.floor
