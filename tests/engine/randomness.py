"""Statistics of draws: how far counts lie from what they should be, in standard deviations."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import count, islice, pairwise
from math import comb, factorial, sqrt
from typing import Any

from engine.cards import VALUES
from engine.rng import Stream

SUITS = ("circle", "triangle", "square")
Shuffle = Callable[[Stream, Sequence[Any]], Sequence[Any]]


def streams(name: str) -> Iterable[Stream]:
    """Yield streams as a tournament has them, one for each hand; the same in every run."""
    for number in count(1):
        yield Stream(sha256(f"{name}/{number}".encode()).digest(), "pile")


def fair(stream: Stream, items: Sequence[Any]) -> Sequence[Any]:
    return stream.shuffled(items)


def naive(stream: Stream, items: Sequence[Any]) -> Sequence[Any]:
    """Swap every card with any card: n to the n ways for n! orders."""
    order = list(items)
    for index in range(len(order)):
        other = stream.below(len(order))
        order[index], order[other] = order[other], order[index]
    return order


def cyclic(stream: Stream, items: Sequence[Any]) -> Sequence[Any]:
    """Draw one too low: no card may stay where it was."""
    order = list(items)
    for index in range(len(order) - 1, 0, -1):
        other = stream.below(index)
        order[index], order[other] = order[other], order[index]
    return order


def by_remainder(stream: Stream, items: Sequence[Any]) -> Sequence[Any]:
    """Take a byte modulo k and reject nothing: low numbers come more often."""
    order, drawn = list(items), b"".join(islice(stream.blocks(), 3))
    for index in range(len(order) - 1, 0, -1):
        other = drawn[index] % (index + 1)
        order[index], order[other] = order[other], order[index]
    return order


def lazy(stream: Stream, items: Sequence[Any]) -> Sequence[Any]:
    """Stop one swap short: the first two cards keep their order."""
    order = list(items)
    for index in range(len(order) - 1, 1, -1):
        other = stream.below(index + 1)
        order[index], order[other] = order[other], order[index]
    return order


def deviation(statistic: float, freedom: int) -> float:
    """Return a chi-square statistic as a standard normal one (Wilson and Hilferty)."""
    spread = 2 / (9 * freedom)
    return float(((statistic / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread))


def chi_square(observed: Mapping[Any, int], expected: Mapping[Any, float]) -> float:
    """Return how far *observed* counts lie from *expected* ones, which have the same sum."""
    statistic = sum((observed.get(key, 0) - due) ** 2 / due for key, due in expected.items())
    return deviation(statistic, len(expected) - 1)


def orders(shuffle: Shuffle, size: int, times: int) -> float:
    """Count every order of a small deck."""
    drawn = Counter(
        tuple(shuffle(stream, range(size))) for stream in islice(streams(f"orders/{size}"), times)
    )
    statistic = sum(each**2 for each in drawn.values()) * factorial(size) / times - times
    return deviation(statistic, factorial(size) - 1)


def places(shuffle: Shuffle, cards: Sequence[str], decks: int) -> float:
    """
    Count every card at every position.

    In each deck a card lies in one place only, so the statistic comes out n/(n - 1) too
    large; rows and columns have fixed sums, which leaves (n - 1)² degrees of freedom.
    """
    size = len(cards)
    table = [[0] * size for _ in cards]
    number = {card: index for index, card in enumerate(cards)}
    for stream in islice(streams("places"), decks):
        for row, card in zip(table, shuffle(stream, cards), strict=True):
            row[number[card]] += 1
    due = decks / size
    statistic = sum((each - due) ** 2 / due for row in table for each in row)
    return deviation(statistic * (size - 1) / size, (size - 1) ** 2)


def neighbours(shuffle: Shuffle, size: int, times: int) -> float:
    """
    Count the cards that are followed by the same card as in a new deck.

    C(n-1, k) (D(n-k) + D(n-k-1)) of the n! orders have k of them; D counts derangements.
    """
    found: Counter[int] = Counter()
    for stream in islice(streams("neighbours"), times):
        order = shuffle(stream, range(size))
        found[min(4, sum(b == a + 1 for a, b in pairwise(order)))] += 1
    deranged = [1, 0]
    while len(deranged) <= size:
        deranged.append((len(deranged) - 1) * (deranged[-1] + deranged[-2]))
    ways = [comb(size - 1, k) * (deranged[size - k] + deranged[size - k - 1]) for k in range(4)]
    expected = {k: times * each / factorial(size) for k, each in enumerate(ways)}
    expected[4] = times - sum(expected.values())
    return chi_square(found, expected)


def hands(shuffle: Shuffle, cards: Sequence[str], dealt: int, times: int) -> float:
    """Count the cards of one suit among the first *dealt*, against the exact counts."""
    suited = sum(card[0] == cards[0][0] for card in cards)
    found: Counter[int] = Counter()
    for stream in islice(streams(f"hands/{dealt}"), times):
        found[sum(card[0] == cards[0][0] for card in shuffle(stream, cards)[:dealt])] += 1
    ways = comb(len(cards), dealt)
    expected = {
        k: times * comb(suited, k) * comb(len(cards) - suited, dealt - k) / ways
        for k in range(dealt + 1)
    }
    return chi_square(found, expected)


def totals(shuffle: Shuffle, cards: Sequence[str], dealt: int, times: int) -> float:
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
    found = Counter(
        _class_of(sum(VALUES[card] for card in shuffle(stream, cards)[:dealt]))
        for stream in islice(streams(f"totals/{dealt}"), times)
    )
    every = comb(len(cards), dealt)
    assert sum(due.values()) == every
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
