"""
The seat draw, and the order of free seats from worst to best for a mover.

A seat is worse the sooner it must post. The worst legal seat is the next big blind.

Source: TDA rules 10 and 11 (breaking and balancing tables), rulebook ``seating``.
"""

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from engine.hand.positions import Marks, clockwise, next_positions, turns
from engine.kit.hidden import unsealed
from engine.kit.rng import derive_seed, shuffle
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.values import Draw, Masters, SeatAssignment
from engine.tournament.model.values.entering import SeatPlace
from engine.values import Chips, EntrantId, Seat, TableId

DRAW_TABLE = 0
"""The table number that stands for the tournament itself in the seeds of its draws."""


def tables_needed(entrants: int, *, table_seats: int) -> int:
    """
    Return the fewest tables that seat everyone, or 1 without entrants.

    >>> tables_needed(9, table_seats=8), tables_needed(8, table_seats=8)
    (2, 1)
    """
    return max(1, -(-entrants // table_seats))


def tables_with_final(entrants: int, *, table_seats: int, final_table_size: int | None) -> int:
    """
    Return the number of tables for *entrants*. It is 1 once they all fit at the final table.

    >>> [tables_with_final(6, table_seats=6, final_table_size=size) for size in (4, None)]
    [2, 1]
    >>> tables_with_final(7, table_seats=6, final_table_size=7)
    1

    Source: rulebook ``seating.final_table``.
    """
    needed = tables_needed(entrants, table_seats=table_seats)
    if final_table_size is None:
        return needed
    return 1 if entrants <= final_table_size else max(2, needed)


def tables_for(terms: Terms, entrants: int) -> int:
    """Return the number of tables for *entrants* outside of scheduled rounds."""
    return tables_with_final(
        entrants, table_seats=terms.table_seats, final_table_size=terms.floor.final_table_size
    )


def tables_due(terms: Terms, entrants: int, *, all_live: bool) -> int:
    """
    Return the number of tables for *entrants* who still have hands to play.

    Args:
        all_live: True if every open table has hands to play. If not, the last table with hands to
            play is not the final table, and has no more seats than others.
    """
    due = tables_for(terms, entrants)
    return due if all_live else max(due, tables_needed(entrants, table_seats=terms.table_seats))


def seats_at(terms: Terms, *, tables: int) -> int:
    """Return the number of seats at each of *tables*. The final table may have more."""
    if tables > 1 or terms.floor.final_table_size is None:
        return terms.table_seats
    return max(terms.table_seats, terms.floor.final_table_size)


def free_seats(terms: Terms, occupied: Collection[Seat], *, tables: int) -> tuple[Seat, ...]:
    """Return the free seats of one of *tables*, ascending."""
    seats = range(1, seats_at(terms, tables=tables) + 1)
    return tuple(Seat(seat) for seat in seats if seat not in occupied)


def draw_order(
    entrants: Sequence[EntrantId], *, masters: Masters, number: int, label: str, digest: bytes
) -> tuple[EntrantId, ...]:
    """
    Return *entrants* in the order of random draw *number* of the tournament.

    Anyone can repeat the draw once the master ``open`` has been published. Its seed has the use
    ``draws``, table 0, hand *number*, deal 1. *digest* comes from the entrants' commitments.
    """
    seed = derive_seed(unsealed(masters.open), "draws", DRAW_TABLE, number, 1)
    return shuffle(entrants, seed=seed, label=label, digest=digest)


def drawn_seat(
    places: Sequence[SeatPlace], *, masters: Masters, number: int, digest: bytes
) -> SeatPlace:
    """Return the seat that random draw *number* of the tournament takes from the free *places*."""
    seed = derive_seed(unsealed(masters.open), "draws", DRAW_TABLE, number, 1)
    return shuffle(places, seed=seed, label="seats", digest=digest)[0]


def draw_seats(
    entrants: Sequence[EntrantId],
    *,
    tables: Sequence[TableId],
    stack: Chips,
    masters: Masters,
    number: int,
    digest: bytes,
    label: Literal["seats", "final"] = "seats",
    first: int = 1,
) -> tuple[Draw, tuple[SeatAssignment, ...]]:
    """
    Return the draw and the first seats of everyone, dealt round the tables like cards.

    Args:
        digest: The digest of the entrants' commitments.
        first: The number of the first of *tables*. The others follow.
    """
    order = draw_order(entrants, masters=masters, number=number, label=label, digest=digest)
    assignments = tuple(
        SeatAssignment(
            entrant=entrant,
            table=tables[index % len(tables)],
            table_number=index % len(tables) + first,
            seat=Seat(index // len(tables) + 1),
            stack=stack,
        )
        for index, entrant in enumerate(order)
    )
    return Draw(number=number, label=label, order=order), assignments


class FreeSeat(NamedTuple):
    """A seat that a mover may take, and the newcomer's first hands there."""

    seat: Seat
    first: Literal["dealt_in", "waits", "small_blind"]
    """The newcomer's part in the first hand. The small blind is the last choice."""
    hands: int | None
    """
    Hands until the seat posts the big blind, or deals in a game without blinds, or None if unknown.
    """


_WORSE = {"dealt_in": 0, "waits": 1, "small_blind": 2}


def free_worst_first(
    marks: Marks | None,
    dealable: Collection[Seat],
    *,
    newcomers: Collection[Seat],
    occupied: Collection[Seat],
    seat_count: int,
) -> tuple[FreeSeat, ...]:
    """
    Return the free seats of a table for a newcomer, the worst legal one first.

    The worst seat posts the big blind soonest or, in a game without blinds, deals latest. Seats in
    which a newcomer would have to wait, or would begin in the small blind, come last. Before a
    first hand the lowest free seat comes first.

    Args:
        marks: The positions after the last hand, or None if the first dealer is not drawn yet.
        dealable: Occupied seats that can be dealt in.
        newcomers: Those of them that have not been dealt in yet.

    >>> marks = Marks(button="moving", headsup="literal", blinds=True, marker=1)
    >>> seats = [Seat(seat) for seat in (1, 2, 4, 6, 8)]
    >>> free = free_worst_first(
    ...     marks, seats, newcomers=(), occupied=seats, seat_count=9)
    >>> [(each.seat, each.hands) for each in free]
    [(5, 1), (7, 2), (9, 3), (3, 5)]
    """
    free = [Seat(seat) for seat in range(1, seat_count + 1) if seat not in occupied]
    if marks is None or not dealable:
        return tuple(FreeSeat(seat, "dealt_in", None) for seat in free)
    found = [_met(marks, {*dealable, seat}, {*newcomers, seat}, seat) for seat in free]
    near = {seat: place for place, seat in enumerate(clockwise(free, marks.marker))}

    def badness(each: FreeSeat) -> tuple[int, int, int]:
        return _WORSE[each.first], _soon(each.hands, blinds=marks.blinds), near[each.seat]

    return tuple(sorted(found, key=badness))


def _met(marks: Marks, seats: set[Seat], newcomers: set[Seat], seat: Seat) -> FreeSeat:
    """Return *seat* with the first hands of a newcomer there."""
    positions = next_positions(marks, tuple(sorted(seats)), newcomers)
    first: Literal["dealt_in", "waits", "small_blind"] = "dealt_in"
    if seat not in positions.dealt:
        first = "waits"
    elif seat == positions.small_blind:
        first = "small_blind"
    return FreeSeat(seat, first, turns(marks, seats, newcomers).get(seat))


def _soon(hands: int | None, *, blinds: bool) -> int:
    """Return a sort key for a turn in *hands* hands. A worse turn has a smaller key."""
    if hands is None:
        return _NEVER if blinds else -_NEVER
    return hands if blinds else -hands


_NEVER = 1_000


def positions_lost(before: int | None, after: int | None, *, blinds: bool) -> int:
    """
    Return by how many hands a mover posts the big blind sooner, or deals later without blinds.

    It is 0 if the move costs nothing, or if there is no button yet.

    >>> positions_lost(3, 1, blinds=True), positions_lost(1, 4, blinds=True)
    (2, 0)
    >>> positions_lost(3, 5, blinds=False)
    2
    """
    if before is None or after is None:
        return 0
    return max(0, before - after if blinds else after - before)


def uneven(sizes: Sequence[int], tolerance: int) -> bool:
    """Return whether two tables differ by more than *tolerance* players."""
    return max(sizes) - min(sizes) > tolerance


def targets(sizes: Sequence[int], *, tolerance: int = 1) -> tuple[int, ...]:
    """
    Return the target size of each table, in the order of *sizes*.

    The targets need the fewest moves after which no two tables differ by more than *tolerance*. Of
    equally full tables, those listed first keep their players. Of equally empty tables, those
    listed first get one.

    >>> targets([10, 10, 2]), targets([9, 6, 6], tolerance=2)
    ((8, 7, 7), (8, 7, 6))
    """
    wanted = list(sizes)
    while uneven(wanted, tolerance):
        giver = len(wanted) - 1 - wanted[::-1].index(max(wanted))
        wanted[giver] -= 1
        wanted[wanted.index(min(wanted))] += 1
    return tuple(wanted)
