"""The rulesets, and the formulas of points."""

import sys

import rich_click as click

from service.commands.loading import owner


@click.group()
def rulesets() -> None:
    """List the rulesets, show one whole, compare two."""


@rulesets.command("list")
def list_rulesets() -> None:
    """List every preset with its game, revision and hash."""
    sys.exit(owner("service.rulesets:print_list")())


@rulesets.command("show")
@click.argument("name")
def show_ruleset(name: str) -> None:
    """Print preset NAME with every parameter, as JSON."""
    sys.exit(owner("service.rulesets:print_one")(name))


@rulesets.command("diff")
@click.argument("one")
@click.argument("other")
def compare_rulesets(one: str, other: str) -> None:
    """Print in what presets ONE and OTHER differ; 1 if they do."""
    sys.exit(owner("service.rulesets:print_differences")(one, other))


@click.group()
def points() -> None:
    """List the formulas that points are counted by, try one."""


@points.command("list")
def list_points() -> None:
    """List every preset that a season may name."""
    sys.exit(owner("service.points:print_list")())


@points.command("try")
@click.argument("formula")
@click.argument("values", nargs=-1, metavar="NAME=NUMBER...")
def try_points(formula: str, values: tuple[str, ...]) -> None:
    """Print what FORMULA is worth for n=16 k=1; 1 if it has no value, 2 if it is no formula."""
    sys.exit(owner("service.points:print_try")(formula, values))
