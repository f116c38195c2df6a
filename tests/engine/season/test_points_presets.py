"""The points formulas of the presets give their published numbers."""

from decimal import Decimal

import pytest

from engine.season import decider
from engine.season.expression import evaluate
from engine.season.points import written
from engine.season.presets import PRESETS, Preset, Worked, worth
from engine.season.standings import overall_formula
from engine.season.values import Aggregation, Bonus, PlacesFromEnd, PointsFormula, PointsTable
from tests.engine.scenario import Scenario
from tests.engine.season.seasons import opening

FORMULAS = [each for each in PRESETS.values() if isinstance(each.points, PointsFormula)]
NUMBERS = [(preset, worked) for preset in FORMULAS for worked in preset.numbers]
OVERALL = [(preset, worked) for preset in FORMULAS for worked in preset.overall_numbers]


def points_of(preset: Preset, **values: str) -> Decimal:
    assert isinstance(preset.points, PointsFormula)
    return worth(preset.points.text, values)


@pytest.mark.parametrize(("preset", "worked"), NUMBERS, ids=lambda it: getattr(it, "name", ""))
def test_a_preset_gives_its_published_numbers(preset: Preset, worked: Worked) -> None:
    """Each number has the scale of its preset."""
    points = points_of(preset, **worked.values)

    assert written(points, scale=preset.scale) == worked.points


@pytest.mark.parametrize(("preset", "worked"), OVERALL, ids=lambda it: getattr(it, "name", ""))
def test_a_preset_gives_its_published_number_for_a_season(preset: Preset, worked: Worked) -> None:
    """In the Stockholm formula, 300 points from nine games make 100."""
    values = {
        name: Decimal(worked.values.get(name, "0")) for name in ("total", "average", "played")
    }
    assert preset.overall is not None

    points = evaluate(overall_formula(preset.overall), values)

    assert written(points, scale=2) == worked.points


def test_the_paid_third_of_winamax_adds_up_to_the_published_sum() -> None:
    """Places 1 to 21 of 63 sum to 53.45, and place 22 gets 0."""
    each = [points_of(PRESETS["winamax"], n="63", k=str(place)) for place in range(1, 23)]

    assert written(sum(each, Decimal(0)), scale=2) == "53.45"
    assert each[21] == 0


def test_a_season_of_td_scores_tends_to_a_hundred() -> None:
    """The overall formula is 1 - e^-avg. An average of ln 17 leaves one seventeenth."""
    overall = PRESETS["td_score"].overall
    assert overall is not None
    average = points_of(PRESETS["td_score"], n="16", k="1")

    points = evaluate(overall_formula(overall), {"average": average})

    assert points.quantize(Decimal("0.000001")) == Decimal("94.117647")


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.name)
def test_a_season_can_be_opened_by_every_preset(preset: Preset) -> None:
    """Each preset has a value for every field and place that an opening tries."""
    command = opening(
        preset.points, scale=preset.scale, overall=preset.overall, bonuses=preset.bonuses
    )

    (opened,) = Scenario(decider).when(command).events()

    assert opened.points == preset.points
    assert opened.aggregation == Aggregation()


def test_knockouts_are_bonuses_of_the_presets_that_pay_for_them() -> None:
    """The bonuses are entries of their own, apart from the formula."""
    given = {name: each.bonuses for name, each in PRESETS.items() if each.bonuses}

    assert given == {
        "kontenders": (Bonus(kind="knockouts", points="200"),),
        "multipliers": (Bonus(kind="knockouts", points="10"),),
    }
    assert isinstance(PRESETS["places_from_end"].points, PlacesFromEnd)
    assert isinstance(PRESETS["table"].points, PointsTable)
