"""
Times of entry that stand still while nobody can act: late registration, and offers of places.

The log holds their ends. After an outage, the first command that depends on them records the new
ones, or else the job that is due at an end.
"""

from datetime import datetime
from typing import TypeVar, cast
from uuid import UUID

import asyncpg

from engine import tournament
from engine.coordination import policies
from engine.tournament.entering.extending import counts_from
from engine.tournament.model.commands.entering import ExtendEntryTimes
from engine.tournament.model.state import State as Tournament
from engine.tournament.model.values import Outage
from service.base import heartbeats

Known = TypeVar("Known", bound=Tournament)


async def extensions(
    pool: asyncpg.Pool, league: UUID, state: Tournament, now: datetime
) -> tuple[ExtendEntryTimes, ...]:
    """Return the command that records the ends that outages moved. It comes before any other."""
    since = counts_from(state)
    if since is None:
        return ()
    away = await heartbeats.outages_since(pool, league, since)
    if not away:
        return ()
    outages = tuple(Outage(since=since, until=until) for since, until in away)
    return (ExtendEntryTimes(outages=outages, now=now),)


async def held(pool: asyncpg.Pool, league: UUID, state: Known, now: datetime) -> Known:
    """
    Return *state* with the ends of entry that hold, even if nobody has recorded them yet.

    Args:
        now: Leave out outages that began then or later.
    """
    commands = await extensions(pool, league, state, now)
    _, after = policies.decide_in_turn(tournament.decider, state, commands)
    return cast("Known", after)  # the phase stays
