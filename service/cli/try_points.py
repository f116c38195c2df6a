"""The points formulas on the command line: their list, and a try of one's own."""

import re

from rich.console import Console

from engine.season.expression import FormulaInvalid, NoValue
from engine.season.points import FORMULA_NAMES, written
from engine.season.presets import PRESETS, worth
from engine.season.values import PlacesFromEnd, PointsFormula, PointsRule

_out = Console(soft_wrap=True, highlight=False)
_err = Console(stderr=True, soft_wrap=True, highlight=False)

_VALUE = re.compile(r"^([a-z_]+)=(\d+(?:\.\d+)?)$")
_SCALE = 4


def print_list() -> int:
    """Print every preset with what it says and how it counts."""
    for name, preset in PRESETS.items():
        _out.print(f"[bold]{name}[/]  {preset.says}")
        _out.print(f"    {_shown(preset.points)}", markup=False)
        if preset.overall is not None:
            _out.print(f"    season: {preset.overall}", markup=False)
        for bonus in preset.bonuses:
            _out.print(f"    {bonus.kind}: {bonus.points}", markup=False)
    return 0


def _shown(rule: PointsRule) -> str:
    match rule:
        case PointsFormula(text=text):
            return text
        case PlacesFromEnd(per_place=each):
            return f"{each} for each place from the end"
        case table:
            return " ".join(table.points)


def print_try(formula: str, given: tuple[str, ...]) -> int:
    """Print what *formula* is worth for ``name=number``; 1 if nothing, 2 if it is no formula."""
    values: dict[str, str] = {}
    for each in given:
        match = _VALUE.match(each)
        if match is None or match[1] not in FORMULA_NAMES:
            known = ", ".join(sorted(FORMULA_NAMES))
            _err.print(f"{each}\n  next: write name=number; there are {known}", markup=False)
            return 2
        values[match[1]] = match[2]
    try:
        _out.print(written(worth(formula, values), scale=_SCALE), markup=False)
    except FormulaInvalid as error:
        _err.print(f"{error.detail}\n  next: see docs/guides/points.md", markup=False)
        return 2
    except NoValue as none:
        _err.print(f"no value there: {none.cause}", markup=False)
        return 1
    return 0
