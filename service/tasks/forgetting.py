"""Deleting, every night, what was only kept for a time."""

from datetime import timedelta

import structlog

from service.director.runtime import Runtime
from service.people import idempotency, sign_ins

_log = structlog.get_logger(__name__)

KEPT: dict[str, tuple[str, timedelta]] = {
    "idempotency": ("created_at", idempotency.KEPT_FOR),
    "sign_in": ("at", sign_ins.KEPT_FOR),
    "password_reset": ("expires_at", timedelta()),
}
"""By relation: the column that counts, and how long a row is kept after it."""


async def forget(runtime: Runtime) -> dict[str, int]:
    """Delete the rows whose time is over; return how many, by relation."""
    now, deleted = runtime.clock.now(), {}
    for relation, (column, kept_for) in KEPT.items():
        # Names of our own; no value of a client is in the statement.
        told = await runtime.pool.execute(
            f"DELETE FROM {relation} WHERE {column} <= $1",  # noqa: S608
            now - kept_for,
        )
        deleted[relation] = int(told.split()[-1])
    _log.info("deleted what was kept for a time", **deleted)
    return deleted
