"""
The nightly deletion of records that are kept only for a limited time. No event is among them.

Rows are deleted in small batches, each in a transaction of its own, so that nobody waits for them.
The function ``prune`` deletes rows that the worker may not delete itself, if they are old enough.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Final

import asyncpg
import psycopg
import structlog
from asyncpg.pool import PoolConnectionProxy
from psycopg import sql

from service.base.settings import Settings
from service.director.runtime import Runtime
from service.people import operator_log, resetting

_log = structlog.get_logger(__name__)

BATCH: Final = 1000
"""Rows that one transaction deletes."""

_ALL: Final = 1 << 30
"""The size of a batch that takes all rows. Only a dry run uses it, and rolls back."""

Lent = asyncpg.Connection | PoolConnectionProxy
"""One connection for the whole work. A pool may have handed it out."""

HOUSE: Final = "house"

_OWN: Final = {
    "idempotency": "created_at",
    "sign_in": "at",
    "password_reset": "expires_at",
    "reset_request": "asked_at",
    "webhook_delivery": "created_at",
    "notice": "created_at",
}
"""By relation in which the worker may delete: the column with the instant that counts."""

_ARCHIVES = "SELECT queue_name FROM pgmq.meta ORDER BY queue_name"
_DELETE = """
    DELETE FROM {0} WHERE ctid IN (SELECT ctid FROM {0} WHERE {1} <= $1 LIMIT $2)
"""
_PRUNE = "SELECT prune($1, $2, $3)"


def kept_for(settings: Settings) -> dict[str, timedelta]:
    """Return each relation's period for rows. Those of reset codes and requests are fixed."""
    days = {
        "job": settings.keep_jobs_days,
        "outage": settings.keep_outages_days,
        "audit_unit": settings.keep_audit_units_days,
        "refused_command": settings.keep_refused_commands_days,
        "token": settings.keep_tokens_days,
        "idempotency": settings.keep_requests_days,
        "sign_in": settings.keep_sign_ins_days,
        "webhook_delivery": settings.keep_deliveries_days,
        "notice": settings.keep_notices_days,
    }
    fixed = {"password_reset": timedelta(), "reset_request": resetting.GOOD_FOR}
    return {name: timedelta(days=number) for name, number in days.items()} | fixed


async def forget(runtime: Runtime) -> dict[str, int]:
    """Delete old rows, and return their number by relation."""
    now, settings = runtime.clock.now(), runtime.settings
    async with runtime.pool.acquire() as connection:
        deleted = await prune(connection, settings, now)
        deleted |= await prune_archives(settings, now)
        await record(connection, HOUSE, deleted)
    _log.info("deleted old rows", **deleted)
    return deleted


async def prune(
    connection: Lent, settings: Settings, now: datetime, *, dry_run: bool = False
) -> dict[str, int]:
    """
    Delete the rows of every relation that are older than their period.

    Args:
        connection: With the login of ``holotable_worker``, outside a transaction.
        dry_run: Delete in one transaction and roll it back, so that the numbers are exact.

    Returns:
        The number of rows by relation.
    """
    found = {}
    for relation, period in kept_for(settings).items():
        if dry_run:
            async with _taken_back(connection):
                found[relation] = await _all(connection, relation, now - period, _ALL)
        else:
            found[relation] = await _all(connection, relation, now - period, BATCH)
    return found


async def prune_archives(
    settings: Settings, now: datetime, *, dry_run: bool = False
) -> dict[str, int]:
    """Delete old unreadable messages from PGMQ's archives. Other brokers keep none."""
    url = (settings.broker_url or "").removeprefix("pgmq+")
    if not url.startswith("postgres"):
        return {}
    found, before = {}, now - timedelta(days=settings.keep_unreadable_days)
    async with await psycopg.AsyncConnection.connect(url, connect_timeout=5) as broker:
        for (queue,) in await (await broker.execute(_ARCHIVES)).fetchall():
            archive = sql.Identifier("pgmq", f"a_{queue}")
            done = await broker.execute(
                sql.SQL("DELETE FROM {} WHERE archived_at <= %s").format(archive), [before]
            )
            found[f"archive of {queue}"] = done.rowcount
        await (broker.rollback() if dry_run else broker.commit())
    return found


async def record(connection: Lent, actor: str, deleted: Mapping[str, int]) -> None:
    """Record in the operators' log what was deleted, unless it was nothing."""
    told = ", ".join(f"{name} {number}" for name, number in deleted.items() if number)
    if told:
        await operator_log.add(connection, [None], actor, "pruned", told)


async def _all(connection: Lent, relation: str, before: datetime, batch: int) -> int:
    """Delete batches until one is empty. A token goes only after the tokens that it made."""
    deleted = 0
    while number := await _batch(connection, relation, before, batch):
        deleted += number
    return deleted


async def _batch(connection: Lent, relation: str, before: datetime, rows: int) -> int:
    """Delete up to *rows* rows, and return their number."""
    if relation not in _OWN:
        return int(await connection.fetchval(_PRUNE, relation, before, rows))
    # The names are constants of this program. No client's value is in the statement.
    told = await connection.execute(_DELETE.format(relation, _OWN[relation]), before, rows)
    return int(told.split()[-1])


@asynccontextmanager
async def _taken_back(connection: Lent) -> AsyncIterator[None]:
    """Roll back everything in the block."""
    transaction = connection.transaction()
    await transaction.start()
    try:
        yield
    finally:
        await transaction.rollback()
