"""``holotable rulesets``, ``structure`` and ``points``: rules that need no server."""

import json
import re
import sys

import msgspec
import rich_click as click
from rich.console import Console

from engine import rulesets as rules
from engine.rulesets import preset, ruleset_hash
from engine.rulesets.differences import differences
from engine.rulesets.errors import RulesetInvalid, RulesetUnknown
from engine.rulesets.parts import Levels, LevelStep
from engine.rulesets.structure import hand_seconds, suggest
from engine.season import presets as formulas
from engine.season.expression import FormulaInvalid, NoValue
from engine.season.points import FORMULA_NAMES, written
from engine.season.values import PlacesFromEnd, PointsFormula, PointsRule
from service.cli.common import NO, USAGE, err, out

SEATS = 6
"""The seats of the table in estimates of hands."""

_VALUE = re.compile(r"^([a-z_]+)=(\d+(?:\.\d+)?)$")
_SCALE = 4


@click.group()
def rulesets() -> None:
    """List the rulesets, show one, or compare two."""


@rulesets.command("list")
def rulesets_list() -> None:
    """List every preset with its game, revision and hash."""
    rows = [("ruleset", "game", "revision", "hash")]
    for name in sorted(rules.PRESETS):
        ruleset = preset(name)
        game = str(msgspec.to_builtins(ruleset)["variant"])
        rows.append((name, game, str(ruleset.revision), ruleset_hash(ruleset)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        out.print("  ".join(cells).rstrip(), markup=False)


@rulesets.command("show")
@click.argument("name")
def rulesets_show(name: str) -> None:
    """Print the preset NAME with every parameter, as JSON."""
    _print_json({"name": name, "hash": ruleset_hash(preset(name)), "ruleset": preset(name)})


@rulesets.command("diff")
@click.argument("one")
@click.argument("other")
def rulesets_diff(one: str, other: str) -> None:
    """Print the differences of presets ONE and OTHER. Exit with 1 if there are any."""
    found = differences(preset(one), preset(other))
    for each in found:
        values = (json.dumps(value, sort_keys=True) for value in (each.one, each.other))
        out.print(f"{each.parameter}: {' -> '.join(values)}", markup=False)
    sys.exit(NO if found else 0)


def _print_json(content: object) -> None:
    text = msgspec.json.format(msgspec.json.encode(content, order="sorted"), indent=2)
    out.print(text.decode(), markup=False)


@click.group()
def structure() -> None:
    """Propose the levels of a tournament."""


@structure.command("suggest")
@click.option(
    "--players", type=click.IntRange(2, 100_000), required=True, help="Number of entrants."
)
@click.option("--stack", type=click.IntRange(1), required=True, help="Starting stack in chips.")
@click.option("--minutes", type=click.IntRange(45, 1440), required=True, help="Planned length.")
@click.option("--ruleset", default="better", show_default=True, help="A preset.")
@click.option("--json", "as_json", is_flag=True, help="Print the override of a ruleset, as JSON.")
def structure_suggest(players: int, stack: int, minutes: int, ruleset: str, as_json: bool) -> None:
    """
    Print levels with which a tournament takes about the given time.

    Each line shows the forced bets of a level, its length, and an estimate of the hands at a
    table of six.  [bold]--json[/] prints the levels as the `overrides` of an announcement.
    """
    try:
        levels = suggest(preset(ruleset), players=players, stack=stack, minutes=minutes)
    except (RulesetUnknown, RulesetInvalid) as error:
        Console(stderr=True, soft_wrap=True).print(error.detail, markup=False)
        sys.exit(USAGE)
    if as_json:
        escalation = Levels(by="clock", levels=levels)
        _print_json({"escalation": escalation, "starting_stack": stack})
        return
    out.print(f"{players} players with {stack} chips, about {minutes} minutes", markup=False)
    out.print("level  begins   small     big    ante  minutes  hands", markup=False)
    begins = 0
    for number, level in enumerate(levels, start=1):
        out.print(_row(number, begins, level), markup=False)
        begins += level.length or 0


def _row(number: int, begins: int, level: LevelStep) -> str:
    clock = f"{begins // 3600}:{begins // 60 % 60:02}"
    lasts, hands = "stays", "-"
    if level.length is not None:
        lasts = f"{level.length / 60:g}"
        hands = str(level.length // hand_seconds(SEATS))
    bets = "".join(f"{chips or '-':>8}" for chips in (level.small, level.big, level.ante))
    return f"{number:>5}{clock:>8}{bets}{lasts:>9}{hands:>7}"


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
