"""The parts of a hand's events: cards, and numbers of cards by seat."""

import msgspec

from engine.values import HexDigest, SealedCard


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """An event or a part of one. Unknown fields are refused."""


class DealtTo(Part, frozen=True, kw_only=True):
    """The cards that one seat gets in one pass of the deal."""

    seat: int
    cards: tuple[SealedCard, ...]


class OpenCard(Part, frozen=True, kw_only=True):
    """A card turned over, with the values that prove its leaf in the root of its pile."""

    card: str
    pile: int
    position: int
    salt: HexDigest


def opened(card: SealedCard) -> OpenCard:
    """Return *card* turned over."""
    return OpenCard(card=card.card, pile=card.pile, position=card.position, salt=card.salt.hex())


class CardCount(Part, frozen=True, kw_only=True):
    """The number of cards that one seat keeps or discards."""

    seat: int
    cards: int


class SeatedCard(Part, frozen=True, kw_only=True):
    """An open card dealt to a tied seat."""

    seat: int
    card: OpenCard
