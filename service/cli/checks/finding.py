"""The findings of checks: faults, each with the command that mends it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

import asyncpg

from service.base.settings import Settings

SHOWN: Final = 5
"""The number of faults of one check that are named. The rest are counted."""


class Fault(NamedTuple):
    """Something that is wrong."""

    said: str
    step: str
    """The mending command in backticks, and the login that it needs."""

    weak: bool = False
    """True if everything works, and the operator should know all the same."""


class CheckFailed(Exception):
    """A failed check, with each of its faults."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(each.said for each in faults[:SHOWN]))
        self.faults = tuple(faults)


Check = Callable[[asyncpg.Connection, Settings], Awaitable[str]]
"""Returns its finding if nothing is wrong. Raises :class:`CheckFailed` otherwise."""


def wrong(said: str, step: str) -> CheckFailed:
    """Return the failure with one fault."""
    return CheckFailed([Fault(said, step)])


def restart(process: str) -> str:
    """Return how to start a process again, for the ways in which it may run."""
    unit = "holotable-api@8000" if process == "api" else f"holotable-{process}"
    return (
        f"start it again: `systemctl restart {unit}`, `docker compose restart {process}`, or "
        "`holotable up`"
    )
