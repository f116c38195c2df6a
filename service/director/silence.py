"""Times that run out while the API is silent: nobody can act in them, so they have to wait."""

from datetime import datetime, timedelta

from service.base import heartbeats
from service.director.runtime import Runtime
from service.log.record import league_number

AGAIN = timedelta(seconds=1)
"""The delay before the next look, while the API is still silent."""


async def is_silent(runtime: Runtime, league: str, since: datetime, due: datetime) -> bool:
    """
    Return whether the API has been silent since before *due*, in a time of *league* from *since*.

    Its next heartbeat records the outage, which then lengthens the time.
    """
    interval = timedelta(seconds=runtime.settings.heartbeat_seconds)
    found = await heartbeats.interruption(runtime.pool, league_number(league), since, due, interval)
    return found == "lasting"
