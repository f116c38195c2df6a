"""
Faults that operators must know of although the service works, for ``doctor`` and readiness.

A stopped projection, a league in quarantine or a failed audit harms no other league.
Readiness therefore reports them as warnings, and the API stays in service.
"""

import time
from typing import Final, Literal, NamedTuple

import asyncpg
import msgspec

from service.base.database import is_away
from service.base.drivers import Driver
from service.projections.following.measuring import LAG
from service.projections.models.all import ALL

Warning = Literal["audit_failed", "quarantined", "projection_outdated", "not_known"]

_SECONDS: Final = 10.0
"""Seconds for which an answer is kept, because anybody may ask."""

# The newest finished audit of the whole league, for any requester.
_FAILED = """
    SELECT name AS league, last.id AS report, last.state
      FROM key
     CROSS JOIN LATERAL (SELECT 'lge_' || replace(key.league::text, '-', '')) AS it(name)
     CROSS JOIN LATERAL (
        SELECT id, state FROM audit_report
         WHERE audit_report.league = name AND scope = name AND finished_at IS NOT NULL
         ORDER BY requested_at DESC LIMIT 1) last
     WHERE last.state <> 'passed'
     ORDER BY name
"""
_OUTDATED = """
    SELECT DISTINCT name FROM reads.checkpoint
      JOIN unnest($1::text[], $2::int[]) AS program(name, version) USING (name)
     WHERE checkpoint.version <> program.version
     ORDER BY name
"""
_HELD = """
    SELECT EXISTS (SELECT FROM quarantine)
        OR EXISTS (SELECT FROM reads.checkpoint WHERE broken_at IS NOT NULL)
        OR EXISTS (SELECT FROM job WHERE state = 'dead')
"""


class FailedAudit(msgspec.Struct, frozen=True, kw_only=True):
    """The newest finished audit of a league, if it did not pass."""

    league: str
    report: str
    state: str

    def __str__(self) -> str:
        return f"{self.league}: audit {self.report} {self.state}"


async def failed_audits(driver: Driver) -> list[FailedAudit]:
    """Return, for every league, the newest finished audit if it did not pass."""
    return [FailedAudit(**row) for row in await driver.fetch(_FAILED)]


async def outdated(driver: Driver) -> list[str]:
    """Return the projections that have stopped because another version made their rows."""
    names, versions = [each.name for each in ALL], [each.version for each in ALL]
    return [row["name"] for row in await driver.fetch(_OUTDATED, names, versions)]


class Behind(NamedTuple):
    """The distance of a read model to the ends of all leagues."""

    name: str
    events: int
    seconds: float
    """The age of the first event that is not applied."""


async def behind(driver: Driver) -> list[Behind]:
    """Return how far each projection is behind the log, without leagues that broke it."""
    names, versions = [each.name for each in ALL], [each.version for each in ALL]
    rows = await driver.fetch(LAG.format(names="$1", versions="$2"), names, versions)
    return [Behind(row[0], int(row[1]), float(row[2])) for row in rows]


class Troubles:
    """
    The warnings of readiness, looked up at most once in ten seconds.

    Args:
        pool: A pool of a role that may read jobs, reports and read models.
    """

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self._found: list[Warning] = []
        self._until = 0.0

    async def warnings(self) -> list[Warning]:
        """
        Return the current warnings by name only, because anybody may ask for them.

        Raises:
            Exception: The driver's error if the database is away.
        """
        if time.monotonic() >= self._until:
            try:
                self._found = await self._look()
            except asyncpg.PostgresError as error:
                if is_away(error):
                    raise
                # The schema is not migrated yet. That must not stop the parts that work.
                self._found = ["not_known"]
            self._until = time.monotonic() + _SECONDS
        return self._found

    async def _look(self) -> list[Warning]:
        found: list[Warning] = []
        if await failed_audits(self._pool):
            found.append("audit_failed")
        if await self._pool.fetchval(_HELD):
            found.append("quarantined")
        if await outdated(self._pool):
            found.append("projection_outdated")
        return found
