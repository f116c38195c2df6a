"""
Piles as the second generator draws them, each once.

Cards are compared with them, and hands are decided again with them: of two programs
that know nothing of each other, the log has to agree with this one.
"""

from functools import lru_cache

from engine.kit.rng import Pile
from service.audit.play import generator


@lru_cache(maxsize=256)
def drawn(seed: bytes, openings: bytes, number: int, cards: tuple[str, ...]) -> Pile:
    """
    Return a pile as ``engine.kit.rng.shuffled_pile`` should.

    Args:
        seed: The deal's, for cards.
        openings: Their digest.
        number: 1 for the deck, then one more for every pile made of discards.
        cards: What the pile is made of, in the order of the deck.
    """
    faces, salts = generator.pile(seed, openings, number, cards)
    root = generator.pile_root(number, faces, salts)
    return Pile(number, tuple(faces), tuple(salts), root)
