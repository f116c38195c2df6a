"""The rulesets."""

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
