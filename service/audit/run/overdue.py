"""
Overdue work: jobs that were not done, and deals that nobody plays on.

The log shows no fault for either, but somebody waits for work that is not done.
"""

from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from engine.table.model.state import Table
from service.audit.report import Findings
from service.audit.said import said
from service.base import heartbeats
from service.base.drivers import Driver

GRACE = timedelta(minutes=1)
"""Work that is late by less than this may be under way."""

# Instants of jobs, heartbeats and outages may be forged. Python and intervals hold fewer of them
# than a column does.
_JOBS = """
    SELECT occurrence, task, state,
           extract(epoch FROM $2 - greatest(least(coalesce(lease_until, due_at), $2),
                                            '2000-01-01 00:00+00'))::bigint AS late
      FROM job
     WHERE args ->> 'league' = $1 AND state <> 'done'
       AND task NOT IN ('audit.run', 'audit.unit', 'audit.close')
     ORDER BY due_at
"""
_HEARD = """
    SELECT greatest(least(at, service_time()), '2000-01-01 00:00+00') FROM heartbeat
     WHERE process = 'api'
"""


async def check_jobs(driver: Driver, league: str, now: datetime, findings: Findings) -> None:
    """
    Check that no job of a league is dead or more than a minute late.

    Jobs of audits do not count. An audit that broke says nothing about the log, and its report is
    broken, of which the doctor tells. Counted here, it would make all later audits fail.

    Args:
        driver: An asyncpg connection.
        now: The start of the audit, by the database's clock.
    """
    for row in await driver.fetch(_JOBS, league, now):
        dead = row["state"] == "dead"
        held = not dead and row["late"] <= GRACE.total_seconds()
        task, late = row["task"], row["late"]
        what = said("%(task)s is late by %(late)s s", task=task, late=late)
        if dead:
            what = said("%(task)s is dead", task=task)
        findings.hold("jobs", held, -1, row["occurrence"], what)


class Presence(msgspec.Struct, frozen=True, omit_defaults=True):
    """When the service was there, as it was known when the audit began."""

    heard: datetime | None = None
    """The last heartbeat of the API."""

    outages: tuple[tuple[datetime, datetime], ...] = ()
    """The outages of the league that ended in the last minute."""


async def presence(driver: Driver, league: UUID, now: datetime) -> Presence:
    """Return when the service was there for *league*, as far as it matters at *now*."""
    heard = await driver.fetchval(_HEARD)
    present = await driver.fetchval("SELECT service_time()")
    ended = await heartbeats.outages_since(driver, league, now - GRACE)
    # A heartbeat records an outage when it is over. One that ends later than now is forged.
    return Presence(heard, tuple(each for each in ended if each[1] <= present))


def check_deal(
    stream: str, table: Table, last: int, now: datetime, there: Presence, findings: Findings
) -> None:
    """
    Check that a deal in progress is still played.

    Args:
        last: Position of the table's last event.
        now: The start of the audit, by the database's clock.
    """
    if table.hand is None:
        return
    decision = table.decision
    waits = table.held is not None
    if decision is not None and not waits:
        waits = _waits(table.answered_by_clock_at(decision), now, there)
    held = waits and not table.closed
    what = said(
        "hand %(hand_number)s was begun, and nobody is asked any more",
        hand_number=table.hand_number,
    )
    findings.hold("deals", held, last, stream, what)


def _waits(ends: datetime, now: datetime, there: Presence) -> bool:
    """
    Return whether a decision may still be open, as ``service.director.decision_clock`` has it.

    It waits for the API if that has been silent since before *ends*. After an outage that began
    before it could be late, it may be open for a minute more: by then it has got its time again.
    """
    if there.heard is not None and there.heard < ends:
        return True
    late = ends + GRACE
    again = (end + GRACE for begin, end in there.outages if begin <= late)
    return now <= max((late, *again))
