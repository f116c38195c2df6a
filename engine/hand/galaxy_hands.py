"""
The Galaxy ranking of Corellian Spike. It is experimental: its only source is one program.

It orders the names of ``engine.hand.spike_hands`` differently, and breaks all ties alike.

Source: rulebook ``spike.galaxy_ranking``.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from engine.hand.ranks import HandRank
from engine.hand.spike_hands import (
    Held,
    fleet,
    gee_whiz,
    pure_sabacc,
    rhylet,
    rule_of_two,
    squadron,
    straight_khyron,
    yee_haa,
)


def _banthas_wild(held: Held) -> tuple[int, ...] | None:
    # The three cards must share a sign. Otherwise every squadron would count as this higher name.
    signed = Counter(value for value in held.values if value)
    return () if max(signed.values(), default=0) > 2 else None


_ZEROS: tuple[tuple[str, Callable[[Held], tuple[int, ...] | None]], ...] = (
    ("pure_sabacc", pure_sabacc),
    ("rhylet", rhylet),
    ("fleet", fleet),
    ("banthas_wild", _banthas_wild),
    ("gee_whiz", gee_whiz),
    ("squadron", squadron),
    ("straight_khyron", straight_khyron),
    ("rule_of_two", rule_of_two),
    ("yee_haa", yee_haa),
)


def galaxy_rank(cards: Sequence[str]) -> HandRank:
    """
    Return the rank of two to five *cards*.

    Ties are broken alike for every name, and for hands without a name. The total nearest
    to zero wins, and of equals the positive one. Then most cards win, then one suit before several.
    Then the highest sum of positive cards wins, and last the highest positive card.

    >>> galaxy_rank(["C+05", "C-05"]).key < galaxy_rank(["C+05", "S-05"]).key
    True
    """
    held = Held(cards)
    name, place = "nulrhek", len(_ZEROS) + 1
    if held.total == 0:
        name, place = next(
            (
                (name, place)
                for place, (name, ties_of) in enumerate(_ZEROS)
                if ties_of(held) is not None
            ),
            ("unnamed_zero", len(_ZEROS)),
        )
    suits = {card[0] for card in cards if card[0] != "Z"}
    key = (
        place,
        abs(held.total),
        int(held.total < 0),
        -len(cards),
        int(len(suits) > 1),
        -held.positive,
        -held.high,
    )
    return HandRank(name, held.total, key)
