"""
How the example players judge five cards: the best selection, and how good it is.

They know the rules as a player does (rulebook 2.3, 2.4): closest to the target,
then most cards of the target suit, sylops counting for any suit.
"""

from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations
from typing import Final, NamedTuple

SUITS: Final = {"circle": "C", "triangle": "T", "square": "S"}
SYLOP: Final = "Z"


class Score(NamedTuple):
    """What a selection is worth; smaller is better."""

    distance: int
    missing: int
    """Minus the cards of the target suit, so that more of them sort first."""


def worth(card: str) -> int:
    """
    Return a card's value with its sign; sylops are worth nothing.

    >>> worth("C+07"), worth("T-10"), worth("Z1")
    (7, -10, 0)
    """
    return 0 if card.startswith(SYLOP) else int(card[1:])


def score(cards: Sequence[str], number: int, suit: str) -> Score:
    """
    Judge a selection against the dice.

    >>> score(["C+05", "Z1"], 5, "circle")
    Score(distance=0, missing=-2)
    """
    wanted = (SUITS.get(suit, suit[:1].upper()), SYLOP)
    fitting = sum(card.startswith(wanted) for card in cards)
    return Score(abs(sum(map(worth, cards)) - number), -fitting)


def best_selection(
    kept: Sequence[str], choice: Sequence[str], number: int, suit: str
) -> tuple[str, ...]:
    """
    Return the part of *choice* that goes best with the cards already *kept*.

    At least one card must be kept in all; among equals the fewest new cards win.

    >>> best_selection((), ("C+05", "T+09", "S-02"), 5, "circle")
    ('C+05',)
    """
    subsets = (
        subset
        for count in range(len(choice) + 1)
        for subset in combinations(choice, count)
        if kept or subset
    )
    return min(subsets, key=lambda subset: score((*kept, *subset), number, suit))


def strength(cards: Sequence[str], number: int, suit: str) -> float:
    """
    Return a feeling between 0 and 1 for how often a selection wins.

    About three final selections in four hit the target, so the suit decides.
    """
    found = score(cards, number, suit)
    near = {0: 0.2, 1: 0.08, 2: 0.04}.get(found.distance, 0.0)
    return min(1.0, near + 0.15 * -found.missing)


def whim(*facts: object) -> float:
    """
    Return a number in [0, 1) that looks random and is the same for the same facts.

    A player's moods need no secret; that they can be had again makes a night repeatable.
    """
    digest = sha256("/".join(map(str, facts)).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48
