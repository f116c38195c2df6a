"""The rank of a hand in the games without a target."""

from typing import NamedTuple


class HandRank(NamedTuple):
    """The name, the total and the strength of a hand."""

    name: str
    """The game's name for the hand."""

    total: int
    key: tuple[int, ...]
    """The numbers that hands are compared by, in order. Smaller is better."""

    bombed: bool = False
    """True if the hand has bombed out. A bombed-out hand wins no chips."""
