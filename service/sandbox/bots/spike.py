"""
Corellian Spike for sharp players: the name of a hand, its chance, and the turns to come.

A hand is the tuple of its values in ascending order.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final

from service.sandbox.bots.judgement import DECK, SelectionRank, worth
from service.sandbox.bots.practice import Possible

Hand = tuple[int, ...]

ROUNDS: Final = 3
CARDS_MAX: Final = 5
STAYS: Final = 5 / 6
"""The chance that no spike ends the hand in a card round."""

VALUES: Final = Counter(map(worth, DECK))
"""The number of cards of each value in the deck."""

GRID: Final = tuple((2 * step + 1) / 20 for step in range(10))
"""The equally likely chances of an unknown hand."""

CHANCES: Final = {
    "pure": 1.0, "full": 1.0, "fleet": 1.0, "yee-haa": 1.0, "rhylet": 0.99, "squadron": 0.99,
    "run": 0.99, "three": 0.99, "two pairs": 0.99, "pair": 0.87, "zero": 0.74,
    "1": 0.62, "-1": 0.45, "2": 0.34, "-2": 0.27, "3": 0.23, "-3": 0.2, "4": 0.18, "-4": 0.16,
    "5": 0.15, "-5": 0.14, "6": 0.13, "-6": 0.12, "7": 0.11, "-7": 0.1, "8": 0.09, "-8": 0.08,
}  # fmt: skip
"""
The chance that a final hand beats one opponent's, by its name. A tie counts half. The opponents
play their turns as :func:`outlook` says. Hands further from 0 hardly win.
"""


def name_of(hand: Hand) -> str:
    """
    Return the name of a hand, or its total if that is not 0 (rulebook ``spike.ranking``).

    >>> name_of((0, 0)), name_of((-4, 4)), name_of((-3, 1, 2)), name_of((-3, 4))
    ('pure', 'pair', 'zero', '1')
    """
    if total := sum(hand):
        return str(total)
    kinds = Counter(map(abs, filter(None, hand)))
    pairs = sum(count > 1 for count in kinds.values())
    most, sylop = max(kinds.values(), default=0), 0 in hand
    run = any(all(low + step in kinds for step in range(4)) for low in range(1, 8))
    named = (
        ("pure", hand == (0, 0)),
        ("full", hand == (-10, -10, 0, 10, 10)),
        ("fleet", sylop and most > 3),
        ("yee-haa", sylop and pairs > 0),
        ("rhylet", sorted(Counter(hand).values()) == [2, 3]),
        ("squadron", most > 3),
        ("run", run),
        ("three", most > 2),
        ("two pairs", pairs > 1),
        ("pair", pairs > 0),
    )
    return next((name for name, fits in named if fits), "zero")


@lru_cache(maxsize=100_000)
def chance(hand: Hand) -> float:
    """Return the chance that a final hand beats one opponent's."""
    return CHANCES.get(name_of(hand), 0.05)


@lru_cache(maxsize=100_000)
def outlook(hand: Hand, turns: int) -> float:
    """Return the chance that a hand beats one opponent's after that many more card turns."""
    if turns == 0:
        return chance(hand)
    best = outlook(hand, turns - 1)
    for given in set(hand):
        best = max(best, after_draw(without(hand, given), hand, turns - 1))
    if len(hand) < CARDS_MAX:
        best = max(best, after_draw(hand, hand, turns - 1))
    return best


def after_draw(kept: Hand, seen: Hand, turns: int) -> float:
    """Return the mean outlook of *kept* plus one card of the pile, after the cards *seen*."""
    judged = partial(outlook, turns=turns) if turns else chance
    held, total, found = Counter(seen), 0, 0.0
    for value, count in VALUES.items():
        left = count - held[value]
        if left > 0:
            total += left
            found += left * judged(hand_of((*kept, value)))
    return found / total


class Others:
    """
    The possible hands of others in a street.

    A :class:`SelectionRank` is here the number of hands of 1,000 that are better.

    Args:
        number: The card round, from 1.
    """

    def __init__(self, number: int) -> None:
        self._certain = min(1.0, 0.4 + 0.2 * number)
        self._hands = tuple(
            Possible(1 / len(GRID), self.chance(better), better) for better in map(_score, GRID)
        )

    def others(self, _kept: int | None) -> Sequence[Possible]:
        """Return the hands that a player may hold, all equally likely."""
        return self._hands

    def chance(self, found: SelectionRank) -> float:
        """Return the chance that a steady player sees in a hand.

        In early card rounds it is near 0.5.
        """
        return 0.5 + (0.5 - found.distance / 1000) * self._certain


def finals(hand: Hand, number: int) -> Mapping[SelectionRank, float]:
    """Return the final hands that *hand* may become after the turn of card round *number*."""
    rounds = max(0, ROUNDS - number)
    stays = STAYS ** (rounds + 1)
    found = dict.fromkeys(map(_score, GRID), (1 - stays) / len(GRID))
    own = _score(outlook(hand, rounds))
    found[own] = found.get(own, 0.0) + stays
    return found


def _score(chance: float) -> SelectionRank:
    return SelectionRank(round(1000 * (1 - chance)), 0)


def hand_of(values: Iterable[int]) -> Hand:
    """Return the hand of these values."""
    return tuple(sorted(values))


def without(hand: Hand, value: int) -> Hand:
    """Return *hand* without one card of a value."""
    at = hand.index(value)
    return hand[:at] + hand[at + 1 :]
