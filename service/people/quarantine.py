"""
Quarantine: leagues that a consumer of the log has stopped following, for an operator.

A consumer that cannot handle an event stops before it, in that league alone, and records it here.
Four kinds of consumers can stop: the search for due work (``arming``), the search for events to
tell webhooks about (``webhooks``), a projection (``projection/tables``), and a job that failed too
often (``job/table.watch``).
"""

from typing import Final
from uuid import UUID

import msgspec
import psycopg
import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import number_of
from service.base.documents import Document
from service.base.drivers import Driver
from service.log.keys import driver_of
from service.people import operator_log
from service.projections.applying.checkpoints import misplaced

_log = structlog.get_logger(__name__)

ARMING: Final = "arming"
"""The consumer that finds due work in the log."""

WEBHOOKS: Final = "webhooks"
"""The consumer that finds events to tell webhooks about."""

NO_LEAGUE: Final = "-"
"""Stands for the league of a job that has none."""

_ENTER = """
    INSERT INTO quarantine (league, consumer, position, reason) VALUES (%s, %s, %s, %s)
    ON CONFLICT DO NOTHING
"""
_HELD = f"""
    SELECT 'lge_' || replace(league::text, '-', '') AS league, consumer, position, reason,
           since::text, NULL AS occurrence
      FROM quarantine
    UNION ALL
    SELECT league, 'projection/' || name, broken_at, reason, broken_since::text, NULL
      FROM reads.checkpoint done WHERE broken_at IS NOT NULL AND NOT {misplaced()}
    UNION ALL
    SELECT args ->> 'league', 'job/' || task, NULL, last_error, due_at::text, occurrence
      FROM job WHERE state = 'dead'
     ORDER BY 1, 2, 6
"""  # noqa: S608 - a constant
_LEAVE = "DELETE FROM quarantine WHERE league = $1 AND consumer = $2"
_SKIP = {
    ARMING: "UPDATE ticker_checkpoint SET position = $2 + 1 WHERE league = $1 AND position = $2",
    WEBHOOKS: "UPDATE webhook_checkpoint SET position = $2 + 1 WHERE league = $1 AND position = $2",
}
"""The consumers that may skip an event, and the statement that does it."""

_READ_AGAIN = """
    UPDATE reads.checkpoint SET broken_at = NULL, reason = NULL, broken_since = NULL
     WHERE name = $1 AND league = $2
"""
_TRY_AGAIN = """
    UPDATE job SET state = 'ready', attempts = 0, due_at = service_time()
     WHERE state = 'dead' AND task = $1 AND args ->> 'league' IS NOT DISTINCT FROM $2
"""
_EVENT = """
    SELECT position, stream, stream_version, type, schema_version, left(data::text, 2000) AS data
      FROM events WHERE league = $1 AND position = $2
"""


class StoppedConsumer(msgspec.Struct, frozen=True, kw_only=True):
    """One consumer that has stopped in one league."""

    league: str | None
    """None for a job that belongs to no league."""

    consumer: str
    position: int | None
    """The position of the event before which it stopped. None for a job."""

    reason: str | None
    since: str | None
    occurrence: str | None
    """The job's occurrence, which distinguishes it from others of its kind."""

    def __str__(self) -> str:
        where = self.occurrence if self.position is None else f"position {self.position}"
        return f"{self.league or NO_LEAGUE} {self.consumer} at {where}: {self.reason}"


def enter(
    connection: psycopg.Connection, league: UUID, consumer: str, position: int, reason: str
) -> None:
    """Quarantine *league* for *consumer* before *position*, in the caller's transaction."""
    # PostgreSQL stores no NUL, and a reason may quote a forged event.
    said = reason.replace("\0", " ")[:500]
    connection.execute(_ENTER, [league, consumer, position, said])
    _log.error(
        "a league is quarantined",
        league=f"lge_{league.hex}",
        consumer=consumer,
        position=position,
        reason=said,
        next="see `holotable quarantine list`",
    )


async def held(driver: Driver) -> list[StoppedConsumer]:
    """
    Return every consumer that has stopped, by league.

    Args:
      driver: asyncpg's connection or pool, of any role that reads jobs and read models.
    """
    return [StoppedConsumer(**row) for row in await driver.fetch(_HELD)]


async def event_at(driver: Driver, league: str, position: int) -> Document | None:
    """Return the public part of an event, with its data cut short, or None if it does not exist."""
    row = await driver.fetchrow(_EVENT, number_of(league), position)
    return None if row is None else dict(row)


class NotHeld(Exception):
    """There is no quarantine of this name."""


class NotSkipped(Exception):
    """This consumer never skips an event."""


async def release(
    connection: AsyncConnection, league: str, consumer: str, actor: str, *, skip: bool = False
) -> list[StoppedConsumer]:
    """
    Release *consumer* in *league*, inside the caller's transaction, and record the operator.

    A consumer that fails at the same event again is quarantined again.

    Args:
      connection: Of ``holotable_migrate``: no process of the service may do this.
      actor: The operator who releases, for the operators' log.
      skip: True to skip the event. Only the two searches of the log may.

    Returns:
      The entries that were released.

    Raises:
      NotHeld: If there is no quarantine of this name.
      NotSkipped: If *skip* is asked of a read model or a job.
    """
    kind, _, name = consumer.partition("/")
    driver = await driver_of(connection)
    found = [
        each
        for each in await held(driver)
        if (each.league or NO_LEAGUE, each.consumer) == (league, consumer)
    ]
    if not found:
        raise NotHeld(f"{consumer} of {league} is not in quarantine")
    if skip and kind not in _SKIP:
        raise NotSkipped(f"{consumer} never skips an event or a job")
    if kind in _SKIP:
        number = number_of(league)
        await driver.execute(_LEAVE, number, consumer)
        if skip:
            await driver.execute(_SKIP[kind], number, found[0].position)
    elif kind == "projection":
        await driver.execute(_READ_AGAIN, name, league)
    else:
        await driver.execute(_TRY_AGAIN, name, None if league == NO_LEAGUE else league)
    place = "" if found[0].position is None else f"@{found[0].position}"
    about = f"{consumer}{place}{' skipped' if skip else ''}"
    where = None if league == NO_LEAGUE else number_of(league)
    await operator_log.add(connection, [where], actor, "quarantine_released", about)
    return found
