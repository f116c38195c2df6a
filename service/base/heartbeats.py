"""
Heartbeats of the processes, so that players do not pay for an outage.

The first heartbeat after a silence records the outage. Decisions that were open during it get their
full time again (see ``service.director.decision_clock.watch_table``). Level clocks and times of
entry stood still (see ``service.director.level_clock`` and ``service.director.entry_times``).
"""

from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

import asyncpg
import psycopg

from engine.kit import outages
from service.base.drivers import Driver

SILENCE = 3
"""The number of missed heartbeats that makes an outage."""

UNSURE = 1.5
"""After this many missed heartbeats the API may be away. No decision times out until it is back."""

BLINK = timedelta(seconds=1)
"""A shorter silence is not an outage, even for a process that knows that it was away."""

Interruption = Literal["none", "lasting", "over"]

# No lock is needed: two simultaneous heartbeats see the same silence and record one outage.
_BEAT = """
    WITH last AS (SELECT at FROM heartbeat WHERE process = {0}),
    beaten AS (
        INSERT INTO heartbeat (process, at) VALUES ({0}, service_time())
        ON CONFLICT (process) DO UPDATE SET at = greatest(heartbeat.at, excluded.at)
        RETURNING at)
    INSERT INTO outage (process, since_at, until_at)
    SELECT {0}, last.at, beaten.at FROM last, beaten WHERE beaten.at - last.at > {1}
    ON CONFLICT DO NOTHING RETURNING 1
"""

# A league that came from another cell brought that cell's outages with it. Those of this cell are
# its own only from then on. greatest() passes over NULL.
_HERE = "(SELECT t.here_since FROM append_turn t WHERE t.league = {0})"
_OUTAGES = f"""
    (SELECT since_at, until_at FROM outage WHERE league = {{0}}
      UNION ALL
     SELECT greatest(since_at, {_HERE}), until_at FROM outage
      WHERE league IS NULL AND until_at > coalesce({_HERE}, '-infinity')) AS away
"""  # noqa: S608
_ENDED_SINCE = """
    SELECT EXISTS (SELECT 1 FROM outage
                    WHERE until_at > (SELECT at FROM heartbeat WHERE process = %(process)s))
"""


async def beat(
    pool: asyncpg.Pool, process: str, interval: timedelta, *, returning: bool = False
) -> bool:
    """
    Record a heartbeat of *process* (``api`` or ``worker``).

    Args:
      returning: True if *process* knows that it was away, because it has just started or
        could not beat. Any silence is then an outage.

    Returns:
      True if this heartbeat ended an outage. The relation ``outage`` then holds its bounds.
    """
    silence = timedelta() if returning else SILENCE * interval
    found = await pool.fetchval(
        _BEAT.format("$1::text", "$2"), process, silence, timeout=interval.total_seconds()
    )
    return found is not None


def beat_now(
    connection: psycopg.Connection, process: str, interval: timedelta, *, returning: bool = False
) -> bool:
    """
    Record a heartbeat as :func:`beat` does, in a ticker's own transaction.

    Args:
      returning: True if the database was away for this process.

    Returns:
      True if any process ended an outage since the last heartbeat of *process*.
    """
    others = connection.execute(_ENDED_SINCE, {"process": process}).fetchone()
    row = connection.execute(
        _BEAT.format("%(process)s::text", "%(silence)s"),
        {"process": process, "silence": BLINK if returning else SILENCE * interval},
    ).fetchone()
    return row is not None or (others is not None and bool(others[0]))


async def outages_since(
    pool: Driver, league: UUID, since: datetime
) -> list[tuple[datetime, datetime]]:
    """
    Return the outages of *league* after *since*, oldest first.

    Each is the last heartbeat before the outage and the first one after it. A suspension of the
    league and the maintenance of the installation are outages too. An instant before the year 2000
    or after 3000 is forged, and may be more than Python can hold.
    """
    rows = await pool.fetch(
        f"""
        SELECT greatest(since_at, '2000-01-01 00:00+00') AS since_at,
               least(until_at, '3000-01-01 00:00+00') AS until_at
          FROM {_OUTAGES.format("$2")}
         WHERE until_at > $1 ORDER BY since_at
        """,  # noqa: S608
        since,
        league,
    )
    return [(row["since_at"], row["until_at"]) for row in rows]


async def lengthened(
    pool: asyncpg.Pool, league: UUID, since: datetime, due: datetime, until: datetime | None = None
) -> datetime:
    """
    Return the end of a time of *league* that ran from *since* to *due*, with its outages added.

    Args:
      until: Leave out outages that began then or later.
    """
    away = await outages_since(pool, league, since)
    return outages.lengthened(
        since, due, (each for each in away if until is None or each[0] < until)
    )


async def outages_known(
    pool: asyncpg.Pool, league: UUID, since: datetime, now: datetime, interval: timedelta
) -> list[tuple[datetime, datetime]]:
    """
    Return the outages of *league* after *since* that are known at *now*, oldest first.

    A process that has been silent for too long is away until *now*. Its next heartbeat records the
    outage from the same instant on.
    """
    rows = await pool.fetch(
        f"""
        SELECT since_at, least(until_at, $2) AS until_at FROM {_OUTAGES.format("$4")}
         WHERE until_at > $1 AND since_at < $2
         UNION ALL
        SELECT since_at, $2 FROM (SELECT greatest(at, {_HERE.format("$4")}) AS since_at
                                    FROM heartbeat WHERE at < $2 - $3::interval AND $2 > $1) silent
         WHERE since_at < $2
         ORDER BY since_at
        """,  # noqa: S608
        since,
        now,
        SILENCE * interval,
        league,
    )
    return [(row["since_at"], row["until_at"]) for row in rows]


async def interruption(
    pool: asyncpg.Pool, league: UUID, opened_at: datetime, deadline: datetime, interval: timedelta
) -> Interruption:
    """
    Return whether the service was away while a decision of *league* with these bounds was open.

    Returns:
      ``lasting`` while the API is still silent: nobody can answer the decision, so it must not
      time out either.
    """
    row = await pool.fetchrow(
        f"""
        SELECT EXISTS (SELECT 1 FROM heartbeat WHERE process = 'api'
                          AND at < service_time() - $3::interval AND at < $2) AS lasting,
               EXISTS (SELECT 1 FROM {_OUTAGES.format("$4")}
                        WHERE until_at > $1 AND since_at < $2) AS over
        """,  # noqa: S608
        opened_at,
        deadline,
        UNSURE * interval,
        league,
    )
    if row is not None and row["lasting"]:
        return "lasting"
    return "over" if row is not None and row["over"] else "none"
