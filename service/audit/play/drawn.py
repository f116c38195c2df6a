"""
Piles as the second generator draws them, each computed once.

Cards are compared with these piles, and hands are decided again with them. The two
generators share no code, so the log must agree with this one too.
"""

from functools import lru_cache

from engine.kit.rng import Pile
from service.audit.play import generator


@lru_cache(maxsize=256)
def drawn(seed: bytes, openings: bytes, number: int, cards: tuple[str, ...]) -> Pile:
    """
    Return the pile that ``engine.kit.rng.shuffled_pile`` should return.

    Args:
        seed: The deal's seed for cards.
        openings: The digest of the openings.
        number: 1 for the deck, then one more for every pile made of discards.
        cards: The cards of the pile, in deck order.
    """
    faces, salts = generator.pile(seed, openings, number, cards)
    root = generator.pile_root(number, faces, salts)
    return Pile(number, tuple(faces), tuple(salts), root)
