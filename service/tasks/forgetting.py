"""The nightly deletion of records that are kept only for a limited time."""

from datetime import timedelta

import structlog

from service.director.runtime import Runtime
from service.notices import outbox
from service.people import idempotency, resetting, sign_ins
from service.webhooks import deliveries

_log = structlog.get_logger(__name__)

KEPT: dict[str, tuple[str, timedelta]] = {
    "idempotency": ("created_at", idempotency.KEPT_FOR),
    "sign_in": ("at", sign_ins.KEPT_FOR),
    "password_reset": ("expires_at", timedelta()),
    "reset_request": ("asked_at", resetting.GOOD_FOR),
    "webhook_delivery": ("created_at", deliveries.KEPT_FOR),
    "notice": ("created_at", outbox.KEPT_FOR),
}
"""By relation: a column with an instant, and how long after this instant a row is kept."""


async def forget(runtime: Runtime) -> dict[str, int]:
    """Delete expired rows and return their number by relation."""
    now, deleted = runtime.clock.now(), {}
    for relation, (column, kept_for) in KEPT.items():
        # The names are constants of this program. No client's value is in the statement.
        told = await runtime.pool.execute(
            f"DELETE FROM {relation} WHERE {column} <= $1",  # noqa: S608
            now - kept_for,
        )
        deleted[relation] = int(told.split()[-1])
    _log.info("deleted expired rows", **deleted)
    return deleted
