"""The likely end of an evening, found by simulation."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec

from service.api.league.simulating import EveningsSimulated
from service.console.asking import Ask
from service.console.calling import Problem

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


async def simulated_ends(
    ask: Ask, start: datetime, wanted: Mapping[str, object], key: str
) -> Ends | None:
    """
    Return the simulated ends of evenings with the terms *wanted*, or None without an answer.

    Args:
        start: The local start, with its zone.
        key: The idempotency key.
    """
    try:
        made = await ask.api.send("POST", "/v1/simulations", wanted, EveningsSimulated, key=key)
    except Problem as problem:
        if problem.status >= 500 and problem.code != "overloaded":
            raise
        return None
    if made.length is None:
        return None
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
