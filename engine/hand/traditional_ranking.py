"""
The ranking of Traditional.

Source: rulebook ``traditional.rank``.
"""

from collections.abc import Sequence
from typing import Literal

from engine.hand.ranks import HandRank
from engine.kit.cards import VALUES, total

PURE = 23
"""The total of a Pure Sabacc, with either sign. A hand beyond it bombs out."""

IDIOTS_ARRAY = "idiots_array"
PURE_SABACC = "pure_sabacc"
SPECIAL = frozenset({IDIOTS_ARRAY, PURE_SABACC})
"""Hands that win the Sabacc pot."""


def rank(cards: Sequence[str], compare: Literal["signed", "absolute"]) -> HandRank:
    """
    Rank a hand: the Idiot's Array, Pure Sabacc, then the highest total. Other hands bomb out.

    >>> rank(["SA15", "FL07"], "signed")
    HandRank(name='total', total=22, key=(2, -22), bombed=False)
    >>> rank(["X00a", "CO02", "ST03"], "signed").name
    'idiots_array'
    """
    value = total(cards)
    if sorted(VALUES[card] for card in cards) == [0, 2, 3]:
        return HandRank(IDIOTS_ARRAY, value, (0, 0))
    if abs(value) == PURE:
        return HandRank(PURE_SABACC, value, (1, 0))
    if value == 0 or abs(value) > PURE:
        return HandRank("bombed_out", value, (3, 0), bombed=True)
    height = value if compare == "signed" else abs(value)
    return HandRank("total", value, (2, -height))
