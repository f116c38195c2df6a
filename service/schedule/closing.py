"""Closing a season at its appointed time."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog

from engine.kit.freezes import Frozen
from engine.season.errors import SeasonUncounted
from engine.season.state import Opened
from service.director import season_ends
from service.director.runtime import Runtime
from service.log.streams import season_stream
from service.log.writer import States, StreamEvents

AGAIN = timedelta(seconds=60)
"""The pause before the next attempt on a season that still has uncounted tournaments."""

_log = structlog.get_logger(__name__)


async def close_season(
    runtime: Runtime, league: str, season_id: str, closes_at: str
) -> datetime | None:
    """
    Close a season. Do nothing if it is closed already, or now closes at another time.

    Args:
      closes_at: The instant that the job was armed for, as the event holds it.

    Returns:
      The instant of the next attempt, while a tournament of the season is uncounted or a
      dispute holds it. Otherwise None.
    """
    stream = season_stream(season_id)
    armed_for = datetime.fromisoformat(closes_at)
    before = await season_ends.announced_before(runtime, league, season_id)
    now = runtime.clock.now()

    async def decide(states: States) -> Sequence[StreamEvents]:
        state = (await states.load(stream)).state
        if not isinstance(state, Opened) or state.closed:
            return [StreamEvents(stream)]
        if state.schedule.closes_at != armed_for:
            return [StreamEvents(stream)]
        return await season_ends.decided(states, season_id, before, leave_out=None, now=now)

    order = runtime.order(f"close_season/{season_id}/{closes_at}")
    try:
        await runtime.writer.submit(league, order, decide)
    except (SeasonUncounted, Frozen) as refusal:
        _log.info("a season waits", season=season_id, code=refusal.code, **refusal.facts)
        return now + AGAIN
    return None
