"""``holotable demo``: a league night with bots, and its audit."""

import asyncio
import json
import signal
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from types import FrameType
from typing import Final

import httpx
import psycopg
import rich_click as click
from rich.console import Console

from engine.rulesets import PRESETS
from service.base.database import DATABASE, ServerRefused
from service.base.embedded import ClusterFailed
from service.base.scratch import Scratch
from service.base.sources import DatabaseClock
from service.cli.common import USAGE, server, stop
from service.process import demos, people
from service.process.starting import StackFailed
from service.process.supervisor import Stack
from service.sandbox.bots.client import Problem, Unreachable
from service.sandbox.demo.floor import TournamentLost
from service.sandbox.demo.night import ORGANISER, Night, NightFailed, Outcome
from service.sandbox.demo.options import Options
from service.sandbox.demo.proof import prove
from service.sandbox.demo.teller import Teller


def known_ruleset(
    _context: click.Context, _option: click.Parameter, name: str | None
) -> str | None:
    """Return *name* if a ruleset has it, or report wrong usage."""
    if name is not None and name not in PRESETS:
        raise click.BadParameter(f"there is no ruleset {name}; choose one of {', '.join(PRESETS)}")
    return name


@click.command()
@click.option(
    "--players",
    type=click.IntRange(4, 60),
    default=12,
    show_default=True,
    help="Bots in each tournament.",
)
@click.option(
    "--ruleset",
    default=None,
    callback=known_ruleset,
    help="One ruleset for every tournament.  [dim]default: better, then cantina[/]",
)
@click.option(
    "--seed", type=click.IntRange(0), default=4, show_default=True, help="Seed of the cards."
)
@click.option(
    "--tournaments",
    type=click.IntRange(1, 12),
    default=2,
    show_default=True,
    help="Tournaments, played one after the other for one season.",
)
@click.option("--keep", is_flag=True, help="Keep the data, and print where they are.")
@click.option(
    "--json",
    "summary",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="File for a summary: figures, audits and winners.",
)
@click.option(
    "--watch",
    is_flag=True,
    help="Play slowly enough to watch, print the address, and run until Ctrl-C.",
)
@click.option(
    "--drop-left",
    is_flag=True,
    help="Play nothing. Remove what killed demos have left on the server.",
)
@click.option("--dry-run", is_flag=True, help="With --drop-left: show it, and change nothing.")
def demo(
    players: int,
    ruleset: str | None,
    seed: int,
    tournaments: int,
    keep: bool,
    summary: Path | None,
    watch: bool,
    drop_left: bool,
    dry_run: bool,
) -> None:
    """
    Play a league night with bots, print its story and audit every hand.

    The demo starts a PostgreSQL (or uses that of HOLOTABLE_DATABASE_URL), the API, the
    projections and a Celery worker, and stops them all at the end.  The same [bold]--seed[/]
    gives the same cards for the same tournament, table and hand.
    """
    if drop_left or dry_run:
        sys.exit(_drop_left(drop_left, dry_run))
    options = Options(
        players=players,
        ruleset=ruleset,
        seed=seed,
        tournaments=tournaments,
        keep=keep,
        summary=summary,
        server=server(),
        watch=watch,
    )
    sys.exit(play(options))


CHANGES: Final = {
    "tick_milliseconds": 50,
    "sweep_seconds": 1,
    "sign_seconds": 2,
    "log_level": "warning",
}
"""Shorter intervals than usual, which make the night quick."""

NIGHT_SECONDS: Final = 600.0
WATCH_SECONDS: Final = 0.5


def play(options: Options) -> int:
    """
    Play a night and return the exit code: 0 if every audit passed.

    The data are removed at the end, unless ``--keep`` is set or the night failed.
    """
    console = Console(soft_wrap=True, highlight=False)
    if options.server is not None:
        _tell_left(console, options.server)
    scratch = Scratch(demos.FOLDERS)
    directory = scratch.folder
    if options.server is not None:
        scratch.keep()  # it holds the passwords of the server's roles
    stack = Stack(
        directory,
        durable=False,
        options=CHANGES,
        server=options.server,
        # Our own server uses the default name, so that `up --data` can continue with it.
        name=DATABASE if options.server is None else directory.name.replace("-", "_"),
    )
    signal.signal(signal.SIGTERM, _interrupt)
    at = nullcontext() if stack.server is None else demos.under_way(stack.server, stack.name)
    with at:  # until its databases are kept or gone
        return _to_its_end(console, options, stack, scratch)


def _to_its_end(console: Console, options: Options, stack: Stack, scratch: Scratch) -> int:
    code = 1
    try:
        code = _on_a_stack(console, options, stack, time.monotonic())
    except ServerRefused:
        code = 2  # nothing has changed
        raise
    except (ClusterFailed, StackFailed, NightFailed, TournamentLost, Problem, Unreachable) as error:
        console.print(f"[bold red]the night failed:[/] {type(error).__name__}: {error}")
    except KeyboardInterrupt:
        console.print("\ninterrupted; everything has been stopped")
        code = 130
    finally:
        if options.keep or code == 1:
            scratch.keep()
            console.print(f"data and logs: {stack.where}")
            if options.server is None:
                console.print(f"  to look at them: holotable up --data {scratch.folder}")
            else:
                _keep(console, options.server, stack.name)
        else:
            stack.discard()
        scratch.close()
    return code


