"""
Ratings of players, computed from the order in which players of a tournament finish.

A rating is a normal distribution of a player's strength. After a tournament all its players
change at once by the Plackett-Luce model of Weng and Lin, "A Bayesian Approximation Method for
Online Ranking", Journal of Machine Learning Research 12 (2011), algorithm 4. The constants are
those of the OpenSkill libraries. The results are decimals, rounded to six digits after every
tournament, so the same results give the same ratings on every machine.

Source: rulebook ``ratings.plackett_luce``.
"""

from collections import Counter
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from itertools import groupby
from operator import itemgetter

import msgspec

DIGITS = 6
_UNIT = Decimal(1).scaleb(-DIGITS)
_CONTEXT = Context(prec=28, rounding=ROUND_HALF_EVEN)

MU = Decimal(25)
SIGMA = _CONTEXT.divide(MU, Decimal(3))
BETA = _CONTEXT.divide(SIGMA, Decimal(2))
"""The standard deviation of a single result, which stands for chance."""

TAU = _CONTEXT.divide(MU, Decimal(300))
"""The standard deviation of the change in strength between two tournaments."""

KAPPA = Decimal("0.0001")
"""The smallest share of itself to which a variance can shrink in one tournament."""

CONFIDENCE = 3
"""The number of sigma that the ordinal lies below mu."""


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    mu: Decimal = MU.quantize(_UNIT)
    sigma: Decimal = SIGMA.quantize(_UNIT)

    @property
    def ordinal(self) -> Decimal:
        """Return a bound that the player's strength very likely exceeds."""
        return self.mu - CONFIDENCE * self.sigma


def rated(finishes: Sequence[tuple[int, Rating]]) -> tuple[Rating, ...]:
    """
    Return all ratings after a tournament, in the given order.

    Args:
        finishes: The place and the earlier rating of each player. Equal places are ties. A single
            player's rating does not change.

    >>> [str(each.mu) for each in rated([(1, Rating()), (2, Rating())])]
    ['27.635389', '22.364611']
    """
    if len(finishes) < 2:
        return tuple(rating for _, rating in finishes)
    with localcontext(_CONTEXT):
        return _moved(finishes)


def _moved(finishes: Sequence[tuple[int, Rating]]) -> tuple[Rating, ...]:
    variances = [rating.sigma**2 + TAU**2 for _, rating in finishes]
    c = sum((each + BETA**2 for each in variances), Decimal(0)).sqrt()
    strengths = [(rating.mu / c).exp() for _, rating in finishes]
    shares, squares = _beaten(finishes, strengths)
    sharing = Counter(place for place, _ in finishes)
    found = []
    for (place, rating), variance, strength in zip(finishes, variances, strengths, strict=True):
        omega = variance / c * (Decimal(1) / sharing[place] - strength * shares[place])
        delta = strength * shares[place] - strength**2 * squares[place]
        delta *= variance / c**2 * (variance.sqrt() / c)
        sigma = (variance * max(1 - delta, KAPPA)).sqrt()
        moved = (rating.mu + omega).quantize(_UNIT), sigma.quantize(_UNIT)
        found.append(Rating(mu=moved[0], sigma=moved[1]))
    return tuple(found)


def _beaten(
    finishes: Sequence[tuple[int, Rating]], strengths: Sequence[Decimal]
) -> tuple[dict[int, Decimal], dict[int, Decimal]]:
    """
    Return, by place, the sums of 1/q and 1/q² over all players who finished there or before.

    q is the total strength of the players who had yet to finish at that time. Players who share a
    place count as one term.
    """
    ordered = sorted(zip((place for place, _ in finishes), strengths, strict=True))
    left = sum(strengths, Decimal(0))
    shares, squares = Decimal(0), Decimal(0)
    by_place: tuple[dict[int, Decimal], dict[int, Decimal]] = ({}, {})
    for place, group in groupby(ordered, key=itemgetter(0)):
        # Each of the k players who share a place counts 1/k, which makes one term.
        shares += 1 / left
        squares += 1 / left**2
        by_place[0][place], by_place[1][place] = shares, squares
        left -= sum((strength for _, strength in group), Decimal(0))
    return by_place
