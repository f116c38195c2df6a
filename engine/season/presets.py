"""
Named presets of points formulas that leagues use, with their published numbers.

A season stores the text, not the name, so a changed preset does not change any season.
``source`` names the origin of each preset.

Source: rulebook ``points.presets``.
"""

from decimal import Decimal
from typing import Any

import msgspec

from engine.season.expression import evaluate
from engine.season.points import formula
from engine.season.values import Bonus, PlacesFromEnd, PointsFormula, PointsRule, PointsTable


class Worked(msgspec.Struct, frozen=True, kw_only=True):
    """A published result of the formula, rounded as in its publication."""

    values: dict[str, str]
    """The numbers of the example by their name in the formula."""

    points: str
    """The published result."""


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """
    A named way to count points, for the opening of a season.

    Its ``overall`` and ``bonuses`` apply unless the season sets its own.
    """

    name: str
    """The name that a season may give instead of a rule."""

    says: str
    """A sentence about the formula."""

    points: PointsRule
    """The points for a place."""

    source: str
    """The origin of the formula."""

    scale: int = 2
    """Fraction digits of all points."""

    overall: str | None = None
    """An expression of total, average and played that gives the total, or null."""

    bonuses: tuple[Bonus, ...] = ()
    """Points apart from the place."""

    numbers: tuple[Worked, ...] = ()
    """Published results of the formula."""

    overall_numbers: tuple[Worked, ...] = ()
    """Published results of `overall`."""


def _numbers(given: str, points: str) -> tuple[Worked, ...]:
    """Return worked examples with *points*, for places 1, 2 and so on unless *given* names k."""
    values = dict(pair.split("=") for pair in given.split())
    return tuple(
        Worked(values={"k": str(place), **values}, points=each)
        for place, each in enumerate(points.split(), 1)
    )


def _formula(name: str, text: str, **more: Any) -> Preset:
    points = PointsFormula(text=" ".join(text.split()), preset=name)
    return Preset(name=name, points=points, **more)


_ALL = (
    Preset(
        name="places_from_end",
        says="One point for the last place, one more for each place above it.",
        points=PlacesFromEnd(),
        source="ours",
    ),
    Preset(
        name="table",
        says="The ten first places by a fixed table.",
        points=PointsTable(points=("25", "18", "15", "12", "10", "8", "6", "4", "2", "1")),
        source="motor racing",
    ),
    _formula(
        "pokerstars",
        "if(k <= 0.15 * n, 10 * sqrt(n / k) * (1 + log10(buy_in + 0.25)), 0)",
        says="Field, place and buy-in; only the best 15 % earn anything.",
        source="PokerStars tournament leader board",
        numbers=(
            *_numbers("n=150 k=3 buy_in=20", "163.09"),
            *_numbers("n=900 k=25 buy_in=0", "23.88"),
            *_numbers("n=250 k=10 buy_in=10", "100.54"),
            *_numbers("n=100 k=16 buy_in=10", "0.00"),
        ),
    ),
    _formula(
        "wsop_ca",
        "log10(pool) / sqrt(k / n)",
        says="Prize pool and share of the field that was beaten.",
        source="WSOP.ca leader board",
        numbers=_numbers("pool=40000 n=2500", "230.10"),
    ),
    _formula(
        "dr_neau",
        "sqrt(n * buy_in * buy_in / spent) / (k + 1)",
        says="Rewards who spent no more than the buy-in.",
        source="Dr Neau's tournament formula",
        numbers=(
            *_numbers("n=20 buy_in=50 spent=50", "15.81 10.54"),
            *_numbers("n=20 buy_in=50 spent=100", "11.18"),
        ),
    ),
    _formula(
        "stockholm",
        "sqrt(pool / n) * (n / k + 1)",
        says="The average stake and the place; a season is divided by the root of its games.",
        source="a Stockholm club, by the tournament directors' forum",
        overall="total / sqrt(played)",
        numbers=_numbers("pool=2000 n=20", "210.00 110.00 76.67"),
        overall_numbers=(Worked(values={"total": "300", "played": "9"}, points="100.00"),),
    ),
    _formula(
        "td_default",
        "10 * sqrt(n / k) * 4.162",
        says="Field and place alone.",
        source="the tournament directors' forum",
        numbers=_numbers("n=16", "166.48 117.72 96.12 83.24"),
    ),
    _formula(
        "td_score",
        "ln((n + 1) / k)",
        says="The logarithm of the place; a season tends to 100 and never reaches it.",
        source="the tournament directors' forum",
        scale=3,
        overall="(1 - exp(-average)) * 100",
        numbers=(*_numbers("n=16", "2.833 2.140"), *_numbers("n=16 k=16", "0.061")),
    ),
    _formula(
        "winamax",
        "if(k <= n / 3, sqrt(n / pow(k, exp(10 / n))), 0)",
        says="Steeper in small fields; only the first third earns anything.",
        source="Winamax, by the tournament directors' forum",
        numbers=_numbers("n=63", "7.94 5.29 4.17 3.52 3.09 2.78 2.54 2.35 2.19"),
    ),
    _formula(
        "percent_of_pot",
        """100 * n * if(k == 1, 0.25, if(k == 2, 0.20, if(k == 3, 0.16, if(k == 4, 0.13,
        if(k == 5, 0.11, 0)))))""",
        says="A hundred points an entrant, shared by percent; the five published places.",
        source="playccp.com",
        numbers=_numbers("n=25", "625.00 500.00 400.00 325.00 275.00"),
    ),
    _formula(
        "kontenders",
        "if(k == 1, 10000, if(k == 2, 9000, if(k == 3, 8000, 0))) * (1 + n / 100)",
        says="A table, one percent more for each entrant; 200 for each knockout.",
        source="Kontenders poker league",
        bonuses=(Bonus(kind="knockouts", points="200"),),
        numbers=_numbers("n=25", "12500.00 11250.00 10000.00"),
    ),
    _formula(
        "multipliers",
        "10 * (n - k + 1) * if(k == 1, 2, if(k == 2, 1.5, if(k == 3, 1.25, 1)))",
        says="Ten points a place from the end, multiplied on the podium; 10 for each knockout.",
        source="a home league",
        bonuses=(Bonus(kind="knockouts", points="10"),),
        numbers=_numbers("n=10", "200.00 135.00 100.00 70.00 60.00"),
    ),
    _formula(
        "paid_third_squared",
        "10 * pow(max(0, floor(n / 3) - k + 1), 2)",
        says="The first third, ten times the square of the place from its end.",
        source="cepsworld",
        numbers=_numbers("n=9", "90.00 40.00 10.00 0.00"),
    ),
)

PRESETS = {preset.name: preset for preset in _ALL}
"""The presets by name, in display order."""


def worth(text: str, values: dict[str, str]) -> Decimal:
    """
    Return the unrounded value of a formula for these numbers. A missing name is 0.

    Raises:
        FormulaInvalid: If *text* is not a formula.
        NoValue: If the formula has no value for these numbers.
    """
    names = ("n", "k", "entries", "buy_in", "pool", "spent", "knockouts")
    return evaluate(formula(text), {name: Decimal(values.get(name, "0")) for name in names})
