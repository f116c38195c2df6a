"""The parts that events of a hand are put together from: cards, and who has how many."""

import msgspec

from engine.values import HexDigest, SealedCard


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """A part of an event, or an event; nothing in it is left over."""


class DealtTo(Part, frozen=True, kw_only=True):
    """The cards one seat gets in one pass of the deal."""

    seat: int
    cards: tuple[SealedCard, ...]


class OpenCard(Part, frozen=True, kw_only=True):
    """A card turned over, with all that proves its leaf in its pile's root."""

    card: str
    pile: int
    position: int
    salt: HexDigest


def opened(card: SealedCard) -> OpenCard:
    """Return *card* turned over."""
    return OpenCard(card=card.card, pile=card.pile, position=card.position, salt=card.salt.hex())


class CardCount(Part, frozen=True, kw_only=True):
    """How many cards one seat keeps, or throws away."""

    seat: int
    cards: int


class SeatedCard(Part, frozen=True, kw_only=True):
    """An open card dealt to a tied seat."""

    seat: int
    card: OpenCard
