"""
The dice. The gold die gives the target, and the silver die gives the target suit.

Games of card turns roll two common dice, of which only doubles matter.
"""

from typing import Literal

from engine.kit.rng import RandomWords

Suit = Literal["circle", "triangle", "square"]

GOLD = (0, 0, 5, -5, 10, -10)
SILVER: tuple[Suit, ...] = ("circle", "triangle", "square")


def roll_target(seed: bytes, digest: bytes = b"") -> tuple[int, Suit]:
    """
    Roll both dice of a hand, and return the target and the target suit.

    Args:
        seed: The deal's ``dice`` seed.
        digest: The digest of the openings.

    Source: rulebook ``dice.target``.
    """
    stream = RandomWords(seed, "target", 1, digest)
    number = GOLD[stream.below(len(GOLD))]
    return number, SILVER[stream.below(len(SILVER))]


def roll_pair(seed: bytes, label: str, n: int, digest: bytes = b"") -> tuple[int, int]:
    """
    Roll two common dice with faces 1 to 6.

    Args:
        seed: The deal's ``dice`` seed.
        label: ``shift`` or ``spike``.
        n: Number of the roll with this label within the deal, from 1.
        digest: The digest of the openings.

    Source: rulebook ``dice.pair``.
    """
    stream = RandomWords(seed, label, n, digest)
    return stream.below(6) + 1, stream.below(6) + 1
