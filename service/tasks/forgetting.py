"""
The nightly deletion of records that are kept only for a limited time. No event is among them.

Rows are deleted in small batches, each in a transaction of its own, so that nobody waits for them.
The function ``prune`` deletes rows that the worker may not delete itself, if they are old enough.

The operators' log records the beginning in the transaction that deletes the first rows, so it also
shows a deletion that was killed. At the end it records the numbers.
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


class Entries:
    """
    The entries of one deletion in the operators' log.

    Args:
        connection: With the login of ``holotable_worker``.
        actor: Who deletes.
    """

    def __init__(self, connection: Lent, actor: str) -> None:
        self._connection = connection
        self._actor = actor
        self._begun = False

    async def begin(self) -> None:
        """Record the beginning, before the first rows are gone."""
        if not self._begun:
            await operator_log.add(self._connection, [None], self._actor, "pruned", "begun")
            self._begun = True

    async def end(self, deleted: Mapping[str, int]) -> None:
        """Record the numbers of deleted rows, unless all are 0."""
        told = ", ".join(f"{name} {number}" for name, number in deleted.items() if number)
        if told:
            await operator_log.add(self._connection, [None], self._actor, "pruned", told)


async def forget(runtime: Runtime) -> dict[str, int]:
    """Delete old rows, and return their number by relation."""
    async with runtime.pool.acquire() as connection:
        deleted = await prune(connection, runtime.settings, runtime.clock.now(), HOUSE)
    _log.info("deleted old rows", **deleted)
    return deleted


async def prune(
    connection: Lent, settings: Settings, now: datetime, actor: str, *, dry_run: bool = False
) -> dict[str, int]:
    """
    Delete what is older than its period: rows of every relation, and messages in PGMQ's archives.

    Args:
        connection: With the login of ``holotable_worker``, outside a transaction.
        actor: Who deletes, for the operators' log.
        dry_run: Delete in one transaction and roll it back, so that the numbers are exact.

    Returns:
        The number of rows by relation.
    """
    found, entries = {}, Entries(connection, actor)
    for relation, period in kept_for(settings).items():
        if dry_run:
            async with _taken_back(connection):
                found[relation] = await _all(connection, relation, now - period, _ALL, None)
        else:
            found[relation] = await _all(connection, relation, now - period, BATCH, entries)
    found |= await _prune_archives(settings, now, None if dry_run else entries)
    if not dry_run:
        await entries.end(found)
    return found


async def _prune_archives(
    settings: Settings, now: datetime, entries: Entries | None
) -> dict[str, int]:
    """
    Delete old unreadable messages from PGMQ's archives. Other brokers keep none.

    Args:
        entries: None to take the deletion back.
    """
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
        if entries is None:
            await broker.rollback()
        else:
            if any(found.values()):
                await entries.begin()
            await broker.commit()
    return found


async def _all(
    connection: Lent, relation: str, before: datetime, batch: int, entries: Entries | None
) -> int:
    """Delete batches until one is empty. A token goes only after the tokens that it made."""
    deleted, number = 0, 1
    while number:
        async with connection.transaction():
            number = await _batch(connection, relation, before, batch)
            if number and entries is not None:
                await entries.begin()
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
