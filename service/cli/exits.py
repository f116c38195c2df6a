"""How a command ends: its exit codes, and what is said of the ones that are not 0."""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, Final, NoReturn

from rich.console import Console
from rich.markup import escape

NO: Final = 1
USAGE: Final = 2
AWAY: Final = 3
INTERRUPTED: Final = 130


def stop(code: int, message: str, next_step: str) -> NoReturn:
    """End the process with one sentence of what is wrong and one of what to do."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"[bold red]holotable:[/] {escape(message)}")
    console.print(f"  next: {escape(next_step)}")
    sys.exit(code)


def awaited(work: Coroutine[Any, Any, int]) -> NoReturn:
    """Run *work* to its end and leave with the code it returns."""
    sys.exit(asyncio.run(work))
