"""Tables of Traditional with prepared decks."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import pytest

from engine.errors import CommandRejected
from engine.rulesets import resolve
from engine.table.model.commands import SeatArrivals
from tests.engine.table.tables import Floor

Kind = TypeVar("Kind")

HIGH, LOW, MIDDLE = ("SA15", "FL07"), ("SA01", "FL01"), ("SA10", "FL04")


def floor(stacks: Sequence[int] = (100, 100, 100), **overrides: Any) -> Floor:
    """Return a table at which a hand may be called from the first card round on."""
    return Floor(resolve("traditional", {"pot_building_rounds": 0} | overrides), stacks)


def opened(
    floor: Floor,
    hands: Mapping[int, Sequence[str]],
    then: Sequence[str] = (),
    *,
    shifts: Sequence[bool] = (),
) -> Floor:
    """Open a hand with the given cards for each seat, and *then* on top of the pile."""
    order = turn_order(floor)
    top = [hands[seat][turn] for turn in range(2) for seat in order]
    floor.open_stacked([*top, *then], shifts=shifts)
    assert floor.table.hand is not None and floor.table.hand.order == order
    return floor


def turn_order(floor: Floor) -> tuple[int, ...]:
    """Return the seats clockwise from the left of the button of the next hand."""
    least = floor.ruleset.least_stack(floor.table.least_amounts())
    seats = [place.seat for place in floor.table.places if place.stack >= least]
    if floor.table.button == 0:
        return (*seats[1:], seats[0])
    after = [seat for seat in seats if seat > floor.table.button]
    button = (after or seats)[0]
    return (
        *(seat for seat in seats if seat > button),
        *(seat for seat in seats if seat <= button),
    )


def happened(floor: Floor, kind: type[Kind]) -> list[Kind]:
    return [event for event in floor.events if isinstance(event, kind)]


def turn_seat(floor: Floor) -> int:
    assert floor.table.decision is not None
    return floor.table.decision.seats[0]


def called(floor: Floor, *, to: int = 0) -> Floor:
    """Let the first seat call the hand and bet *to*. Everybody calls the bet."""
    floor.call_hand(turn_seat(floor))
    if to:
        floor.act(turn_seat(floor), "raise_to", to)
    while not floor.table.idle:
        legal = {action.verb for action in floor.view(turn_seat(floor)).legal}
        floor.act(turn_seat(floor), "check" if "check" in legal else "call")
    return floor


def with_sabacc_pot(floor: Floor, chips: int) -> Floor:
    floor.do(SeatArrivals(arrivals=(), sabacc_pot=chips, now=floor.now))
    return floor


def refused(floor: Floor, error: type[CommandRejected], what: Any, rule: str | None = None) -> None:
    before = floor.state
    with pytest.raises(error) as refusal:
        what()
    assert floor.state is before
    assert rule is None or refusal.value.rule == rule
