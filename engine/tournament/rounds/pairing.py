"""
The pairing of a round: a function of the draw, the points and earlier meetings.

Finding out whether everybody can meet equally often is hard, so the result is not always the best.
It is recorded, it is always the same, and it shows how close it came.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import gcd
from typing import TypeVar

Who = TypeVar("Who")
Tables = list[list[int]]

SWAPS_MAX = 100_000
"""The most exchanges of two seats that are weighed for one round."""

STARTS_MAX = 40
"""The number of first tries from which a round of a round robin is improved."""


class Met:
    """The number of times that each two of *people* have sat at one table."""

    def __init__(self, people: int) -> None:
        self._times = [[0] * people for _ in range(people)]

    def add(self, tables: Iterable[Sequence[int]]) -> None:
        """Count the meetings of one round."""
        for table in tables:
            for one, other in combinations(table, 2):
                self._times[one][other] += 1
                self._times[other][one] += 1

    def row(self, one: int) -> list[int]:
        """Return the number of meetings of *one* with everybody."""
        return self._times[one]

    def with_all(self, one: int, others: Iterable[int]) -> int:
        """
        Return the weight of the meetings of *one* with *others*. A repeated meeting weighs more.
        """
        row = self._times[one]
        return sum(row[other] * (row[other] + 1) // 2 for other in others)

    def spread(self) -> tuple[int, int]:
        """Return the fewest and the most meetings of any two people."""
        size = len(self._times)
        times = [self._times[one][other] for one, other in combinations(range(size), 2)]
        return min(times, default=0), max(times, default=0)


def sizes(people: int, *, seats: int) -> list[int]:
    """
    Return the sizes of the fewest tables that seat all. No two sizes differ by more than one.

    >>> sizes(13, seats=4), sizes(4, seats=4)
    ([4, 3, 3, 3], [4])
    """
    count = max(1, -(-people // seats))
    base, left_over = divmod(people, count)
    return [base + (index < left_over) for index in range(count)]


def heats(order: Sequence[Who], *, seats: int) -> list[list[Who]]:
    """
    Return tables dealt from a drawn *order*, like cards.

    >>> heats("abcdefg", seats=4)
    [['a', 'c', 'e', 'g'], ['b', 'd', 'f']]

    Source: rulebook ``rounds.heats``.
    """
    count = len(sizes(len(order), seats=seats))
    return [list(order[index::count]) for index in range(count)]


def swiss(ranked: Sequence[int], met: Met, *, seats: int) -> Tables:
    """
    Return tables of neighbours in rank. Players who have met change places with the next table.

    Two players of neighbouring tables change places as long as this means fewer repeated
    meetings. The exchange that saves most is made first. If several save as many, the one between
    the nearest ranks is made.

    Args:
        ranked: The numbers of all players, the best first.
        met: The meetings in earlier rounds.

    Source: rulebook ``rounds.swiss``.
    """
    tables: Tables = []
    start = 0
    for size in sizes(len(ranked), seats=seats):
        tables.append(list(ranked[start : start + size]))
        start += size
    rank = {one: place for place, one in enumerate(ranked)}
    budget = SWAPS_MAX
    while budget > 0:
        best: tuple[int, int, int, int, int, int] | None = None
        for first in range(len(tables) - 1):
            for i, one in enumerate(tables[first]):
                for j, other in enumerate(tables[first + 1]):
                    budget -= 1
                    saved = _saved(met, tables, (first, i), (first + 1, j))
                    key = (-saved, rank[other] - rank[one], first, i, first + 1, j)
                    if saved > 0 and (best is None or key < best):
                        best = key
        if best is None:
            break
        _exchange(tables, best[2:4], best[4:6])
    return tables


def round_robin(order: Sequence[int], met: Met, *, seats: int) -> Tables:
    """
    Return tables at which people have met as little as the search finds.

    The search makes several orders from the drawn one. In each, everybody takes the seat with the
    fewest known faces, and then seats are exchanged while that helps. The best try counts.

    Args:
        order: The numbers of all players, as drawn.
        met: The meetings in earlier rounds.

    Source: rulebook ``rounds.round_robin``.
    """
    best: tuple[int, Tables] | None = None
    budget = SWAPS_MAX
    for start in _starts(order):
        tables, spent = _improved(_seated(start, met, seats=seats), met, budget)
        budget -= spent
        weight = sum(_weight(met, table) for table in tables)
        if best is None or weight < best[0]:
            best = (weight, tables)
        if weight == 0 or budget <= 0:
            break
    if best is None:
        return []
    return best[1]


def _starts(order: Sequence[int]) -> Iterable[list[int]]:
    """Yield *order*, and then the orders made by going round it in steps, from each place."""
    count = len(order)
    steps = [step for step in range(1, max(2, count)) if gcd(step, count) == 1]
    for number in range(STARTS_MAX):
        step = steps[number % len(steps)]
        yield [order[(number // len(steps) + step * index) % count] for index in range(count)]


def _seated(order: Sequence[int], met: Met, *, seats: int) -> Tables:
    room = sizes(len(order), seats=seats)
    tables: Tables = [[] for _ in room]
    for one in order:
        free = [index for index, table in enumerate(tables) if len(table) < room[index]]
        chosen = min(free, key=lambda index: (met.with_all(one, tables[index]), index))
        tables[chosen].append(one)
    return tables


def _improved(tables: Tables, met: Met, budget: int) -> tuple[Tables, int]:
    """Return *tables* after every exchange that helps, and the number of exchanges weighed."""
    spent = 0
    while spent < budget:
        best: tuple[int, int, int, int, int] | None = None
        for first, second in combinations(range(len(tables)), 2):
            for i in range(len(tables[first])):
                for j in range(len(tables[second])):
                    spent += 1
                    saved = _saved(met, tables, (first, i), (second, j))
                    if saved > 0 and (best is None or saved > best[0]):
                        best = (saved, first, i, second, j)
            if spent >= budget:
                break
        if best is None:
            break
        _exchange(tables, best[1:3], best[3:5])
    return tables, spent


def _saved(met: Met, tables: Tables, here: tuple[int, int], there: tuple[int, int]) -> int:
    """Return the weight of repeated meetings that an exchange of two seats saves."""
    (first, i), (second, j) = here, there
    one, other = tables[first][i], tables[second][j]
    mine = [each for each in tables[first] if each != one]
    theirs = [each for each in tables[second] if each != other]
    now = met.with_all(one, mine) + met.with_all(other, theirs)
    return now - met.with_all(one, theirs) - met.with_all(other, mine)


def _weight(met: Met, table: Sequence[int]) -> int:
    return sum(met.with_all(one, table[:index]) for index, one in enumerate(table))


def _exchange(tables: Tables, here: Sequence[int], there: Sequence[int]) -> None:
    (first, i), (second, j) = here, there
    tables[first][i], tables[second][j] = tables[second][j], tables[first][i]


def known_faces(met: Met, tables: Iterable[Sequence[int]]) -> int:
    """Return the number of pairs at *tables* that have met before."""
    return sum(met.row(one)[other] > 0 for table in tables for one, other in combinations(table, 2))


def numbered(people: Sequence[Who]) -> Mapping[Who, int]:
    """Return the number that stands for each of *people* in this module."""
    return {one: number for number, one in enumerate(people)}
