"""The spoken names of cards and dice, for screen readers and for print."""

from collections.abc import Callable

from engine.kit.cards import SYLOPS, VALUES
from service.base.languages import N_
from service.console.drawing.cards import suit_of

Translate = Callable[[str], str]

_NUMBERS = (
    N_("zero"), N_("one"), N_("two"), N_("three"), N_("four"), N_("five"), N_("six"), N_("seven"),
    N_("eight"), N_("nine"), N_("ten"), N_("eleven"), N_("twelve"), N_("thirteen"),
    N_("fourteen"), N_("fifteen"), N_("sixteen"), N_("seventeen"),
)  # fmt: skip
_SUITS = {
    "circle": N_("circles"),
    "triangle": N_("triangles"),
    "square": N_("squares"),
    "sabers": N_("sabers"),
    "flasks": N_("flasks"),
    "coins": N_("coins"),
    "staves": N_("staves"),
}
_COURTS = {12: N_("Commander"), 13: N_("Mistress"), 14: N_("Master"), 15: N_("Ace")}
_FACES = {
    "17": N_("The Star"),
    "15": N_("The Evil One"),
    "14": N_("Moderation"),
    "13": N_("Demise"),
    "11": N_("Balance"),
    "08": N_("Endurance"),
    "02": N_("Queen of Air and Darkness"),
    "00": N_("The Idiot"),
}


def spoken(card: str, translate: Translate) -> str:
    """Return the name of *card*, such as "minus five of circles"."""
    value = VALUES[card]
    if card in SYLOPS:
        return translate(N_("sylop, zero"))
    suit = suit_of(card)
    if suit is None:
        parts = {"name": translate(_FACES[card[1:3]]), "value": number(value, translate)}
        return translate(N_("%(name)s, %(value)s")) % parts
    named = {"value": number(value, translate), "suit": translate(_SUITS[suit])}
    if value in _COURTS:
        named["name"] = translate(_COURTS[value])
        return translate(N_("%(name)s of %(suit)s, %(value)s")) % named
    return translate(N_("%(value)s of %(suit)s")) % named


def suit_name(suit: str, translate: Translate) -> str:
    """Return the name of a suit, as a plural."""
    return translate(_SUITS[suit])


def number(value: int, translate: Translate) -> str:
    """Return *value* in words, with its sign."""
    if value == 0:
        return translate(_NUMBERS[0])
    words = {"number": translate(_NUMBERS[abs(value)])}
    pattern = N_("minus %(number)s") if value < 0 else N_("plus %(number)s")
    return translate(pattern) % words
