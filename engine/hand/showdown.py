"""Which selection is best, and what the house selects for whoever does not."""

from collections.abc import Sequence
from itertools import combinations

from engine.kit.cards import OF_SUIT, in_deck_order, total

SELECTION_MAX = 5


def suit_count(cards: Sequence[str], suit: str) -> int:
    """Return how many of *cards* count for *suit*; sylops count for every suit."""
    suited = OF_SUIT[suit]
    return sum(map(suited.__contains__, cards))


def key(cards: Sequence[str], target: int, suit: str) -> tuple[int, int]:
    """
    Return what a selection is compared by; smaller is better.

    First the distance from the target, over and under alike; then the cards of
    the target suit, more being better.  There is nothing further.

    Source: rulebook ``showdown.key``.

    >>> key(["T+10", "Z1"], 10, "triangle")
    (0, -2)
    """
    return abs(total(cards) - target), -suit_count(cards, suit)


def best_selection(
    hand: Sequence[str], target: int, suit: str, *, least: int = 1, most: int = SELECTION_MAX
) -> tuple[str, ...]:
    """
    Return the selection the house makes from *hand* for a seat that ran out of time.

    The best key, then the fewest cards, then the lowest in the order of the
    deck; never the empty one, never fewer than *least* or more than *most* cards.

    Source: rulebook ``clock.selection``.
    """
    ordered = in_deck_order(hand)
    candidates = [
        chosen
        for size in range(least, min(len(ordered), most) + 1)
        for chosen in combinations(ordered, size)
    ]
    # Candidates come by size and then from the lowest cards on; ``min`` keeps the first.
    return min(candidates, key=lambda chosen: key(chosen, target, suit))


def best_seats(keys: Sequence[tuple[int, tuple[int, int]]]) -> tuple[int, ...]:
    """Return the seats that share the best key, in the given order."""
    best = min(rank for _, rank in keys)
    return tuple(seat for seat, rank in keys if rank == best)
