"""Audit jobs, done in the test itself instead of in a worker."""

from service.director.runtime import Runtime
from service.tasks.child import perform


async def go_on(runtime: Runtime) -> None:
    """Do all audit jobs that are ready, and those that they arm, until none is left."""
    waiting = True
    while waiting:
        rows = await runtime.pool.fetch(
            """
            UPDATE job SET state = 'sent', claim = claim + 1,
                           lease_until = clock_timestamp() + interval '30 s'
             WHERE task LIKE 'audit.%' AND state = 'ready'
            RETURNING job_id, claim
            """
        )
        waiting = bool(rows)
        for row in rows:
            await perform(runtime, row["job_id"], row["claim"])
