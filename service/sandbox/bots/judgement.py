"""
The example players' judgement of cards: their value, and their chance to win.

The players know the rules as people do (rulebook ``selection``). The selection closest to the
target wins, then the one with most cards of the target suit. Sylops count for every suit.
"""

from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations
from typing import Final, NamedTuple

SUITS: Final = {"circle": "C", "triangle": "T", "square": "S"}
SYLOP: Final = "Z"
DECK: Final = (
    *(f"{suit}{sign}{value:02}" for suit in "CTS" for sign in "+-" for value in range(1, 11)),
    "Z1",
    "Z2",
)
SIZE: Final = 5
CHANCES: Final = (
    (0.28, 0.49, 0.79, 0.96, 0.99, 1.00),
    (0.10, 0.14, 0.19, 0.23, 0.24, 0.24),
    (0.06, 0.07, 0.08, 0.09, 0.09, 0.09),
    (0.04, 0.04, 0.05, 0.05, 0.05, 0.05),
    (0.03, 0.03, 0.03, 0.03, 0.03, 0.03),
)
"""
The chances that a final selection beats one opponent's: a row for each distance from the target,
a column for each number of cards of the target suit. A tie counts half. At larger distances a
selection hardly wins.
"""


class SelectionRank(NamedTuple):
    """The rank of a selection. Smaller is better."""

    distance: int
    missing: int
    """Minus the number of cards of the target suit, so that more of them sort first."""


def worth(card: str) -> int:
    """
    Return a card's value with its sign. A sylop's value is 0.

    >>> worth("C+07"), worth("T-10"), worth("Z1")
    (7, -10, 0)
    """
    return 0 if card.startswith(SYLOP) else int(card[1:])


def score(cards: Sequence[str], number: int, suit: str) -> SelectionRank:
    """
    Judge a selection against the dice.

    >>> score(["C+05", "Z1"], 5, "circle")
    Score(distance=0, missing=-2)
    """
    wanted = prefixes(suit)
    fitting = sum(card.startswith(wanted) for card in cards)
    return SelectionRank(abs(sum(map(worth, cards)) - number), -fitting)


def prefixes(suit: str) -> tuple[str, str]:
    """Return the first letters of the names of the cards that count for a suit."""
    return SUITS.get(suit, suit[:1].upper()), SYLOP


Totals = tuple[tuple[int, int], ...]
"""Totals, each with a number of cards of the target suit."""


def reachable(cards: Sequence[str], wanted: tuple[str, str]) -> Totals:
    """
    Return each total that a part of *cards* has, with its largest number of fitting cards.

    >>> reachable(["C+05", "T-05"], prefixes("circle"))
    ((0, 1), (5, 1), (-5, 0))
    """
    best = {0: 0}
    for card in cards:
        value, fits = worth(card), card.startswith(wanted)
        for total, fitting in list(best.items()):
            reached = total + value
            if best.get(reached, -1) < fitting + fits:
                best[reached] = fitting + fits
    return tuple(best.items())


def chance(found: SelectionRank) -> float:
    """
    Return the chance that a final selection beats one opponent who plays well.

    >>> chance(Score(0, -3)) > chance(Score(0, -1)) > chance(Score(1, -5))
    True
    """
    return CHANCES[found.distance][-found.missing] if found.distance < len(CHANCES) else 0.01


def best_addition(
    kept: Sequence[str], fresh: Sequence[str], number: int, suit: str
) -> tuple[str, ...]:
    """
    Return the part of *fresh* that goes best with the cards already *kept*.

    If *kept* is empty, at least one card is returned. Among equal parts the smallest is chosen.

    >>> best_addition((), ("C+05", "T+09", "S-02"), 5, "circle")
    ('C+05',)
    """
    subsets = (
        subset
        for count in range(len(fresh) + 1)
        for subset in combinations(fresh, count)
        if kept or subset
    )
    return min(subsets, key=lambda subset: score((*kept, *subset), number, suit))


class Dealt:
    """
    Five cards, the target, and possible draws of new cards.

    All possible selections are judged by the same draws, so that only the selection makes a
    difference.

    Args:
        cards: The cards in the hand.
        number: The target.
        suit: The target suit.
        draws: Possible draws of new cards, five cards each.
    """

    def __init__(
        self, cards: Sequence[str], number: int, suit: str, draws: Sequence[Sequence[str]]
    ) -> None:
        self._number = number
        self._wanted = prefixes(suit)
        self._cards = tuple(cards)
        self._sums = [
            [reachable(draw[:count], self._wanted) for count in range(SIZE + 1)] for draw in draws
        ]

    def prospect(self, kept: Sequence[str]) -> float:
        """Return the chance that *kept*, with the best improvement, beats one opponent."""
        total = sum(map(worth, kept)) - self._number
        fitting = sum(card.startswith(self._wanted) for card in kept)
        count = SIZE - len(kept)
        won = 0.0
        for sums in self._sums:
            best = min((abs(total + added), -fitting - more) for added, more in sums[count])
            won += chance(SelectionRank(*best))
        return won / len(self._sums)

    def selection(self, least: int = 0) -> tuple[str, ...]:
        """Return at least *least* cards with the best chance. Among equals the fewest are kept."""
        subsets = (
            subset
            for count in range(least, len(self._cards) + 1)
            for subset in combinations(self._cards, count)
        )
        return max(subsets, key=self.prospect)


def draws(seen: Sequence[str], mood: float, count: int) -> list[list[str]]:
    """
    Return *count* possible draws of new cards from the deck without *seen*. *mood* is their seed.
    """
    return [drawn([card for card in DECK if card not in seen], mood, n) for n in range(count)]


def drawn(unseen: list[str], mood: float, number: int, size: int = SIZE) -> list[str]:
    """Shuffle the first *size* places of *unseen*, at most 16, and return them."""
    digest = sha256(f"{mood}/{number}".encode()).digest()
    for index in range(size):
        word = int.from_bytes(digest[2 * index : 2 * index + 2], "big")
        other = index + word % (len(unseen) - index)
        unseen[index], unseen[other] = unseen[other], unseen[index]
    return unseen[:size]


def whim(*facts: object) -> float:
    """
    Return a number in [0, 1) that looks random and is always the same for the same facts.

    A player's moods need not be secret. Because they are fixed, a night can be repeated.
    """
    digest = sha256("/".join(map(str, facts)).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48
