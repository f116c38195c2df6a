"""
The movement of the button and the blinds.

A table uses this module to open its hands. A tournament uses it to find the next positions
before it moves anybody, so both always agree.

Source: rulebook ``button`` and ``newcomers``.
"""

from bisect import bisect
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Literal, NamedTuple

import msgspec

DEALT_MIN = 2


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """The positions of the last hand, and the rules by which they move."""

    button: Literal["moving", "dead", "starter"]
    headsup: Literal["literal", "dealer_small_blind"]
    blinds: bool
    """True if the game has blinds."""

    marker: int
    """The seat that moves on: the button, or with ``starter`` the seat that acted first."""

    small_blind: int | None = None
    """The seats of the last blinds. They may be empty now."""
    big_blind: int | None = None
    dealers: tuple[int, ...] = ()
    """The only seats the button goes to, if one of them can be dealt in. Empty for all seats."""


class HandPositions(NamedTuple):
    """The seats of one hand. The blinds and a dead button may be empty seats."""

    marker: int
    small_blind: int | None
    big_blind: int | None
    dealt: tuple[int, ...]
    """Seats dealt in, ascending."""


def clockwise(seats: Collection[int], after: int) -> tuple[int, ...]:
    """
    Return *seats* in clockwise order, starting with the first one left of *after*.

    Args:
        seats: In any order.
        after: A seat, occupied or not.

    Source: rulebook ``words.seat``.

    >>> clockwise((1, 3, 4), 3)
    (4, 1, 3)
    """
    ordered = sorted(seats)
    left = bisect(ordered, after)
    return (*ordered[left:], *ordered[:left])


def button_of(positions: HandPositions, marks: Marks) -> int:
    """Return the dealer's seat. With ``starter`` this is the seat that acts last."""
    if marks.button != "starter":
        return positions.marker
    # The starter is the last of the dealt seats clockwise from its left, so the dealer is before
    # it.
    return clockwise(positions.dealt, positions.marker)[-2]


def first_positions(marks: Marks, dealt: tuple[int, ...]) -> HandPositions:
    """Return the seats of a hand with a known marker, either drawn or already moved."""
    marker = marks.marker
    if not marks.blinds:
        return HandPositions(marker, None, None, dealt)
    order = clockwise(dealt, marker)
    if len(dealt) == DEALT_MIN and marks.headsup == "dealer_small_blind":
        return HandPositions(marker, order[1], order[0], dealt)
    return HandPositions(marker, order[0], order[1], dealt)


def next_positions(
    marks: Marks, eligible: tuple[int, ...], arrived: Collection[int]
) -> HandPositions:
    """
    Return the seats of the hand after the one that left *marks*.

    Args:
        eligible: Two or more seats that can be dealt in, ascending.
        arrived: Seats of newcomers, who have not been dealt in at this table yet.
    """
    if marks.button == "dead" and marks.small_blind and marks.big_blind:
        return _dead_button(marks, eligible, marks.small_blind, marks.big_blind, arrived)
    regular = _regular(eligible, arrived)
    # If everybody deals once, late seats never deal, so they add no hands.
    dealers = tuple([seat for seat in marks.dealers if seat in eligible]) or regular
    marker = clockwise(dealers, marks.marker)[0]
    moved = msgspec.structs.replace(marks, marker=marker)
    if not marks.blinds or regular == eligible:
        return first_positions(moved, eligible)
    # Newcomers between the button and the small blind wait (rulebook ``newcomers``).
    order = clockwise(eligible, marker)
    dealt = order[order.index(clockwise(regular, marker)[0]) :]
    return first_positions(moved, tuple(sorted(dealt)))


def to_come(
    marks: Marks, eligible: Collection[int], arrived: Collection[int]
) -> Iterator[HandPositions]:
    """Yield the seats of the next hands without end, as if nobody came, left or busted."""
    seats, new = tuple(sorted(eligible)), set(arrived)
    while True:
        positions = next_positions(marks, seats, new)
        yield positions
        new -= set(positions.dealt)
        marks = msgspec.structs.replace(
            marks,
            marker=positions.marker,
            small_blind=positions.small_blind,
            big_blind=positions.big_blind,
            dealers=tuple(seat for seat in marks.dealers if seat != positions.marker),
        )


def turns(marks: Marks, eligible: Collection[int], arrived: Collection[int]) -> dict[int, int]:
    """
    Return each seat's number of hands until it posts the big blind.

    In a game without blinds, this is the number of hands until it deals. 1 means the next hand.
    Seats that are not reached within two orbits are left out.

    >>> marks = Marks(button="dead", headsup="literal", blinds=True, marker=1, small_blind=2,
    ...               big_blind=3)
    >>> turns(marks, (1, 2, 4, 5), ())  # the big blind busted
    {4: 1, 5: 2, 1: 3, 2: 4}
    """
    if len(eligible) < DEALT_MIN:
        return {}
    found: dict[int, int] = {}
    hands = islice(to_come(marks, eligible, arrived), 2 * len(eligible) + 2)
    for number, positions in enumerate(hands, start=1):
        seat = positions.big_blind if marks.blinds else button_of(positions, marks)
        if seat is not None:
            found.setdefault(seat, number)
        if len(found) == len(eligible):
            break
    return found


def _regular(eligible: tuple[int, ...], arrived: Collection[int]) -> tuple[int, ...]:
    """Return the seats the button may go to. Newcomers are left out if two others are there."""
    if not arrived:
        return eligible
    regular = tuple(seat for seat in eligible if seat not in arrived)
    return regular if len(regular) >= DEALT_MIN else eligible


def _dead_button(
    marks: Marks, eligible: tuple[int, ...], small: int, big: int, arrived: Collection[int]
) -> HandPositions:
    """
    Return the seats of the next hand under the dead button: the big blind always moves on.

    The last big blind's seat becomes the small blind, and the last small blind's seat gets the
    button. Either seat may be empty.

    Source: rulebook ``button.dead``.
    """
    next_big = clockwise(eligible, big)[0]
    if len(eligible) == DEALT_MIN:
        other = clockwise(eligible, next_big)[0]
        dealer = other if marks.headsup == "dealer_small_blind" else next_big
        return HandPositions(dealer, other, next_big, eligible)
    button = small
    if small == next_big or marks.marker == small:
        # After heads-up play the dealer had a blind too. The seat before the blinds gets the
        # button.
        button = clockwise(tuple(seat for seat in eligible if seat != big), big)[-1]
    between = clockwise({*eligible, big}, button)
    waiting = set(arrived).intersection(between[: between.index(big)])
    dealt = tuple(seat for seat in eligible if seat not in waiting)
    return HandPositions(button, big, next_big, dealt if len(dealt) >= DEALT_MIN else eligible)
