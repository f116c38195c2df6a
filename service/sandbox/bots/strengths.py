"""
The three strengths of the bots: calm, steady and sharp.

A strength is a :class:`Style`: how far a player looks ahead, and how it bets. Tempers differ
between players of one strength.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

Strength = Literal["calm", "steady", "sharp"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The play of one strength."""

    practised: bool = False
    """True if the player practised, reads the others, and weighs each bet. Never in Traditional."""

    draws: int
    """
    The number of possible draws that a player tries before a selection. 0 ignores them. A player
    who practised knows them.
    """

    margin: float
    """A card turn must improve the chance to win by more than this, or the player stands."""

    raises: float
    """A player raises if the chance to win is this many times a fair share."""

    size: float
    """The part of the pot that a certain winner raises by."""

    bluffs: float
    """The share of bad hands that a bold player raises."""

    doubt: float
    """The weight of another player's large bet as a sign of a strong hand."""

    price: float
    """A player calls if the chance to win is this many times the chance to break even."""

    price_of_turns: float
    """The same in games of card turns, in which every hand may still change."""


STEADY: Final = Style(
    draws=14,
    margin=0.02,
    raises=1.75,
    size=0.9,
    bluffs=0.07,
    doubt=1.0,
    price=1.0,
    price_of_turns=1.0,
)

STYLES: Final[dict[Strength, Style]] = {
    "calm": Style(
        draws=0,
        margin=0.25,
        raises=3.0,
        size=0.5,
        bluffs=0.0,
        doubt=0.0,
        price=0.5,
        price_of_turns=0.5,
    ),
    "steady": STEADY,
    "sharp": replace(STEADY, practised=True, draws=0, price_of_turns=1.3),
}
"""The styles, weakest first."""
