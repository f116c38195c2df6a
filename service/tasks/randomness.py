"""The nightly measurement of the random generator, on fresh seeds."""

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
    Measure and keep the generator's statistics of one night, unless they are kept already.

    Args:
        ids: ``night``, the date of the night.
    """
    night = date.fromisoformat(ids["night"])
    if await runtime.pool.fetchval(_KNOWN, night):
        return
    master = runtime.entropy.bytes(32)
    # Measuring takes half a minute. It runs in a thread so that the loop can renew the lease.
    values = await _MEASURING.run(None, measured, master)
    await runtime.pool.execute(_KEEP, night, master, json.dumps(values))
    found = Night(night=ids["night"], p_values=values)
    lowest, name = found.lowest
    say = _log.error if found.alarm else _log.info
    say("the generator was measured", night=ids["night"], lowest=lowest, statistic=name)
