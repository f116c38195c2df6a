"""A fair shuffle, faulty shuffles, and statistics of their draws."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from itertools import count, islice
from typing import Any

from engine.kit.rng import RandomWords
from service.audit.play import statistics

SUITS = ("circle", "triangle", "square")
Shuffle = Callable[[RandomWords, Sequence[Any]], Sequence[Any]]


def streams(name: str) -> Iterable[RandomWords]:
    """Yield one stream for each hand, like a tournament. Every run yields the same streams."""
    for number in count(1):
        yield RandomWords(sha256(f"{name}/{number}".encode()).digest(), "pile")


def fair(stream: RandomWords, items: Sequence[Any]) -> Sequence[Any]:
    return stream.shuffled(items)


def naive(stream: RandomWords, items: Sequence[Any]) -> Sequence[Any]:
    """Swap every card with any card: n to the n ways for n! orders."""
    order = list(items)
    for index in range(len(order)):
        other = stream.below(len(order))
        order[index], order[other] = order[other], order[index]
    return order


def cyclic(stream: RandomWords, items: Sequence[Any]) -> Sequence[Any]:
    """Draw one too low, so no card can stay in its place."""
    order = list(items)
    for index in range(len(order) - 1, 0, -1):
        other = stream.below(index)
        order[index], order[other] = order[other], order[index]
    return order


def by_remainder(stream: RandomWords, items: Sequence[Any]) -> Sequence[Any]:
    """Take a byte modulo k and reject nothing, so low numbers come more often."""
    order, drawn = list(items), b"".join(islice(stream.blocks(), 3))
    for index in range(len(order) - 1, 0, -1):
        other = drawn[index] % (index + 1)
        order[index], order[other] = order[other], order[index]
    return order


def lazy(stream: RandomWords, items: Sequence[Any]) -> Sequence[Any]:
    """Stop one swap short, so the first two cards keep their order."""
    order = list(items)
    for index in range(len(order) - 1, 1, -1):
        other = stream.below(index + 1)
        order[index], order[other] = order[other], order[index]
    return order


def _drawn(shuffle: Shuffle, name: str, cards: Sequence[Any], times: int) -> Iterable[Any]:
    return (shuffle(stream, cards) for stream in islice(streams(name), times))


def orders(shuffle: Shuffle, size: int, times: int) -> float:
    return statistics.orders(_drawn(shuffle, f"orders/{size}", range(size), times), size)


def places(shuffle: Shuffle, cards: Sequence[str], decks: int) -> float:
    drawn = _drawn(shuffle, "places", cards, decks)
    return statistics.places(statistics.counted(drawn, cards), len(cards))


def neighbours(shuffle: Shuffle, size: int, times: int) -> float:
    return statistics.neighbours(_drawn(shuffle, "neighbours", range(size), times), size)


def hands(shuffle: Shuffle, cards: Sequence[str], dealt: int, times: int) -> float:
    return statistics.hands(_drawn(shuffle, f"hands/{dealt}", cards, times), cards, dealt)


def totals(shuffle: Shuffle, cards: Sequence[str], dealt: int, times: int) -> float:
    return statistics.totals(_drawn(shuffle, f"totals/{dealt}", cards, times), cards, dealt)
