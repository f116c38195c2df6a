"""
Who sits where: the draw, and the seats that movers leave and take.

A seat is worse the sooner it must post; the worst legal one is the next big
blind, and nobody is put between the button and the small blind.

Source: TDA rules 10 and 11 (breaking and balancing tables); rulebook 2.5.
"""

from collections.abc import Collection, Sequence
from typing import Literal

from engine.rng import derive_seed, openings_digest, shuffle
from engine.tournament.state import Seated
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


def draw_order(
    entrants: Sequence[EntrantId], *, masters: Masters, number: int, label: str
) -> tuple[EntrantId, ...]:
    """
    Return *entrants* in the order of random draw *number* of the tournament.

    Anyone can repeat it once the master ``open`` has been published: the seed is
    use ``draws``, table 0, hand *number*, deal 1.
    """
    seed = derive_seed(bytes.fromhex(masters.open), "draws", DRAW_TABLE, number, 1)
    return shuffle(entrants, seed=seed, label=label, digest=openings_digest(()))


def draw_seats(
    entrants: Sequence[EntrantId],
    *,
    tables: Sequence[TableId],
    stack: Chips,
    masters: Masters,
    number: int,
    label: Literal["seats", "final"] = "seats",
    first: int = 1,
) -> tuple[Draw, tuple[SeatAssignment, ...]]:
    """
    Return the first seats of everyone, dealt round the tables like cards.

    Args:
        first: Number of the first of *tables*; the others follow.
    """
    order = draw_order(entrants, masters=masters, number=number, label=label)
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


def targets(sizes: Sequence[int]) -> tuple[int, ...]:
    """
    Return how many should sit at each table, in the order of *sizes*.

    As even as possible; the tables listed first keep the ones left over.

    >>> targets([10, 10, 2])
    (8, 7, 7)
    """
    base, left_over = divmod(sum(sizes), len(sizes))
    return tuple(base + (index < left_over) for index in range(len(sizes)))
