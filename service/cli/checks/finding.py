"""The findings of checks: faults, each with the command that repairs it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

import asyncpg

from service.base.settings import Settings

SHOWN: Final = 5
"""The most faults of one check that are named. The others are only counted."""


class Fault(NamedTuple):
    """A fault in an installation."""

    said: str
    step: str
    """The command that repairs it, in backticks, and the login that the command needs."""

    weak: bool = False
    """True if everything works, and the fault is only a warning."""


class CheckFailed(Exception):
    """A failed check, with each of its faults."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(each.said for each in faults[:SHOWN]))
        self.faults = tuple(faults)


Check = Callable[[asyncpg.Connection, Settings], Awaitable[str]]
"""Returns the finding if there is no fault. Raises :class:`CheckFailed` otherwise."""


def wrong(said: str, step: str) -> CheckFailed:
    """Return a failure with one fault."""
    return CheckFailed([Fault(said, step)])


def restart(process: str) -> str:
    """Return how to restart a process, for each way in which it may run."""
    unit = "holotable-api@8000" if process == "api" else f"holotable-{process}"
    return (
        f"start it again: `systemctl restart {unit}`, `docker compose restart {process}`, or "
        "`holotable up`"
    )
