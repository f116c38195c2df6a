"""``holotable selfplay``: a bot against house bots, in memory."""

import re
import sys
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
import rich_click as click
from rich.progress import Progress, TaskID

from engine.rulesets import PRESETS
from service.cli.common import NO, REPORT, USAGE, err, out, stop
from service.sandbox.bots.strengths import STYLES, Strength
from service.sandbox.selfplay.game import DECISION_SECONDS
from service.sandbox.selfplay.match import Match, Played, Report
from service.sandbox.selfplay.players import BotUnusable, Candidate, Program, function_of

_FUNCTION: Final = re.compile(r"^(?P<path>[^\s]+\.py):(?P<name>[A-Za-z_]\w*)$")
_ALL: Final = "all"


@click.command()
@click.argument("bot")
@click.option(
    "--hands",
    type=click.IntRange(1, 1_000_000),
    default=1000,
    show_default=True,
    help="Hands of each ruleset, at least. Games are played to their end.",
)
@click.option(
    "--ruleset",
    type=click.Choice((_ALL, *sorted(PRESETS))),
    default="better_simple",
    show_default=True,
    metavar="NAME",
    help="A ruleset, or `all` of them.",
)
@click.option(
    "--against",
    type=click.Choice((*STYLES, "mixed")),
    default="steady",
    show_default=True,
    help="Strength of the house bots.",
)
@click.option(
    "--seats", type=click.IntRange(2, 8), default=4, show_default=True, help="Players at the table."
)
@click.option(
    "--seed", type=click.IntRange(1), default=1, show_default=True, help="Seed of the cards."
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.01, 600),
    default=DECISION_SECONDS,
    show_default=True,
    help="Time for a decision.",
)
@REPORT
def selfplay(
    bot: str,
    hands: int,
    ruleset: str,
    against: str,
    seats: int,
    seed: int,
    seconds: float,
    report_file: Path | None,
) -> None:
    """
    Let BOT play against house bots in memory, and report what it won and got wrong.

    BOT is [bold]file.py:function[/], a function from a view to an action, or a command that
    reads one view a line and writes one action a line.  Views and actions are those of the API.
    Exit with 1 if BOT did anything illegal, was late or ended.
    """
    names = sorted(PRESETS) if ruleset == _ALL else [ruleset]
    program: Program | None = None
    try:
        if (match := _FUNCTION.match(bot)) is not None:
            tested = Candidate(function_of(Path(match["path"]), match["name"]), seconds)
        else:
            program = Program(bot, seconds)
            tested = Candidate(program.ask, seconds)
        report = _played(
            Match(bot=tested, against=_others(against, seats), seed=seed), names, hands
        )
    except BotUnusable as error:
        stop(USAGE, str(error), "see docs/guides/write-a-bot.md")
    finally:
        if program is not None:
            program.close()
    if report_file is not None:
        text = msgspec.json.format(msgspec.json.encode(report), indent=2)
        report_file.write_bytes(text + b"\n")
    _print(report)
    sys.exit(0 if report.clean else NO)


def _others(against: str, seats: int) -> list[Strength]:
    known: list[Strength] = list(STYLES)
    wanted = known if against == "mixed" else [each for each in known if each == against]
    return [wanted[number % len(wanted)] for number in range(seats - 1)]


def _played(match: Match, names: list[str], hands: int) -> Report:
    with Progress(console=err, transient=True) as progress:
        for name in names:
            task = progress.add_task(name, total=hands)
            match.play(name, hands, partial(_advance, progress, task))
    return match.report()


def _advance(progress: Progress, task: TaskID, dealt: int) -> None:
    progress.update(task, completed=dealt)


def _print(report: Report) -> None:
    out.print(f"against {len(report.against)} house bots: {', '.join(report.against)}")
    for each in report.played:
        out.print(_line(each), markup=False)
    median, high, most = report.milliseconds
    out.print(
        f"{report.decisions} decisions, each answered in {median:.1f} ms (half of them), "
        f"{high:.1f} ms (99 of 100), {most:.1f} ms (all)"
    )
    if report.clean:
        out.print("every decision got a legal action in time")
        return
    count = sum(report.faults.values())
    out.print(f"[bold red]{count} decisions were not answered[/]; the clock answered them")
    for key, number in report.faults.items():
        out.print(f"  {number:>6}  {key}", markup=False)
    for example in report.examples:
        out.print(
            f"  {example['code']}: {example['detail']}\n"
            f"      phase {example['phase']}, legal: {', '.join(example['legal'])}\n"
            f"      sent {msgspec.json.encode(example['action']).decode()}",
            markup=False,
        )


def _line(played: Played) -> str:
    return (
        f"  {played.ruleset:<14} won {played.won:>4.0%} of {played.games} games (equal players: "
        f"{played.fair:.0%}); {played.stacks:.2f} ± {played.give_or_take:.2f} starting stacks at "
        f"the end (equal players: 1.00); {played.hands} hands"
    )
