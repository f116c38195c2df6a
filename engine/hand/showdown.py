"""The best selection in Coruscant Shift, and the clock's selection after a timeout."""

from collections.abc import Sequence
from itertools import combinations

from engine.kit.cards import OF_SUIT, in_deck_order, total

SELECTION_MAX = 5


def suit_count(cards: Sequence[str], suit: str) -> int:
    """Return the number of *cards* that count for *suit*. Sylops count for every suit."""
    suited = OF_SUIT[suit]
    return sum(map(suited.__contains__, cards))


def key(cards: Sequence[str], target: int, suit: str) -> tuple[int, int]:
    """
    Return the key by which selections are compared. Smaller is better.

    The distance from the target comes first, over and under alike. Then more cards of the
    target suit win. No further rule breaks a tie.

    Source: rulebook ``showdown.key``.

    >>> key(["T+10", "Z1"], 10, "triangle")
    (0, -2)
    """
    return abs(total(cards) - target), -suit_count(cards, suit)


def best_selection(
    hand: Sequence[str], target: int, suit: str, *, least: int = 1, most: int = SELECTION_MAX
) -> tuple[str, ...]:
    """
    Return the clock's selection from *hand* for a seat that has timed out.

    The selection has the best key. Among equals it has the fewest cards, then the lowest cards
    in the order of the deck. It has at least *least* cards and at most *most* cards.

    Source: rulebook ``clock.selection``.
    """
    ordered = in_deck_order(hand)
    candidates = [
        chosen
        for size in range(least, min(len(ordered), most) + 1)
        for chosen in combinations(ordered, size)
    ]
    # Candidates come in order of size, then from the lowest cards on. ``min`` keeps the first.
    return min(candidates, key=lambda chosen: key(chosen, target, suit))


def best_seats(keys: Sequence[tuple[int, tuple[int, int]]]) -> tuple[int, ...]:
    """Return the seats that share the best key, in the given order."""
    best = min([rank for _, rank in keys])
    return tuple([seat for seat, rank in keys if rank == best])