def _keep(console: Console, url: str, name: str) -> None:
    """Mark the database as kept. A night may have failed before it was made, or with the server."""
    try:
        demos.mark(url, name, demos.KEPT)
    except psycopg.Error as error:
        console.print(f"  {name} is not marked as kept: {str(error).strip()}")


def _tell_left(console: Console, url: str) -> None:
    for name in demos.remains(url).databases:
        console.print(f"{name}: a demo that was killed has left it on the server")
        console.print("  next: holotable demo --drop-left --dry-run")


def _drop_left(drop_left: bool, dry_run: bool) -> int:
    """Remove what killed demos have left on the given server, and say what that is."""
    url = server()
    if not drop_left or url is None:
        stop(
            USAGE,
            "--dry-run is for --drop-left" if not drop_left else "no server is named",
            "set HOLOTABLE_DATABASE_URL, and see `holotable demo --drop-left --dry-run`",
        )
    left, console = demos.remains(url), Console(soft_wrap=True, highlight=False)
    if not left.databases:
        console.print("no demo has left anything on this server")
        return 0
    if dry_run:
        console.print("dry run, nothing was done; without it this is removed:")
    elif stay := demos.drop(url, left):
        console.print(f"somebody uses or keeps {', '.join(stay)}: what is left stays")
        return 1
    else:
        console.print("removed:")
    for name in left.databases:
        console.print(f"  database {name}")
    if left.passwords:
        console.print(f"  Holotable's roles{'' if left.roles else ': their passwords only'}")
    else:
        console.print("  no roles and no passwords: other databases use them")
    for folder in left.folders:
        console.print(f"  folder {folder}")
    if not left.folders:
        console.print("  its folder with logs and passwords is not here: remove it where it ran")
    return 0


def _on_a_stack(console: Console, options: Options, stack: Stack, began: float) -> int:
    own = "" if stack.server is not None else "PostgreSQL, "
    console.print(f"starting {own}signer, API, projections and a Celery worker")
    with stack:
        if stack.server is not None:
            made = demos.MADE if stack.roles_found else demos.MADE_ROLES
            demos.mark(stack.server, stack.name, demos.KEPT if options.keep else made)
        console.print(f"  {stack.url}, after {time.monotonic() - began:.1f} s")
        with Teller(console, steps=options.players * options.tournaments) as teller:
            outcome = asyncio.run(_played(stack, options, teller))
        outcome.proved = prove(console, stack, outcome.season, outcome.signers)
        _report(console, outcome, time.monotonic() - began)
        if options.summary is not None:
            options.summary.write_text(json.dumps(outcome.summary(), indent=2), encoding="utf-8")
        if options.watch:
            _stay(console, stack)
    return 0 if outcome.passed and outcome.proved else 1


def _stay(console: Console, stack: Stack) -> None:
    """Keep the console open, with everything that the night has left, until Ctrl-C."""
    console.print(f"\nthe night is over; its pages stay open until Ctrl-C: {stack.url}/")
    try:
        while True:
            stack.check()
            time.sleep(WATCH_SECONDS)
    except KeyboardInterrupt:
        console.print("\nstopped")


async def _played(stack: Stack, options: Options, teller: Teller) -> Outcome:
    limits = httpx.Limits(max_connections=options.players * 4, max_keepalive_connections=64)
    async with httpx.AsyncClient(base_url=stack.url, limits=limits, timeout=40) as http:
        told: list[str] = []

        async def announced(tournament: str) -> None:
            if not told:
                code = await people.sign_in_code(stack.settings("api"), ORGANISER)
                teller.say(f"sign in first, once, as the organiser: {stack.url}/sign-in/{code}")
            told.append(tournament)
            teller.say(f"then look on: {stack.url}/tournaments/{tournament}/floor")

        playing = Night(
            http, options, teller, DatabaseClock(), announced if options.watch else None
        )
        night = asyncio.create_task(playing.play())
        guard = asyncio.create_task(_guarded(stack))
        done, _ = await asyncio.wait(
            {night, guard},
            return_when=asyncio.FIRST_COMPLETED,
            timeout=None if options.watch else NIGHT_SECONDS,
        )
        for task in (night, guard):
            task.cancel()
        await asyncio.gather(night, guard, return_exceptions=True)
        if guard in done:
            await guard
        if night not in done:
            raise NightFailed(f"no end after {NIGHT_SECONDS:.0f} s")
        return _result(night)


def _result(night: asyncio.Task[Outcome]) -> Outcome:
    """Return the outcome of the night, or raise its first error."""
    error = night.exception()
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if error is not None:
        raise error
    return night.result()


async def _guarded(stack: Stack) -> None:
    while True:
        stack.check()
        await asyncio.sleep(WATCH_SECONDS)


def _report(console: Console, outcome: Outcome, seconds: float) -> None:
    console.print("\n[bold]Counted[/]")
    for name, figure in outcome.summary()["counters"].items():
        console.print(f"  {name.replace('_', ' '):<20} {figure:>7}")
    for refusal in outcome.refusals:
        console.print(f"  [red]refused[/] {refusal}")
    console.print(f"  {'seconds':<20} {seconds:>7.1f}")


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
