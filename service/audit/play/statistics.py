"""
Statistics of draws: how far counts lie from what they should be, in standard deviations.

What laboratories ask of a generator, over whatever was drawn: by fresh seeds at night, by
fixed ones in tests, or the decks that a league has really dealt.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import comb, erfc, factorial, sqrt
from typing import TypeVar

from engine.kit.cards import VALUES

Key = TypeVar("Key")

ALARM = 1e-6
"""A fair generator comes below this p-value once in a million statistics."""


_COMMON = 20
"""An approximation by the normal distribution holds for what should come so often."""


def p_value(deviation: float) -> float:
    """Return how often a fair generator deviates so far or farther, to either side."""
    return erfc(abs(deviation) / sqrt(2))


def deviation(statistic: float, freedom: int) -> float:
    """Return a chi-square statistic as a standard normal one (Wilson and Hilferty)."""
    spread = 2 / (9 * freedom)
    return float(((statistic / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread))


def chi_square(observed: Mapping[Key, int], expected: Mapping[Key, float]) -> float:
    """Return how far *observed* counts lie from *expected* ones, which have the same sum."""
    statistic = sum((observed.get(key, 0) - due) ** 2 / due for key, due in expected.items())
    return deviation(statistic, len(expected) - 1)


def orders(drawn: Iterable[Sequence[int]], size: int) -> float:
    """Count every order of a small deck."""
    found = Counter(map(tuple, drawn))
    times = found.total()
    statistic = sum(each**2 for each in found.values()) * factorial(size) / times - times
    return deviation(statistic, factorial(size) - 1)


def places(counts: Sequence[int], size: int) -> float:
    """
    Compare how often every card lay at every position.

    In each deck a card lies in one place only, so the statistic comes out n/(n - 1) too
    large; rows and columns have fixed sums, which leaves (n - 1)² degrees of freedom.

    Args:
        counts: *size* numbers for each position, one for each card.
    """
    due = sum(counts) / size**2
    statistic = sum((each - due) ** 2 / due for each in counts)
    return deviation(statistic * (size - 1) / size, (size - 1) ** 2)


def counted(decks: Iterable[Sequence[str]], cards: Sequence[str]) -> list[int]:
    """Count how often every one of *cards* lies at every position of *decks*."""
    size, number = len(cards), {card: index for index, card in enumerate(cards)}
    counts = [0] * size**2
    for deck in decks:
        for position, card in enumerate(deck):
            counts[position * size + number[card]] += 1
    return counts


def neighbours(drawn: Iterable[Sequence[int]], size: int) -> float:
    """
    Count the cards that are followed by the same card as in a new deck.

    C(n-1, k) (D(n-k) + D(n-k-1)) of the n! orders have k of them; D counts derangements.
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
    Count the cards of one suit among the first *dealt*, against the exact counts.

    What should come less than twenty times is counted with its neighbour: a rare hand that
    came thrice is no wonder.
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
    Count hands of *dealt* cards by class, how far their total lies from zero.

    Against the exact counts: of every sum, how many hands of so many cards have it.
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
    """Pure sabacc by itself, then by fives; what is farther than 20 together."""
    return min((abs(total) + 4) // 5, 5)


def runs(values: Sequence[float], middle: float) -> float:
    """Count runs above and below *middle* (Wald and Wolfowitz)."""
    high = [value > middle for value in values]
    above, total = sum(high), len(high)
    below = total - above
    found = 1 + sum(a != b for a, b in pairwise(high))
    due = 1 + 2 * above * below / total
    return float((found - due) / sqrt((due - 1) * (due - 2) / (total - 1)))


def serial(values: Sequence[float]) -> float:
    """Return the correlation of each value with the next, times the root of their number."""
    mean = sum(values) / len(values)
    spread = sum((value - mean) ** 2 for value in values)
    pairs = pairwise(values)
    return sum((a - mean) * (b - mean) for a, b in pairs) / spread * sqrt(len(values))


def gaps(draws: Sequence[int], below: int) -> float:
    """Count how long each number stays away after it came: geometric, ten and more in one."""
    last: dict[int, int] = {}
    found: Counter[int] = Counter()
    for index, drawn in enumerate(draws):
        if drawn in last:
            found[min(10, index - last[drawn] - 1)] += 1
        last[drawn] = index
    total, stay = sum(found.values()), 1 - 1 / below
    expected = {k: total * stay**k / below for k in range(10)} | {10: total * stay**10}
    return chi_square(found, expected)
