"""What a worker does, by the name of the task; every duty may be done twice without harm."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

from service import clocks, directing, watching
from service.desk import Desk
from service.tasks import audits, signing

PLAY = "play"
LONG = "long"
"""Queues: what players wait for, and what takes its time."""

Duty = Callable[[Desk, Mapping[str, str]], Awaitable[datetime | None]]
"""Answers when it wants to run again, or ``None`` when it is done for good."""


async def open_registration(desk: Desk, ids: Mapping[str, str]) -> None:
    """Open a tournament's registration when its hour has come."""
    await directing.open_registration(desk, ids["league"], ids["tournament"])


async def start_tournament(desk: Desk, ids: Mapping[str, str]) -> None:
    """Start a scheduled tournament, or cancel it for want of entrants."""
    await directing.start_tournament(desk, ids["league"], ids["tournament"], desk.clock.now())


async def tend_clock(desk: Desk, ids: Mapping[str, str]) -> datetime | None:
    """Raise the levels of a tournament that are due, unless its clock was set otherwise."""
    return await clocks.tend(desk, ids["league"], ids["tournament"], int(ids["run_by"]))


async def watch_table(desk: Desk, ids: Mapping[str, str]) -> datetime | None:
    """See to one live table: a decision that ran out, a hand that nobody opened."""
    return await watching.watch(desk, ids["league"], ids["table"])


async def award_points(desk: Desk, ids: Mapping[str, str]) -> None:
    """Give the season the placings of a finished tournament."""
    await directing.award_points(desk, ids["league"], ids["tournament"])


async def audit(desk: Desk, ids: Mapping[str, str]) -> None:
    """Audit a league or one tournament, on demand or at night."""
    await audits.run(desk, ids)


async def sign_head(desk: Desk, ids: Mapping[str, str]) -> datetime | None:
    """Have the head of a league's tree signed."""
    return await signing.sign(desk, ids)


DUTIES: dict[str, tuple[str, Duty]] = {
    "tournament.open_registration": (PLAY, open_registration),
    "tournament.start": (PLAY, start_tournament),
    "tournament.level": (PLAY, tend_clock),
    "table.watch": (PLAY, watch_table),
    "season.award_points": (PLAY, award_points),
    "audit.run": (LONG, audit),
    "league.sign_head": (LONG, sign_head),
}

SHORT = tuple(task for task, (queue, _) in DUTIES.items() if queue == PLAY)
"""What takes no longer than a moment."""
