"""Tables, prepared decks and quiet rounds for tests of Corellian Spike."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from engine.rulesets import resolve
from engine.table.model import events
from engine.table.read.view_parts import RoundView
from tests.engine.table.tables import Floor

Kind = TypeVar("Kind")

EXPERIMENT = {"experimental": True}
FEES = {"swap_gain_cost": {"gain": 1, "swap": 1, "discard": 2}}
NOTHING_MUCH = {1: ("C+05", "T+04"), 2: ("S+06", "T+07"), 3: ("C+08", "T+09")}
"""Three hands that do not total zero. The first is the best, then the second."""
ZERO = {1: ("C+05", "T-05"), 2: ("S+06", "T+07"), 3: ("C+08", "T+09")}
"""Three hands, of which the first totals zero."""


def table(stacks: Sequence[int] = (100, 100, 100), **overrides: Any) -> Floor:
    """Return a table of Corellian Spike. Seat 1 starts its first hand."""
    return Floor(resolve("spike", overrides), stacks)


def opened(
    floor: Floor,
    hands: Mapping[int, Sequence[str]],
    then: Sequence[str] = ("S+10",),
    *,
    shifts: Sequence[bool] = (),
    whole: bool = True,
) -> Floor:
    """Open a hand with the given cards for each seat, and *then* on top of the pile."""
    order = turn_order(floor, tuple(hands))
    top = [hands[seat][turn] for turn in range(2) for seat in order]
    floor.open_stacked([*top, *then], shifts=shifts, whole=whole)
    assert floor.table.hand is not None and floor.table.hand.order == order
    return floor


def turn_order(floor: Floor, seats: tuple[int, ...]) -> tuple[int, ...]:
    """Return *seats* clockwise from the starter of the next hand."""
    before = floor.table.starter
    return (
        *sorted(seat for seat in seats if seat > before),
        *sorted(seat for seat in seats if seat <= before),
    )


def quiet(floor: Floor, until: str | None = None) -> Floor:
    """Let everybody stand and check until the phase is *until*, or the hand is over."""
    while (decision := floor.table.decision) is not None and decision.phase != until:
        quietly(floor)
    return floor


def quietly(floor: Floor) -> None:
    """Let the next seat stand or check."""
    assert floor.table.decision is not None
    seat = floor.table.decision.seats[0]
    if floor.table.decision.phase == "card":
        floor.turn(seat, "stand")
    else:
        legal = {action.verb for action in floor.view(seat).legal}
        floor.act(seat, "check" if "check" in legal else "call")


def next_round(floor: Floor) -> Floor:
    """Let everybody stand and check until the first card turn of the next card round."""
    now = rounds(floor).round
    while not floor.table.idle and rounds(floor).round == now:
        quietly(floor)
    return floor


def rounds(floor: Floor, seat: int = 1) -> RoundView:
    """Return the card rounds of the hand, as *seat* sees them."""
    view = floor.view(seat).rounds
    assert view is not None
    return view


def hand_of(floor: Floor, seat: int) -> tuple[str, ...]:
    """Return the cards of *seat*, as its owner sees them."""
    me = floor.view(seat).me
    assert me is not None
    return me.cards


def happened(floor: Floor, kind: type[Kind]) -> list[Kind]:
    """Return all events of *kind* at the table."""
    return [event for event in floor.events if isinstance(event, kind)]


def legal(floor: Floor, seat: int) -> list[tuple[str, str | None, int | None]]:
    """Return the legal actions of *seat*: verb, source and price."""
    return [(action.verb, action.source, action.amount) for action in floor.view(seat).legal]


def awards(floor: Floor) -> list[events.PotAwarded]:
    """Return the awards of all pots."""
    return happened(floor, events.PotAwarded)
