"""The rulesets on the command line: their list, one whole, two compared."""

import json
from typing import Any

import msgspec
from rich.console import Console

from engine.rulesets import PRESETS, preset, ruleset_hash
from engine.rulesets.differences import differences

_out = Console(soft_wrap=True, highlight=False)


def print_list() -> int:
    """Print every preset with its game, its revision and its hash."""
    rows = [("ruleset", "game", "revision", "hash")]
    for name in sorted(PRESETS):
        ruleset = preset(name)
        game = str(msgspec.to_builtins(ruleset)["variant"])
        rows.append((name, game, str(ruleset.revision), ruleset_hash(ruleset)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        _out.print("  ".join(cells).rstrip(), markup=False)
    return 0


def print_one(name: str) -> int:
    """Print one preset with every parameter, as JSON."""
    _print_json({"name": name, "hash": ruleset_hash(preset(name)), "ruleset": preset(name)})
    return 0


def print_differences(one: str, other: str) -> int:
    """Print in what two presets differ, a parameter a line; return 1 if they do."""
    found = differences(preset(one), preset(other))
    for each in found:
        values = (json.dumps(value, sort_keys=True) for value in (each.one, each.other))
        _out.print(f"{each.parameter}: {' -> '.join(values)}", markup=False)
    return 1 if found else 0


def _print_json(content: Any) -> None:
    text = msgspec.json.format(msgspec.json.encode(content, order="sorted"), indent=2)
    _out.print(text.decode(), markup=False)
