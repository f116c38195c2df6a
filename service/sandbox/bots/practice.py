"""
A sharp player's knowledge of a game with a target.

The player has practised alone: many hands from a fixed seed, each played with the knowledge from
the hands before. The practice gives the chance of each final selection. It also gives the hands
that others may hold, given the number of cards they kept.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations, product
from typing import Final, NamedTuple

from service.sandbox.bots.judgement import (
    DECK,
    SIZE,
    SelectionRank,
    Totals,
    chance,
    drawn,
    prefixes,
    reachable,
    worth,
)

HANDS: Final = 1200
"""The hands that are practised for each target. They take about half a second."""

DRAWS: Final = 400
"""The number of draws of new cards over which a prospect is averaged."""

FAR: Final = 10
"""A selection at this distance from the target never wins."""

_SUIT: Final = "circle"
"""The suit of the practice. All suits are alike."""


class Possible(NamedTuple):
    """A hand that another player may hold."""

    weight: float
    """The share of practised hands that ended in this way."""

    before: float
    """The chance to beat one opponent after the first selection, in steps of a twentieth."""

    after: SelectionRank
    """The final selection."""


class Practice:
    """
    The knowledge about one target.

    Args:
        target: The distance of the target from 0. The deck holds each value with both signs.
    """

    def __init__(self, target: int) -> None:
        self._prospects: dict[tuple[int, int, int, int], float] = {}
        self._chances: dict[SelectionRank, float] = {}
        hands = _hands(2 * SIZE, HANDS)
        # The first round of practice knows only the general chances, the second those of the
        # target.
        for _ in range(2):
            played = [self._play(hand, target) for hand in hands]
            self._learn(Counter(after for _, _, after in played))
        ways: dict[int | None, Counter[tuple[float, SelectionRank]]] = defaultdict(Counter)
        for kept, before, after in played:
            for known in (kept, None):
                ways[known][round(20 * before) / 20, after] += 1
        self._others = {
            kept: tuple(Possible(count / counts.total(), *hand) for hand, count in counts.items())
            for kept, counts in ways.items()
        }

    def chance(self, found: SelectionRank) -> float:
        """Return the chance that a final selection beats one opponent. A tie counts half."""
        return self._chances.get(found, 0.0) if self._chances else chance(found)

    def others(self, kept: int | None) -> Sequence[Possible]:
        """Return the hands of a player who kept that many cards.

        None if the number is not known yet.
        """
        return self._others.get(kept) or self._others[None]

    def outcomes(self, need: int, fitting: int, fresh: int) -> Mapping[SelectionRank, float]:
        """
        Return the final selections that *fresh* new cards may make, with the chance of each.

        Args:
            need: The difference from the kept cards' total to the target.
            fitting: The number of kept cards of the target suit.
            fresh: The number of new cards.
        """
        added = improvements(abs(need), fresh)
        return {SelectionRank(distance, less - fitting): part for (distance, less), part in added}

    def prospect(self, need: int, fitting: int, fresh: int, rivals: int = 1) -> float:
        """Return the chance that the kept cards beat all *rivals* after the improvement."""
        key = (abs(need), fitting, fresh, rivals)
        if key not in self._prospects:
            outcomes = self.outcomes(need, fitting, fresh)
            won = (part * self.chance(found) ** rivals for found, part in outcomes.items())
            self._prospects[key] = sum(won)
        return self._prospects[key]

    def selection(
        self, cards: Sequence[str], target: int, suit: str, rivals: int, least: int = 0
    ) -> tuple[str, ...]:
        """Return at least *least* cards that have the best prospect. Among equals keep fewest."""
        subsets = (
            subset
            for count in range(least, len(cards) + 1)
            for subset in combinations(cards, count)
        )
        return max(subsets, key=lambda kept: self.prospect_of(kept, target, suit, rivals))

    def prospect_of(self, kept: Sequence[str], target: int, suit: str, rivals: int = 1) -> float:
        """Return the prospect of the cards *kept*."""
        return self.prospect(*need_of(kept, target, suit), SIZE - len(kept), rivals)

    def _play(self, hand: Sequence[str], target: int) -> tuple[int, float, SelectionRank]:
        """Return the number of cards kept, their prospect, and the final selection."""
        kept = self.selection(hand[:SIZE], target, _SUIT, 1)
        new = reachable(hand[SIZE : 2 * SIZE - len(kept)], prefixes(_SUIT))
        before = self.prospect_of(kept, target, _SUIT)
        return len(kept), before, _best(*need_of(kept, target, _SUIT), new)

    def _learn(self, counts: Counter[SelectionRank]) -> None:
        """Take the chances from the final selections of a round of practice."""
        for distance, missing in product(range(FAR), range(-SIZE, 1)):
            found = SelectionRank(distance, missing)
            worse = sum(count for each, count in counts.items() if each > found)
            self._chances[found] = (worse + counts[found] / 2) / counts.total()
        self._prospects.clear()


@cache
def practised(target: int) -> Practice:
    """Return the knowledge about a *target*. The first call practises it."""
    return Practice(abs(target))


@cache
def improvements(need: int, fresh: int) -> Sequence[tuple[SelectionRank, float]]:
    """
    Return the best additions from *fresh* new cards, with their chances.

    The scores count the added cards of the target suit only.
    """
    counts = Counter(_best(need, 0, sums) for sums in _draws(fresh))
    return tuple((found, count / counts.total()) for found, count in counts.items())


@cache
def _draws(fresh: int) -> Sequence[Totals]:
    wanted = prefixes(_SUIT)
    return tuple(reachable(cards[:fresh], wanted) for cards in _hands(SIZE, DRAWS))


def need_of(kept: Sequence[str], target: int, suit: str) -> tuple[int, int]:
    """
    Return the difference from the total of *kept* to the target, and its cards of the suit.

    >>> need_of(["C+03", "Z1", "T-01"], 5, "circle")
    (3, 2)
    """
    wanted = prefixes(suit)
    return target - sum(map(worth, kept)), sum(card.startswith(wanted) for card in kept)


def _best(need: int, fitting: int, sums: Totals) -> SelectionRank:
    return SelectionRank(*min((abs(need - added), -fitting - more) for added, more in sums))


def _hands(size: int, count: int) -> list[list[str]]:
    return [drawn(list(DECK), 0.0, number, size) for number in range(count)]
