"""
Level clocks: raise levels when they are due, and do not count the service's own outages.

``ClockStarted``, ``LevelRaised`` and ``ClockSet`` arm the job ``tournament.level``, which calls
``raise_levels``. ``ClockSet`` is how staff set the clock (``engine/tournament/floor/clock.py``).
The engine decides whether a level is due.
A late job still raises every due level, one after the other.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from engine import tournament
from engine.tournament.floor.hand_for_hand import may_begin_by_itself
from engine.tournament.model.commands import Command as TournamentCommand
from engine.tournament.model.commands import Pause, RaiseLevels
from engine.tournament.model.commands.floor import AnnounceBreak, SetClock, StartHandForHand
from engine.tournament.model.state import Running
from engine.tournament.model.state import State as Tournament
from engine.tournament.model.values import LevelClock, Outage
from engine.values import Stream
from service.base import heartbeats
from service.director.runtime import Runtime
from service.director.silence import AGAIN, is_silent
from service.log.orders import on_stream
from service.log.record import league_number
from service.log.streams import tournament_stream

_STOPPING = SetClock | Pause | AnnounceBreak | StartHandForHand
"""The commands of staff that stop the clock, or set it."""

_log = structlog.get_logger(__name__)


async def raise_levels(
    runtime: Runtime, league: str, tournament_id: str, run_by: int
) -> datetime | None:
    """
    Subtract outages from a tournament's level clock and raise the levels that are due.

    Args:
        run_by: Version of the event that armed this job. If the clock has been stopped, started
            or raised since then, a later job takes care of it.

    Returns:
        The instant to look again. None if a later job has the clock, or nothing is left to do.

    Raises:
        CommandRejected: If the tournament has ended meanwhile.
    """
    stream = tournament_stream(tournament_id)
    clock = await _clock(runtime, league, stream, run_by)
    if clock is None or clock.due is None:
        return None
    if await is_silent(runtime, league, clock.since, clock.due):
        _log.info("a level clock waits for the API", tournament=tournament_id)
        return runtime.clock.now() + AGAIN
    away = await heartbeats.outages_since(runtime.pool, league_number(league), clock.since)
    now = runtime.clock.now()
    command = RaiseLevels(
        outages=tuple(Outage(since=since, until=until) for since, until in away), now=now
    )
    if not away and now < clock.due:
        return clock.due
    decide = on_stream(stream, tournament.decider, command)
    order = runtime.order(f"level/{tournament_id}/{run_by}")
    await runtime.writer.submit(league, order, decide)
    still = await _clock(runtime, league, stream, run_by)
    return None if still is None else now + AGAIN


async def after_outages(
    runtime: Runtime,
    league: UUID,
    state: Tournament,
    commands: Sequence[TournamentCommand],
    now: datetime,
) -> tuple[TournamentCommand, ...]:
    """
    Return *commands*, after one that subtracts outages if they may stop the level clock.

    An outage that nobody has subtracted yet would be lost with the running clock, even one that
    still lasts or is not recorded yet. Staff stop the clock by a command, and hand-for-hand play
    stops it when it begins by the terms.
    """
    if not isinstance(state, Running) or state.clock is None or state.clock.due is None:
        return tuple(commands)
    by_staff = any(isinstance(each, _STOPPING) for each in commands)
    if not commands or not (by_staff or may_begin_by_itself(state)):
        return tuple(commands)
    interval = timedelta(seconds=runtime.settings.heartbeat_seconds)
    away = await heartbeats.outages_known(runtime.pool, league, state.clock.since, now, interval)
    if not away:
        return tuple(commands)
    outages = tuple(Outage(since=since, until=until) for since, until in away)
    return RaiseLevels(outages=outages, now=now), *commands


async def _clock(
    runtime: Runtime, league: str, stream: Stream[Tournament], run_by: int
) -> LevelClock | None:
    """Return the clock if the event with version *run_by* is still the one that set it running."""
    state = (await runtime.writer.load(league, stream)).state
    clock = state.clock if isinstance(state, Running) else None
    return clock if clock is not None and clock.run_by == run_by else None
