"""The cards, with their identifiers, order and values."""

from collections.abc import Iterable

from engine.errors import InvariantViolated

SUIT_LETTERS = {"C": "circle", "T": "triangle", "S": "square"}
SYLOPS = ("Z1", "Z2")


def _d62() -> tuple[str, ...]:
    suited = [
        f"{suit}{sign}{value:02}" for suit in "CTS" for sign in "+-" for value in range(1, 11)
    ]
    return (*suited, *SYLOPS)


def _d76() -> tuple[str, ...]:
    suited = [f"{suit}{value:02}" for suit in ("SA", "FL", "CO", "ST") for value in range(1, 16)]
    faces = [
        f"X{value}{copy}"
        for value in ("17", "15", "14", "13", "11", "08", "02", "00")
        for copy in "ab"
    ]
    return (*suited, *faces)


DECKS = {"d62": _d62(), "d76": _d76()}
"""Every deck in its order, lowest card first. Source: rulebook ``cards.decks``."""

_FACES = {"17": -17, "15": -15, "14": -14, "13": -13, "11": -11, "08": -8, "02": -2, "00": 0}
VALUES = {
    **{card: 0 if card in SYLOPS else int(card[1:]) for card in DECKS["d62"]},
    **{card: _FACES[card[1:3]] if card.startswith("X") else int(card[2:]) for card in DECKS["d76"]},
}
"""The value of every card of every deck. Sylops are 0."""

OF_SUIT = {
    suit: frozenset(card for card in DECKS["d62"] if card[0] == letter or card in SYLOPS)
    for letter, suit in SUIT_LETTERS.items()
}
"""The cards of ``d62`` that count for each suit. A sylop counts for every suit."""

_ORDER = {card: index for cards in DECKS.values() for index, card in enumerate(cards)}


def in_deck_order(cards: Iterable[str]) -> tuple[str, ...]:
    """Return *cards* from the lowest to the highest, in the order of their deck."""
    return tuple(sorted(cards, key=_ORDER.__getitem__))


def total(cards: Iterable[str]) -> int:
    """Return the sum of the values of *cards*. It is 0 for no cards."""
    return sum(map(VALUES.__getitem__, cards))


def deck(name: str) -> tuple[str, ...]:
    """
    Return the deck called *name*.

    Raises:
        InvariantViolated: If no deck has this name.
    """
    if name not in DECKS:
        raise InvariantViolated(f"there is no deck {name!r}")
    return DECKS[name]
