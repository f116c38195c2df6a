"""Checks of a season's terms, made once when the season opens."""

import itertools
from collections.abc import Iterable, Iterator
from decimal import Decimal, localcontext
from functools import lru_cache

from engine.errors import Wording
from engine.season.commands import OpenSeason
from engine.season.errors import SeasonTermsInvalid
from engine.season.expression import LANGUAGE, NoValue
from engine.season.expression.limits import arithmetic
from engine.season.points import POINTS_MAX, formula, place_points
from engine.season.standings import overall_formula
from engine.season.tiebreaks import LOT, TIE_BREAKS
from engine.season.values import Aggregation, Field, PlacesFromEnd, PointsFormula, PointsTable

NAME_LENGTH_MAX = 200
SCALE_MAX = 6
TABLE_LENGTH_MAX = 1_000
RESULTS_MAX = 1_000

FIELDS_TRIED = (1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 16, 20, 30, 60, 180, 1_000)
"""Numbers of entrants for which a formula must have a value at every tried place."""

_PLACES_TRIED = 20
_STAKE = 2_000
"""Minor units spent by each entrant in trials. Without money some formulas have no value."""


def demand_sound(command: OpenSeason) -> None:
    """
    Check the terms in *command*.

    Raises:
        SeasonTermsInvalid: With the wrong field.
        FormulaInvalid: If a formula is not a valid expression.
    """
    for field, holds, problem in _rules(command):
        if not holds:
            raise SeasonTermsInvalid(field=field, problem=problem)
    rule = command.points
    if isinstance(rule, PointsFormula):
        demand_values(rule)
    else:
        _demand_order(tuple(_numbers(rule)))
    if command.overall is not None:
        overall_formula(command.overall)


def _rules(command: OpenSeason) -> Iterator[tuple[str, bool, Wording]]:
    yield (
        "name",
        0 < len(command.name.strip()) <= NAME_LENGTH_MAX,
        Wording("must have 1 to 200 characters"),
    )
    yield "scale", 0 <= command.scale <= SCALE_MAX, Wording(f"must be 0 to {SCALE_MAX}")
    yield (
        "minimum_games",
        0 <= command.minimum_games <= RESULTS_MAX,
        Wording(f"must be 0 to {RESULTS_MAX}"),
    )
    yield (
        "aggregation",
        _holds_together(command.aggregation),
        Wording(f"needs 1 to {RESULTS_MAX} results, or none in the modes sum and average"),
    )
    ties = command.tie_breaks
    yield "tie_breaks", set(ties) <= set(TIE_BREAKS), Wording(f"must be of {', '.join(TIE_BREAKS)}")
    yield "tie_breaks", len(set(ties)) == len(ties), Wording("must not repeat a tie-break")
    yield "tie_breaks", LOT not in ties[:-1], Wording("must end with the lot, if there is one")
    kinds = [each.kind for each in command.bonuses]
    yield "bonuses", len(set(kinds)) == len(kinds), Wording("must not repeat a kind")
    points = [Decimal(each.points) for each in command.bonuses]
    yield "bonuses", all(0 < each <= POINTS_MAX for each in points), Wording("must be above 0")


def _holds_together(aggregation: Aggregation) -> bool:
    if aggregation.mode in ("sum", "average"):
        return aggregation.results is None
    return aggregation.results is not None and 1 <= aggregation.results <= RESULTS_MAX


def _numbers(rule: PlacesFromEnd | PointsTable) -> Iterable[Decimal]:
    if isinstance(rule, PlacesFromEnd):
        return (Decimal(rule.per_place),)
    return (Decimal(points) for points in rule.points)


def _demand_order(numbers: tuple[Decimal, ...]) -> None:
    if len(numbers) > TABLE_LENGTH_MAX:
        raise SeasonTermsInvalid(
            field="points", problem=Wording(f"at most {TABLE_LENGTH_MAX} places")
        )
    if not numbers or any(number < 0 for number in numbers):
        raise SeasonTermsInvalid(field="points", problem=Wording("must not be empty or negative"))
    if max(numbers) > POINTS_MAX:
        raise SeasonTermsInvalid(
            field="points", problem=Wording(f"must not be beyond {POINTS_MAX:f}")
        )
    if any(better < worse for better, worse in itertools.pairwise(numbers)):
        raise SeasonTermsInvalid(
            field="points", problem=Wording("a better place cannot be worth less")
        )


@lru_cache(maxsize=256)
def demand_values(rule: PointsFormula) -> None:
    """
    Check a formula for many fields and places. A worse place must never be worth more.

    A long formula takes up to a second. A formula that has passed is remembered, so a caller may
    check it in a thread before it decides.

    Raises:
        SeasonTermsInvalid: If the formula lacks a value, or a worse place is worth more.
        FormulaInvalid: If the formula is not a valid expression.
    """
    if rule.language != LANGUAGE:
        raise SeasonTermsInvalid(
            field="points", problem=Wording(f"the language must be {LANGUAGE}")
        )
    formula(rule.text)
    with localcontext(arithmetic()):
        for entrants in FIELDS_TRIED:
            places = {*range(1, min(entrants, _PLACES_TRIED) + 1), entrants}
            worth = [_tried(rule, place, entrants) for place in sorted(places)]
            if any(better < worse for better, worse in itertools.pairwise(worth)):
                problem = Wording(f"a better of {entrants} places cannot be worth less")
                raise SeasonTermsInvalid(field="points", problem=problem)


def _tried(rule: PointsFormula, place: int, entrants: int) -> Decimal:
    field = Field(
        entrants=entrants,
        entries=entrants,
        buy_in=_STAKE,
        pool=_STAKE * entrants,
        money_digits=2,
    )
    try:
        return place_points(rule, place=place, field=field, spent=_STAKE, knockouts=0)
    except NoValue as none:
        problem = Wording(f"{none.cause} for place {place} of {entrants}")
        raise SeasonTermsInvalid(field="points", problem=problem) from none
