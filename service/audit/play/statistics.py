"""
Statistics of draws: the distance of counts from their expected values, in standard deviations.

They are the usual tests of a generator. They apply to any draws: from fresh seeds at
night, from fixed seeds in tests, or from the decks that a league has dealt.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import comb, erfc, factorial, sqrt
from typing import TypeVar

from engine.kit.cards import VALUES

Key = TypeVar("Key")

ALARM = 1e-6
"""One in a million statistics of a fair generator has a lower p-value."""


_COMMON = 20
"""The normal approximation is good enough for counts expected at least this often."""


def p_value(deviation: float) -> float:
    """Return the probability that a fair generator deviates this far or farther, to either side."""
    return erfc(abs(deviation) / sqrt(2))


def deviation(statistic: float, freedom: int) -> float:
    """Return a chi-square statistic as a standard normal one (Wilson and Hilferty)."""
    spread = 2 / (9 * freedom)
    return float(((statistic / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread))


def chi_square(observed: Mapping[Key, int], expected: Mapping[Key, float]) -> float:
    """Return the deviation of *observed* from *expected* counts, which must have the same sum."""
    statistic = sum((observed.get(key, 0) - due) ** 2 / due for key, due in expected.items())
    return deviation(statistic, len(expected) - 1)


def orders(drawn: Iterable[Sequence[int]], size: int) -> float:
    """Return the deviation of the counts of every order of a small deck."""
    found = Counter(map(tuple, drawn))
    times = found.total()
    statistic = sum(each**2 for each in found.values()) * factorial(size) / times - times
    return deviation(statistic, factorial(size) - 1)


def places(counts: Sequence[int], size: int) -> float:
    """
    Return the deviation of the counts of every card at every position.

    In each deck a card is in only one place, so the statistic is n/(n - 1) too large. Rows
    and columns have fixed sums, which leaves (n - 1)² degrees of freedom.

    Args:
        counts: *size* numbers for each position, one for each card.
    """
    due = sum(counts) / size**2
    statistic = sum((each - due) ** 2 / due for each in counts)
    return deviation(statistic * (size - 1) / size, (size - 1) ** 2)


def counted(decks: Iterable[Sequence[str]], cards: Sequence[str]) -> list[int]:
    """Return the count of every card in *cards* at every position of *decks*."""
    size, number = len(cards), {card: index for index, card in enumerate(cards)}
    counts = [0] * size**2
    for deck in decks:
        for position, card in enumerate(deck):
            counts[position * size + number[card]] += 1
    return counts


def neighbours(drawn: Iterable[Sequence[int]], size: int) -> float:
    """
    Return the deviation of the number of cards followed by the same card as in a new deck.

    C(n-1, k) (D(n-k) + D(n-k-1)) of the n! orders have k of them. D counts derangements.
    """
    found = Counter(min(4, sum(b == a + 1 for a, b in pairwise(order))) for order in drawn)
    times = found.total()
    deranged = [1, 0]
    while len(deranged) <= size:
        deranged.append((len(deranged) - 1) * (deranged[-1] + deranged[-2]))
    ways = [comb(size - 1, k) * (deranged[size - k] + deranged[size - k - 1]) for k in range(4)]
    expected = {k: times * each / factorial(size) for k, each in enumerate(ways)}
    expected[4] = times - sum(expected.values())
    return chi_square(found, expected)


def hands(decks: Iterable[Sequence[str]], cards: Sequence[str], dealt: int) -> float:
    """
    Return the deviation of the cards of one suit among the first *dealt*.

    The expected counts are exact. Classes expected less than twenty times are merged with a
    neighbour, because three hands of a rare class prove nothing.
    """
    suited = sum(card[0] == cards[0][0] for card in cards)
    found = Counter(sum(card[0] == cards[0][0] for card in deck[:dealt]) for deck in decks)
    times, ways = found.total(), comb(len(cards), dealt)
    expected = {
        k: times * comb(suited, k) * comb(len(cards) - suited, dealt - k) / ways
        for k in range(dealt + 1)
    }
    while min(expected.values()) < _COMMON and len(expected) > 2:
        rare = min(expected, key=expected.__getitem__)
        other = rare - 1 if rare - 1 in expected else rare + 1
        expected[other] += expected.pop(rare)
        found[other] += found.pop(rare, 0)
    return chi_square(found, expected)


def totals(decks: Iterable[Sequence[str]], cards: Sequence[str], dealt: int) -> float:
    """
    Return the deviation of the dealt hands, counted by the distance of their total from zero.

    The expected counts are exact: the number of hands of *dealt* cards with each total.
    """
    ways: list[Counter[int]] = [Counter({0: 1}), *(Counter() for _ in range(dealt))]
    for card in cards:
        for taken in range(dealt, 0, -1):
            for total, known in ways[taken - 1].items():
                ways[taken][total + VALUES[card]] += known
    due: Counter[int] = Counter()
    for total, known in ways[dealt].items():
        due[_class_of(total)] += known
    found = Counter(_class_of(sum(VALUES[card] for card in deck[:dealt])) for deck in decks)
    times, every = found.total(), comb(len(cards), dealt)
    return chi_square(found, {each: times * known / every for each, known in due.items()})


def _class_of(total: int) -> int:
    """Return the class of a total: 0 for pure Sabacc, then steps of five, then all beyond 20."""
    return min((abs(total) + 4) // 5, 5)


def runs(values: Sequence[float], middle: float) -> float:
    """Return the deviation of the number of runs above and below *middle* (Wald and Wolfowitz)."""
    high = [value > middle for value in values]
    above, total = sum(high), len(high)
    below = total - above
    found = 1 + sum(a != b for a, b in pairwise(high))
    due = 1 + 2 * above * below / total
    return float((found - due) / sqrt((due - 1) * (due - 2) / (total - 1)))


def serial(values: Sequence[float]) -> float:
    """Return the correlation of each value with the next, times the square root of their number."""
    mean = sum(values) / len(values)
    spread = sum((value - mean) ** 2 for value in values)
    pairs = pairwise(values)
    return sum((a - mean) * (b - mean) for a, b in pairs) / spread * sqrt(len(values))


def gaps(draws: Sequence[int], below: int) -> float:
    """Return the deviation of the gaps between equal numbers. Gaps of ten or more are one class."""
    last: dict[int, int] = {}
    found: Counter[int] = Counter()
    for index, drawn in enumerate(draws):
        if drawn in last:
            found[min(10, index - last[drawn] - 1)] += 1
        last[drawn] = index
    total, stay = sum(found.values()), 1 - 1 / below
    expected = {k: total * stay**k / below for k in range(10)} | {10: total * stay**10}
    return chi_square(found, expected)
