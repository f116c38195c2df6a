"""
Lots for those who are level in everything else, drawn when a season is closed.

Source: rulebook ``standings.lot`` and ``generator.labels``.
"""

from collections.abc import Sequence

from engine.kit.hidden import unsealed
from engine.kit.rng import derive_seed, openings_digest, shuffle
from engine.season.values import LotDraw
from engine.values import PlayerId

MASTER = "lots"
"""What the season's own master is called in its commitment."""

_DRAWS_TABLE = 0
_FIRST_DEAL = 1


def drawn(players: Sequence[PlayerId], *, master: str, number: int) -> LotDraw:
    """
    Return *players* in the order of draw *number* of their season.

    Args:
        master: The season's, in hexadecimal.
        number: From 1, one more for each draw.
    """
    candidates = tuple(sorted(players))
    seed = derive_seed(unsealed(master), "draws", _DRAWS_TABLE, number, _FIRST_DEAL)
    order = shuffle(candidates, seed=seed, label="lot", digest=openings_digest(()))
    return LotDraw(number=number, candidates=candidates, order=order)
