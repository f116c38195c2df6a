"""
What a placing is worth.

Points are decimal numbers with the season's scale; entries that share places
share what those places are worth, rounded half to even at that scale.
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext

from engine.season.values import Award, Finish, PlacesFromEnd, PointsRule
from engine.values import PlayerId

PRECISION = 50
"""Significant digits while counting: far above any sum of points."""


def place_points(rule: PointsRule, *, place: int, entrants: int) -> Decimal:
    """
    Return what *place* alone is worth among *entrants*.

    >>> place_points(PlacesFromEnd(per_place="10"), place=1, entrants=8)
    Decimal('80')
    """
    if isinstance(rule, PlacesFromEnd):
        return Decimal(rule.per_place) * (entrants - place + 1)
    return Decimal(rule.points[place - 1]) if place <= len(rule.points) else Decimal(0)


def awards_of(placings: Sequence[Finish], *, rule: PointsRule, scale: int) -> tuple[Award, ...]:
    """
    Return one award for each player, by place.

    A player's best placing counts; the other entries of the same player earn
    nothing, but still fill their places.
    """
    awards: dict[PlayerId, Award] = {}
    with localcontext(Context(prec=PRECISION, rounding=ROUND_HALF_EVEN)):
        for finish in sorted(placings, key=lambda each: (each.place, each.entrant)):
            if finish.player in awards:
                continue
            places = range(finish.place, finish.place + finish.shared)
            worth = (place_points(rule, place=each, entrants=len(placings)) for each in places)
            shared = sum(worth, Decimal(0)) / finish.shared
            awards[finish.player] = Award(
                player=finish.player,
                entrant=finish.entrant,
                place=finish.place,
                shared=finish.shared,
                points=written(shared, scale=scale),
            )
    return tuple(awards.values())


def written(points: Decimal, *, scale: int) -> str:
    """
    Return *points* with exactly *scale* fraction digits, and never a negative zero.

    >>> written(Decimal("2.345"), scale=2), written(Decimal("-0.001"), scale=2)
    ('2.34', '0.00')
    """
    rounded = points.quantize(Decimal(1).scaleb(-scale), rounding=ROUND_HALF_EVEN)
    return f"{abs(rounded) if rounded.is_zero() else rounded:f}"
