"""``holotable structure``: propose the levels of a tournament."""

import sys

import rich_click as click
from rich.console import Console

from engine.rulesets import preset
from engine.rulesets.errors import RulesetInvalid, RulesetUnknown
from engine.rulesets.parts import Levels, LevelStep
from engine.rulesets.structure import hand_seconds, suggest
from service.cli.common import USAGE, out, print_json

SEATS = 6
"""The seats of the table in estimates of hands."""


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
        print_json({"escalation": escalation, "starting_stack": stack})
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
