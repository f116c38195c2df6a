"""The parts that every command uses: lazy loading, settings, consoles and exits."""

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NoReturn

import msgspec
import rich_click as click
from rich.console import Console
from rich.markup import escape

from service.base import settings as environment

NO: Final = 1
USAGE: Final = 2
AWAY: Final = 3
INTERRUPTED: Final = 130

FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
"""A file that must exist."""

DRY_RUN: Final = click.option(
    "--dry-run", is_flag=True, help="Say what would be done, and change nothing."
)
"""The option of every command that removes something. The command takes it as ``dry_run``."""

REASON: Final = click.option(
    "--reason",
    required=True,
    type=str,
    help="For the operators' log, 500 characters at most. No secrets.",
)
"""The option of commands that the operators' log gives a reason for. Taken as ``reason``."""

REPORT: Final = click.option(
    "--json",
    "report_file",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="File for the report.",
)
"""The option of commands that judge a program. The command takes it as ``report_file``."""

out: Final = Console(soft_wrap=True, highlight=False)
err: Final = Console(stderr=True, soft_wrap=True, highlight=False)


def plain(text: str) -> str:
    """
    Return *text* with control characters made visible, except line breaks.

    Reasons of faults quote texts of other people, and an escape sequence would control the
    terminal.
    """
    return "".join(
        each if each.isprintable() or each == "\n" else each.encode("unicode_escape").decode()
        for each in text
    )


def print_json(content: object) -> None:
    """Print *content* as JSON, with sorted members."""
    text = msgspec.json.format(msgspec.json.encode(content, order="sorted"), indent=2)
    out.print(text.decode(), markup=False)


@contextmanager
def importing() -> Iterator[None]:
    """
    Suspend garbage collection for the length of the block.

    Nearly everything that an import makes lives as long as the process. Searching it again and
    again would take a fifth of the time of the API's imports.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Lazily(click.RichCommand):
    """
    A command that is listed at once and imported when it is called.

    ``load`` imports the command and returns it.  The function's name is the command's name,
    and its docstring is the line that the list shows.
    """

    def __init__(self, load: Callable[[], click.Command]) -> None:
        super().__init__(name=load.__name__.replace("_", "-"), help=load.__doc__)
        self.load = load

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # the arguments as click passes them on
    ) -> click.Context:
        """Return the context of the imported command. Click invokes the command of a context."""
        with importing():
            command = self.load()
        return command.make_context(info_name, args, parent, **extra)


def settings() -> environment.Settings:
    """Return the settings of the environment, or end the process with the fault in them."""
    try:
        return environment.read(os.environ)
    except environment.SettingsInvalid as error:
        stop(USAGE, str(error), "set HOLOTABLE_DATABASE_URL and HOLOTABLE_SECRET_KEY, or try `up`")


def server() -> str | None:
    """Return the server that the environment names for `demo` and `up`, or None."""
    try:
        return environment.given_server(os.environ)
    except environment.SettingsInvalid as error:
        stop(
            USAGE,
            str(error),
            "correct it, or unset it and use the PostgreSQL that comes with Holotable",
        )


def stop(code: int, message: str, next_step: str) -> NoReturn:
    """End the process with two sentences: the fault, and the next step."""
    err.print(f"[bold red]holotable:[/] {escape(message)}")
    err.print(f"  next: {escape(next_step)}")
    sys.exit(code)


def awaited(work: Coroutine[None, None, int]) -> NoReturn:
    """Run *work* to its end, and exit with the code that it returns."""
    sys.exit(asyncio.run(work))
