"""The dice: the gold one gives the target number, the silver one the target suit."""

from typing import Literal

from engine.rng import Stream

Suit = Literal["circle", "triangle", "square"]

GOLD = (0, 0, 5, -5, 10, -10)
SILVER: tuple[Suit, ...] = ("circle", "triangle", "square")


def roll_target(seed: bytes, digest: bytes = b"") -> tuple[int, Suit]:
    """
    Roll both dice of a hand: target number, target suit.

    Args:
        seed: The deal's ``dice`` seed.
        digest: Of the openings.

    Source: rulebook ``dice.target``.
    """
    stream = Stream(seed, "target", 1, digest)
    number = GOLD[stream.below(len(GOLD))]
    return number, SILVER[stream.below(len(SILVER))]
