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
from service.projections.applying.checkpoints import HEAD, misplaced
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
_UNFIT = f"""
    WITH heads AS MATERIALIZED (
        SELECT done.league, {HEAD} AS head
          FROM (SELECT DISTINCT league FROM reads.checkpoint) done
    ), mine AS (
        SELECT done.name, done.league, done.position, done.version <> program.version AS outdated,
               {misplaced("heads.head")} AS misplaced
          FROM reads.checkpoint done
          JOIN heads USING (league)
          JOIN unnest($1::text[], $2::int[]) AS program(name, version) USING (name)
    )
    SELECT DISTINCT name, NULL AS league, NULL::bigint AS position FROM mine WHERE outdated
     UNION ALL
    SELECT name, league, position FROM mine WHERE misplaced
     ORDER BY name, league NULLS FIRST
"""  # noqa: S608 - a constant
_HELD = f"""
    SELECT EXISTS (SELECT FROM quarantine)
        OR EXISTS (SELECT FROM reads.checkpoint done
                    WHERE broken_at IS NOT NULL AND NOT {misplaced()})
        OR EXISTS (SELECT FROM job WHERE state = 'dead')
"""  # noqa: S608 - a constant


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


class Unfit(NamedTuple):
    """A projection that has stopped until its rows are rebuilt."""

    name: str
    league: str | None
    """The league of its misplaced checkpoint. None if another version made its rows."""

    position: int | None

    def __str__(self) -> str:
        if self.league is None:
            return f"{self.name} stopped: its rows are of another version"
        return (
            f"{self.name} stopped in {self.league}: its checkpoint is at position {self.position}, "
            "where no projector has put it"
        )


async def unfit(driver: Driver) -> list[Unfit]:
    """Return the projections with rows of another version, or with a misplaced checkpoint."""
    names, versions = [each.name for each in ALL], [each.version for each in ALL]
    return [Unfit(*row) for row in await driver.fetch(_UNFIT, names, versions)]


class Behind(NamedTuple):
    """The distance of a read model to the ends of all leagues."""

    name: str
    events: int
    seconds: float
    """The age of the first event that is not applied."""


async def behind(driver: Driver) -> list[Behind]:
    """Return how far each projection is behind the log, without leagues in which it stopped."""
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
        if await unfit(self._pool):
            found.append("projection_outdated")
        return found
