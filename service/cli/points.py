"""``holotable points``: list the points formulas, or try one."""

import re
import sys

import rich_click as click

from engine.season import presets as formulas
from engine.season.expression import FormulaInvalid, NoValue
from engine.season.points import FORMULA_NAMES, written
from engine.season.values import PlacesFromEnd, PointsFormula, PointsRule
from service.cli.common import NO, USAGE, err, out

_VALUE = re.compile(r"^([a-z_]+)=(\d+(?:\.\d+)?)$")

_SCALE = 4


@click.group()
def points() -> None:
    """List the points formulas, or try one."""


@points.command("list")
def points_list() -> None:
    """List the presets for seasons."""
    for name, formula in formulas.PRESETS.items():
        out.print(f"[bold]{name}[/]  {formula.says}")
        out.print(f"    {_shown(formula.points)}", markup=False)
        if formula.overall is not None:
            out.print(f"    season: {formula.overall}", markup=False)
        for bonus in formula.bonuses:
            out.print(f"    {bonus.kind}: {bonus.points}", markup=False)


def _shown(rule: PointsRule) -> str:
    match rule:
        case PointsFormula(text=text):
            return text
        case PlacesFromEnd(per_place=each):
            return f"{each} for each place from the end"
        case table:
            return " ".join(table.points)


@points.command("try")
@click.argument("formula")
@click.argument("values", nargs=-1, metavar="NAME=NUMBER...")
def points_try(formula: str, values: tuple[str, ...]) -> None:
    """Print the value of FORMULA for values such as n=16 k=1."""
    given: dict[str, str] = {}
    for each in values:
        match = _VALUE.match(each)
        if match is None or match[1] not in FORMULA_NAMES:
            known = ", ".join(sorted(FORMULA_NAMES))
            err.print(
                f"{each} is no value\n  next: write name=number; the names are {known}",
                markup=False,
            )
            sys.exit(USAGE)
        given[match[1]] = match[2]
    try:
        out.print(written(formulas.worth(formula, given), scale=_SCALE), markup=False)
    except FormulaInvalid as error:
        err.print(f"{error.detail}\n  next: see docs/guides/points.md", markup=False)
        sys.exit(USAGE)
    except NoValue as none:
        err.print(f"the formula has no value: {none.cause}", markup=False)
        sys.exit(NO)
