"""The rulesets, and the formulas of points."""

import sys

import rich_click as click

from service.cli.loading import owner


@click.group()
def rulesets() -> None:
    """List the rulesets, show one whole, compare two."""


@click.group()
def structure() -> None:
    """Propose the levels of a tournament."""


@structure.command("suggest")
@click.option("--players", type=click.IntRange(2, 100_000), required=True, help="How many enter.")
@click.option("--stack", type=click.IntRange(1), required=True, help="Chips of everybody.")
@click.option(
    "--minutes", type=click.IntRange(45, 1440), required=True, help="How long it is to last."
)
@click.option("--ruleset", default="better", show_default=True, help="A preset.")
@click.option("--json", "as_json", is_flag=True, help="As the override of a ruleset.")
def suggest_structure(players: int, stack: int, minutes: int, ruleset: str, as_json: bool) -> None:
    """
    Print levels after which a tournament ends near the time asked for.

    The forced bets of each level, its length and about how many hands a table of six has
    in it.  With [bold]--json[/] the same as the `overrides` of an announcement.
    """
    asked = {"players": players, "stack": stack, "minutes": minutes}
    sys.exit(
        owner("service.cli.suggest_structure:print_suggestion")(ruleset, as_json=as_json, **asked)
    )


@rulesets.command("list")
def list_rulesets() -> None:
    """List every preset with its game, revision and hash."""
    sys.exit(owner("service.cli.compare_rulesets:print_list")())


@rulesets.command("show")
@click.argument("name")
def show_ruleset(name: str) -> None:
    """Print preset NAME with every parameter, as JSON."""
    sys.exit(owner("service.cli.compare_rulesets:print_one")(name))


@rulesets.command("diff")
@click.argument("one")
@click.argument("other")
def compare_rulesets(one: str, other: str) -> None:
    """Print in what presets ONE and OTHER differ; 1 if they do."""
    sys.exit(owner("service.cli.compare_rulesets:print_differences")(one, other))


@click.group()
def points() -> None:
    """List the formulas that points are counted by, try one."""


@points.command("list")
def list_points() -> None:
    """List every preset that a season may name."""
    sys.exit(owner("service.cli.try_points:print_list")())


@points.command("try")
@click.argument("formula")
@click.argument("values", nargs=-1, metavar="NAME=NUMBER...")
def try_points(formula: str, values: tuple[str, ...]) -> None:
    """Print what FORMULA is worth for n=16 k=1; 1 if it has no value, 2 if it is no formula."""
    sys.exit(owner("service.cli.try_points:print_try")(formula, values))
