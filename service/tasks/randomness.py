"""Measuring the generator every night, on seeds that nobody has seen before."""

import json
from collections.abc import Mapping
from datetime import date

import structlog

from service.audit.play.fresh import Night, measured
from service.base.pools import Pool
from service.director.runtime import Runtime

_log = structlog.get_logger(__name__)

_MEASURING = Pool("measuring", threads=1, waiting=0)

_KNOWN = "SELECT 1 FROM fairness_run WHERE night = $1"
_KEEP = """
    INSERT INTO fairness_run (night, master, p_values) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
"""


async def measure_randomness(runtime: Runtime, ids: Mapping[str, str]) -> None:
    """
    Measure and keep the statistics of one night, once.

    Args:
        ids: ``night``, its date.
    """
    night = date.fromisoformat(ids["night"])
    if await runtime.pool.fetchval(_KNOWN, night):
        return
    master = runtime.entropy.bytes(32)
    # It counts for half a minute; beside it the lease must be renewed.
    values = await _MEASURING.run(None, measured, master)
    await runtime.pool.execute(_KEEP, night, master, json.dumps(values))
    found = Night(night=ids["night"], p_values=values)
    lowest, name = found.lowest
    say = _log.error if found.alarm else _log.info
    say("the generator was measured", night=ids["night"], lowest=lowest, statistic=name)
