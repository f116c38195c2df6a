"""``holotable rulesets``: list the rulesets, show one, or compare two."""

import json
import sys

import msgspec
import rich_click as click

from engine.rulesets import PRESETS, preset, ruleset_hash
from engine.rulesets.differences import differences
from service.cli.common import NO, out, print_json


@click.group()
def rulesets() -> None:
    """List the rulesets, show one, or compare two."""


@rulesets.command("list")
def rulesets_list() -> None:
    """List every preset with its game, revision and hash."""
    rows = [("ruleset", "game", "revision", "hash")]
    for name in sorted(PRESETS):
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
    print_json({"name": name, "hash": ruleset_hash(preset(name)), "ruleset": preset(name)})


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
