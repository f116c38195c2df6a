"""The one source of chance of a made-up season."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

_Thing = TypeVar("_Thing")


class Dice:
    """
    Draws everything that is not the game's own: terms, moods, incidents.

    Args:
        chaos: From 0 to 1, how odd it is; :meth:`odd` never happens at 0.
    """

    def __init__(self, seed: str, chaos: float = 0.0) -> None:
        # Not for secrets: whoever knows the seed of a made-up season may know all of it.
        self._random = Random(seed)
        self.chaos = chaos

    def bytes(self, count: int) -> bytes:
        """Return *count* bytes."""
        return self._random.randbytes(count)

    def below(self, limit: int) -> int:
        """Return a number from 0 to below *limit*."""
        return self._random.randrange(limit)

    def between(self, low: int, high: int) -> int:
        """Return a number from *low* to *high*."""
        return low + self.below(high - low + 1)

    def one(self, of: Sequence[_Thing]) -> _Thing:
        """Return one of several."""
        return of[self.below(len(of))]

    def happens(self, chance: float) -> bool:
        """Return whether something happens that has this chance."""
        return self._random.random() < chance

    def odd(self, chance: float) -> bool:
        """Return whether something odd happens that has this chance where chaos is 1."""
        return self.happens(chance * self.chaos)

    def shuffled(self, things: Sequence[_Thing]) -> list[_Thing]:
        """Return *things* in any order."""
        return self._random.sample(list(things), len(things))
