"""The likely end of an evening, found by simulation."""

import asyncio
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

import msgspec

from service.api.rules.simulating import EveningsSimulated
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.problems import SERVER_ERROR, TOO_MANY

PATIENCE_SECONDS = 4.0
"""The time that a page waits for the simulated evenings."""

_NEAR = 300
"""Ends are rounded to five minutes."""


class Ends(msgspec.Struct, kw_only=True):
    """The likely end of the evening, found by simulation."""

    early: datetime
    """One evening in ten ends before it."""

    about: datetime
    late: datetime
    """One evening in ten ends after it."""

    hands_an_hour: int
    """The hands that a full table plays in an hour, as the simulation assumes."""

    late_players: int
    """The players who enter after the start, as the simulation assumes."""

    rebuys: bool
    """True if the simulation assumes that some busted players rebuy."""


Unknown = Literal["", "busy", "large"]
"""Reasons for no end: the terms do not fit, the server is busy, or the field is too large."""


async def simulated_ends(
    ask: Ask, start: datetime, wanted: Mapping[str, object], key: str
) -> Ends | Unknown:
    """
    Return when evenings with the terms *wanted* end, or why nobody can say.

    Args:
        start: The local start, with its zone.
        key: The idempotency key.
    """
    asking = asyncio.create_task(
        ask.api.send("POST", "/v1/simulations", wanted, EveningsSimulated, key=key)
    )
    # It goes on by itself, and the next page with the same terms has its answer at once.
    done, _ = await asyncio.wait({asking}, timeout=PATIENCE_SECONDS)
    if not done:
        asking.add_done_callback(_heard)
        return "busy"
    try:
        made = asking.result()
    except Problem as problem:
        if problem.code == "overloaded" or problem.status == TOO_MANY:
            return "busy"
        if problem.status >= SERVER_ERROR:
            raise
        return ""
    if made.length is None:
        return "large"
    early, about, late = (
        start + timedelta(seconds=round(each / _NEAR) * _NEAR)
        for each in (made.length.p10_seconds, made.length.p50_seconds, made.length.p90_seconds)
    )
    return Ends(
        early=early,
        about=about,
        late=late,
        hands_an_hour=made.hands_an_hour,
        late_players=made.late_players,
        rebuys=made.rebuys_percent > 0,
    )


def _heard(asking: asyncio.Task[EveningsSimulated]) -> None:
    """Take the outcome that no page waits for any more."""
    if not asking.cancelled():
        asking.exception()
