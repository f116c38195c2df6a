"""
The points of a placing.

Points are decimal numbers with the season's scale. Entries that share places
share the points of those places, rounded half to even at that scale.
"""

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from functools import lru_cache

from engine.season.expression import Expression, NoValue, evaluate, parse
from engine.season.expression.limits import arithmetic
from engine.season.values import (
    Adjustment,
    Award,
    Bonus,
    Field,
    Finish,
    PlacesFromEnd,
    PointsFormula,
    PointsRule,
    PointsTable,
)
from engine.values import AdjustmentId, PlayerId, TournamentId, derived_number

FORMULA_NAMES = frozenset(("n", "k", "entries", "buy_in", "pool", "spent", "knockouts"))
"""The names that a formula can use: see ``docs/guides/points.md``."""

POINTS_MAX = Decimal(10) ** 12
"""The largest absolute value of one award or adjustment. Sums of these values stay exact."""

RULES = {
    PlacesFromEnd: "points.places_from_end",
    PointsTable: "points.table",
    PointsFormula: "points.formula",
}


@lru_cache(maxsize=256)
def formula(text: str) -> Expression:
    """Return the expression of a points formula. Raise ``FormulaInvalid`` if it is not valid."""
    return parse(text, FORMULA_NAMES)


def place_points(
    rule: PointsRule, *, place: int, field: Field, spent: int = 0, knockouts: int = 0
) -> Decimal:
    """
    Return the points of *place* alone, without shared places.

    Args:
        spent: Money spent by the player in minor units, like the sums of *field*.

    Raises:
        NoValue: If a formula has no value for these numbers.
    """
    match rule:
        case PlacesFromEnd():
            return Decimal(rule.per_place) * (field.entrants - place + 1)
        case PointsTable():
            return Decimal(rule.points[place - 1]) if place <= len(rule.points) else Decimal(0)
        case PointsFormula():
            values = values_at(place, field, spent=spent, knockouts=knockouts)
            return evaluate(formula(rule.text), values)


def values_at(place: int, field: Field, *, spent: int, knockouts: int) -> Mapping[str, Decimal]:
    """Return the values of a formula's names. Money is in whole units of its currency."""
    counts = {
        "n": field.entrants,
        "k": place,
        "entries": field.entries,
        "knockouts": knockouts,
    }
    money = {"buy_in": field.buy_in, "pool": field.pool, "spent": spent}
    return {name: Decimal(count) for name, count in counts.items()} | {
        name: Decimal(minor).scaleb(-field.money_digits) for name, minor in money.items()
    }


def awards_of(
    placings: Sequence[Finish], *, rule: PointsRule, field: Field, scale: int
) -> tuple[Award, ...]:
    """
    Return one award for each player, in order of place.

    A player's best placing counts. The other entries earn no points, but still fill their
    places. The money spent and the knock-outs of all entries count for the player. If a
    formula has no value, the award is 0 and holds the cause: ``points.formula_failed``.
    """
    spent: dict[PlayerId, int] = {}
    knockouts: dict[PlayerId, int] = {}
    for finish in placings:
        spent[finish.player] = spent.get(finish.player, 0) + finish.spent
        knockouts[finish.player] = knockouts.get(finish.player, 0) + finish.knockouts
    awards: dict[PlayerId, Award] = {}
    for finish in sorted(placings, key=lambda each: (each.place, each.entrant)):
        player = finish.player
        if player in awards:
            continue
        failure = None
        try:
            with localcontext(arithmetic()):
                worth = [
                    place_points(
                        rule,
                        place=place,
                        field=field,
                        spent=spent[player],
                        knockouts=knockouts[player],
                    )
                    for place in range(finish.place, finish.place + finish.shared)
                ]
                points = sum(worth, Decimal(0)) / finish.shared
            if abs(points) > POINTS_MAX:
                raise NoValue("too_large")
        except NoValue as none:
            points, failure = Decimal(0), none.cause
        awards[player] = Award(
            player=player,
            entrant=finish.entrant,
            place=finish.place,
            shared=finish.shared,
            points=written(points, scale=scale),
            spent=spent[player],
            knockouts=knockouts[player],
            failure=failure,
        )
    return tuple(awards.values())


def bonuses_of(
    awards: Sequence[Award],
    *,
    bonuses: Sequence[Bonus],
    tournament: TournamentId,
    scale: int,
    revision: int = 0,
) -> tuple[Adjustment, ...]:
    """
    Return the bonuses of the terms, one entry for each kind and player.

    Args:
        revision: The number of earlier revisions of the tournament's award. The entries of
            each revision get their own identifiers.

    Source: rulebook ``points.bonus``.
    """
    given = []
    for award in awards:
        for bonus in bonuses:
            times = award.knockouts if bonus.kind == "knockouts" else 1
            if not times:
                continue
            name = f"{tournament}/{award.player}/{bonus.kind}/{revision}"
            given.append(
                Adjustment(
                    id=AdjustmentId(f"adj_{derived_number(name).hex}"),
                    player=award.player,
                    kind=bonus.kind,
                    points=written(Decimal(bonus.points) * times, scale=scale),
                    tournament=tournament,
                )
            )
    return tuple(given)


def written(points: Decimal, *, scale: int) -> str:
    """
    Return *points* with exactly *scale* fraction digits, and never a negative zero.

    >>> written(Decimal("2.345"), scale=2), written(Decimal("-0.001"), scale=2)
    ('2.34', '0.00')
    """
    rounded = points.quantize(
        Decimal(1).scaleb(-scale), rounding=ROUND_HALF_EVEN, context=arithmetic()
    )
    return f"{abs(rounded) if rounded.is_zero() else rounded:f}"
