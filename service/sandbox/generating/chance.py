"""The source of chance for a generated season."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

_Thing = TypeVar("_Thing")


class Dice:
    """
    The dice for all choices outside the game's own draws: terms, moods and incidents.

    Args:
        chaos: The oddness of the season, from 0 to 1. At 0, :meth:`odd` is never true.
    """

    def __init__(self, seed: str, chaos: float = 0.0) -> None:
        # Generated seasons have no secrets, so a predictable generator is safe here.
        self._random = Random(seed)
        self.chaos = chaos

    def bytes(self, count: int) -> bytes:
        """Return *count* bytes."""
        return self._random.randbytes(count)

    def below(self, limit: int) -> int:
        """Return a number from 0 to *limit* - 1."""
        return self._random.randrange(limit)

    def between(self, low: int, high: int) -> int:
        """Return a number from *low* to *high*, both included."""
        return low + self.below(high - low + 1)

    def one(self, of: Sequence[_Thing]) -> _Thing:
        """Return one element of *of*, all equally likely."""
        return of[self.below(len(of))]

    def happens(self, chance: float) -> bool:
        """Return True with the probability *chance*."""
        return self._random.random() < chance

    def odd(self, chance: float) -> bool:
        """Return True with the probability *chance* times the chaos."""
        return self.happens(chance * self.chaos)

    def shuffled(self, things: Sequence[_Thing]) -> list[_Thing]:
        """Return *things* in random order."""
        return self._random.sample(list(things), len(things))
