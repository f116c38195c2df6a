"""
Who sits where: the draw, and the seats that movers leave and take.

A seat is worse the sooner it must post; the worst legal one is the next big
blind, and nobody is put between the button and the small blind.

Source: TDA rules 10 and 11 (breaking and balancing tables); rulebook ``seating``.
"""

from collections.abc import Collection, Sequence
from typing import Literal

from engine.hidden import unsealed
from engine.rng import derive_seed, shuffle
from engine.tournament.entering.values import SeatPlace
from engine.tournament.state import Seated
from engine.tournament.terms.announced import Terms
from engine.tournament.values import Candidate, Draw, Masters, SeatAssignment
from engine.values import Chips, EntrantId, Seat, TableId

DRAW_TABLE = 0
"""The table number that the tournament's own draws are derived for."""


def tables_needed(entrants: int, *, table_seats: int) -> int:
    """
    Return the fewest tables that seat everyone; one for nobody.

    >>> tables_needed(9, table_seats=8), tables_needed(8, table_seats=8)
    (2, 1)
    """
    return max(1, -(-entrants // table_seats))


def tables_for(terms: Terms, entrants: int) -> int:
    """Return how many tables *entrants* play at; one only for so many as the final table takes."""
    needed = tables_needed(entrants, table_seats=terms.table_seats)
    final = terms.floor.final_table_size
    if final is None or entrants > max(final, terms.table_seats):
        return needed
    return 1 if entrants <= final else max(2, needed)


def seats_at(terms: Terms, *, tables: int) -> int:
    """Return how many seats each of *tables* has: the final table may have more."""
    if tables > 1 or terms.floor.final_table_size is None:
        return terms.table_seats
    return max(terms.table_seats, terms.floor.final_table_size)


def free_seats(terms: Terms, occupied: Collection[Seat], *, tables: int) -> tuple[Seat, ...]:
    """Return the seats of one of *tables* that nobody sits in, ascending."""
    seats = range(1, seats_at(terms, tables=tables) + 1)
    return tuple(Seat(seat) for seat in seats if seat not in occupied)


def draw_order(
    entrants: Sequence[EntrantId], *, masters: Masters, number: int, label: str, digest: bytes
) -> tuple[EntrantId, ...]:
    """
    Return *entrants* in the order of random draw *number* of the tournament.

    Anyone can repeat it once the master ``open`` has been published: the seed is
    use ``draws``, table 0, hand *number*, deal 1; *digest* is of the entrants' commitments.
    """
    seed = derive_seed(unsealed(masters.open), "draws", DRAW_TABLE, number, 1)
    return shuffle(entrants, seed=seed, label=label, digest=digest)


def drawn_seat(
    places: Sequence[SeatPlace], *, masters: Masters, number: int, digest: bytes
) -> SeatPlace:
    """Return which of the free *places* random draw *number* of the tournament gives."""
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
    Return the first seats of everyone, dealt round the tables like cards.

    Args:
        digest: Of the entrants' commitments.
        first: Number of the first of *tables*; the others follow.
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


def by_next_big_blind(seats: Sequence[Seated], *, button: Seat | None) -> tuple[Candidate, ...]:
    """
    Return who would leave a table, the next big blind first.

    Args:
        seats: The occupied seats.
        button: Of the last hand; None before the first, when seat order decides.

    >>> names = "abcd"
    >>> seats = [Seated(entrant=EntrantId(n), seat=Seat(i + 1)) for i, n in enumerate(names)]
    >>> "".join(each.entrant for each in by_next_big_blind(seats, button=Seat(1)))
    'dabc'
    """
    if button is None:
        ascending = sorted(seats, key=lambda each: each.seat)
        return tuple(Candidate(entrant=each.entrant, seat=each.seat) for each in ascending)
    # Of the last hand: small blind, big blind, ..., button.  The next big blind is the third.
    clockwise = sorted(seats, key=lambda each: (each.seat <= button, each.seat))
    shift = 2 % len(clockwise) if clockwise else 0
    order = clockwise[shift:] + clockwise[:shift]
    return tuple(
        Candidate(entrant=each.entrant, seat=each.seat, hands_to_big_blind=index)
        for index, each in enumerate(order, start=1)
    )


def worst_seat(occupied: Collection[Seat], *, button: Seat | None, seat_count: int) -> Seat | None:
    """
    Return the worst legal free seat for a newcomer, or None at a full table.

    That is the first free seat after the next small blind.  Seats between the
    next button and the next small blind come last: they are taken only if no
    other is free.  Before a first hand the lowest free seat is as good as any.

    >>> worst_seat([1, 2, 4, 6, 8], button=Seat(1), seat_count=9)
    5
    """
    free = [Seat(seat) for seat in range(1, seat_count + 1) if seat not in occupied]
    if not free:
        return None
    if button is None or not occupied:
        return free[0]
    clockwise = sorted(occupied, key=lambda seat: (seat <= button, seat))
    small_blind = clockwise[1 % len(clockwise)]
    return min(free, key=lambda seat: (seat <= small_blind, seat))


def targets(sizes: Sequence[int], *, tolerance: int = 1) -> tuple[int, ...]:
    """
    Return how many should sit at each table, in the order of *sizes*.

    With the fewest moves after which no two tables lie further apart than *tolerance*;
    of equally full ones those listed first keep their players, of equally empty ones
    they get some.

    >>> targets([10, 10, 2]), targets([9, 6, 6], tolerance=2)
    ((8, 7, 7), (8, 7, 6))
    """
    wanted = list(sizes)
    while max(wanted) - min(wanted) > tolerance:
        giver = len(wanted) - 1 - wanted[::-1].index(max(wanted))
        wanted[giver] -= 1
        wanted[wanted.index(min(wanted))] += 1
    return tuple(wanted)
