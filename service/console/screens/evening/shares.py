"""The shares of the paid places, and the prizes that they make."""

import math
from collections.abc import Sequence

_PLACES = (
    (4, (100,)),
    (8, (65, 35)),
    (16, (50, 30, 20)),
    (30, (40, 27, 19, 14)),
    (math.inf, (34, 22, 16, 12, 9, 7)),
)
"""The shares of the paid places, by the largest number of players they are meant for."""


def proposed_shares(players: int) -> tuple[int, ...]:
    """Return the shares that an evening of *players* pays unless the organiser sets others."""
    return next(each for most, each in _PLACES if players <= most)


def prizes_of(pool: int, shares: Sequence[int], players: int) -> tuple[int, ...]:
    """
    Return the prizes, first place first, as the API pays them (rulebook ``payouts``).

    >>> prizes_of(6_000, (50, 30, 10), 12)
    (3334, 2000, 666)
    """
    counted = shares[:players]
    whole = sum(counted)
    prizes = [pool * each // whole for each in counted]
    for place in range(pool - sum(prizes)):
        prizes[place] += 1
    return tuple(prizes)
