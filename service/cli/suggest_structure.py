"""Structures of tournaments on the command line."""

from typing import Any

import msgspec
from rich.console import Console

from engine.rulesets import preset
from engine.rulesets.errors import RulesetInvalid, RulesetUnknown
from engine.rulesets.parts import Levels, LevelStep
from engine.rulesets.structure import hand_seconds, suggest
from service.cli.exits import USAGE

SEATS = 6
"""Of the table whose hands are counted."""

_out = Console(soft_wrap=True, highlight=False)


def print_suggestion(ruleset: str, *, players: int, stack: int, minutes: int, as_json: bool) -> int:
    """Print levels for a tournament that is to end near *minutes*; wrong usage without any."""
    try:
        levels = suggest(preset(ruleset), players=players, stack=stack, minutes=minutes)
    except (RulesetUnknown, RulesetInvalid) as error:
        Console(stderr=True, soft_wrap=True).print(error.detail, markup=False)
        return USAGE
    if as_json:
        escalation = Levels(by="clock", levels=levels)
        content: Any = {"escalation": escalation, "starting_stack": stack}
        text = msgspec.json.format(msgspec.json.encode(content, order="sorted"), indent=2)
        _out.print(text.decode(), markup=False)
        return 0
    _out.print(f"{players} players with {stack} chips, about {minutes} minutes", markup=False)
    _out.print("level  begins   small     big    ante  minutes  hands", markup=False)
    begins = 0
    for number, level in enumerate(levels, start=1):
        _out.print(_row(number, begins, level), markup=False)
        begins += level.length or 0
    return 0


def _row(number: int, begins: int, level: LevelStep) -> str:
    clock = f"{begins // 3600}:{begins // 60 % 60:02}"
    lasts, hands = "stays", "-"
    if level.length is not None:
        lasts = f"{level.length / 60:g}"
        hands = str(level.length // hand_seconds(SEATS))
    bets = "".join(f"{chips or '-':>8}" for chips in (level.small, level.big, level.ante))
    return f"{number:>5}{clock:>8}{bets}{lasts:>9}{hands:>7}"
