"""
Lots between players who are level in everything else, drawn when a season closes.

Source: rulebook ``standings.lot`` and ``generator.labels``.
"""

from collections.abc import Sequence

from engine.kit.hidden import unsealed
from engine.kit.rng import derive_seed, openings_digest, shuffle
from engine.season.values import LotDraw
from engine.values import PlayerId

MASTER = "lots"
"""The name of the season's own master in its commitment."""

_DRAWS_TABLE = 0
_FIRST_DEAL = 1


def drawn(players: Sequence[PlayerId], *, master: str, number: int) -> LotDraw:
    """
    Return *players* in the order of draw *number* of their season.

    Args:
        master: The season's master, in hexadecimal.
        number: The number of the draw in the season, from 1.
    """
    candidates = tuple(sorted(players))
    seed = derive_seed(unsealed(master), "draws", _DRAWS_TABLE, number, _FIRST_DEAL)
    order = shuffle(candidates, seed=seed, label="lot", digest=openings_digest(()))
    return LotDraw(number=number, candidates=candidates, order=order)
