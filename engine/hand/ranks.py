"""What a hand counts for in the games without a target."""

from typing import NamedTuple


class HandRank(NamedTuple):
    """A judgement of one hand."""

    name: str
    """What the game calls such a hand."""

    total: int
    key: tuple[int, ...]
    """What hands are compared by, number by number; smaller is better."""

    bombed: bool = False
    """Whether the hand can win nothing."""
