"""The state of the installation in the database, as metrics of a worker."""

from collections.abc import Callable, Iterable

import psycopg
from prometheus_client.core import Metric

from service.base.metrics import gauge
from service.tasks.duties import DUTIES

_OTHER = "other"
"""The label for all tasks of a newer program. The number of labels must not grow with the data."""

# Each count reads an index of its own, because nearly all rows of the relation are done.
_JOBS = """
    SELECT task, count(*), max(extract(epoch FROM service_time() - due_at))
      FROM job WHERE state = 'ready' AND due_at <= service_time() GROUP BY task
"""
_DEAD = "SELECT task, count(*) FROM job WHERE state = 'dead' GROUP BY task"
_LEASES = "SELECT count(*) FROM job WHERE state = 'sent' AND lease_until < service_time()"
_OUTSIDE = """
    SELECT 'mail and push', count(*), max(extract(epoch FROM service_time() - next_at))
      FROM notice WHERE state = 'waiting' AND next_at <= service_time()
     UNION ALL
    SELECT 'webhooks', count(*), max(extract(epoch FROM service_time() - next_at))
      FROM webhook_delivery WHERE state = 'waiting' AND next_at <= service_time()
"""
_UNDELIVERED = """
    SELECT 'mail and push', count(*) FROM notice
     WHERE state = 'failed' AND created_at > service_time() - interval '1 day'
     UNION ALL
    SELECT 'webhooks', count(*) FROM webhook_delivery
     WHERE state = 'failed' AND created_at > service_time() - interval '1 day'
"""
_QUARANTINE = "SELECT consumer, count(*) FROM quarantine GROUP BY consumer"

# The newest finished audit of each whole league counts, as in `projections/following/troubles.py`.
_AUDITS = """
    SELECT count(*) FILTER (WHERE last.state <> 'passed'),
           extract(epoch FROM max(last.finished_at) FILTER (WHERE last.state = 'passed'))
      FROM key
     CROSS JOIN LATERAL (SELECT 'lge_' || replace(key.league::text, '-', '')) AS it(name)
     CROSS JOIN LATERAL (
        SELECT state, finished_at FROM audit_report
         WHERE audit_report.league = name AND scope = name AND finished_at IS NOT NULL
         ORDER BY requested_at DESC LIMIT 1) last
"""
UNSIGNED = """
    SELECT max(extract(epoch FROM service_time() - unsigned.at))
      FROM key
      LEFT JOIN LATERAL (
        SELECT size FROM checkpoint WHERE checkpoint.league = key.league
         ORDER BY epoch DESC, size DESC LIMIT 1) head ON true
      JOIN events unsigned
        ON unsigned.league = key.league AND unsigned.position = coalesce(head.size, 0)
"""
"""The age of the oldest event that no signed head covers, in seconds."""

_HEARTBEATS = "SELECT process, extract(epoch FROM at) FROM heartbeat"
_OUTAGES = "SELECT count(*), extract(epoch FROM max(until_at)) FROM outage"
_BACKUP = "SELECT extract(epoch FROM max(at)) FROM operator_deed WHERE kind = 'backup_taken'"
_LEAGUES = "SELECT count(*) FROM key"


def measured(connection: psycopg.Connection, *, signing: bool) -> Iterable[Metric]:
    """
    Return the metrics of the whole installation.

    Args:
        signing: Whether heads are signed here. Without a signer no event waits for one.
    """

    def rows(statement: str) -> list[tuple[object, ...]]:
        return connection.execute(statement.encode()).fetchall()

    jobs = rows(_JOBS)
    yield gauge("holotable_jobs_waiting", "Jobs that are due.", _by_task(jobs, 1), "task")
    yield gauge(
        "holotable_jobs_oldest_seconds", "Age of the oldest due job.", _by_task(jobs, 2), "task"
    )
    yield gauge("holotable_jobs_dead", "Jobs given up.", _by_task(rows(_DEAD), 1), "task")
    ((expired,),) = rows(_LEASES)
    yield gauge("holotable_jobs_expired", "Jobs whose lease has run out.", {"": _number(expired)})
    outside = rows(_OUTSIDE)
    yield gauge("holotable_outside_waiting", "Messages that are due.", _numbers(outside, 1), "to")
    yield gauge(
        "holotable_outside_oldest_seconds", "Age of the oldest one.", _numbers(outside, 2), "to"
    )
    yield gauge(
        "holotable_outside_failed", "Given up in a day.", _numbers(rows(_UNDELIVERED), 1), "to"
    )
    yield gauge(
        "holotable_quarantined", "Streams held.", _numbers(rows(_QUARANTINE), 1), "consumer"
    )
    ((failed, passed),) = rows(_AUDITS)
    yield gauge(
        "holotable_audits_failed", "Leagues whose last audit failed.", {"": _number(failed)}
    )
    yield gauge(
        "holotable_audit_last_passed_timestamp_seconds", "Last pass.", {"": _number(passed)}
    )
    if signing:
        ((unsigned,),) = rows(UNSIGNED)
        known = {"": _number(unsigned) or 0.0}
        yield gauge("holotable_unsigned_seconds", "Age of the oldest event without a head.", known)
    beats = _numbers(rows(_HEARTBEATS), 1)
    yield gauge("holotable_heartbeat_timestamp_seconds", "Last sign of life.", beats, "process")
    yield from _whole(rows)


def _whole(rows: Callable[[str], list[tuple[object, ...]]]) -> Iterable[Metric]:
    """Return the metrics that belong to no league and no process."""
    ((outages, until),) = rows(_OUTAGES)
    yield gauge("holotable_outages", "Outages recorded.", {"": _number(outages)})
    yield gauge("holotable_outage_last_timestamp_seconds", "End of the last.", {"": _number(until)})
    ((backup,),) = rows(_BACKUP)
    taken = {"": _number(backup) or 0.0}
    yield gauge("holotable_backup_last_timestamp_seconds", "Last backup, or 0.", taken)
    ((leagues,),) = rows(_LEAGUES)
    yield gauge("holotable_leagues", "Leagues with a log.", {"": _number(leagues)})


def _number(value: object) -> float | None:
    return None if value is None else float(str(value))


def _numbers(rows: list[tuple[object, ...]], column: int) -> dict[str, float | None]:
    return {str(row[0]): _number(row[column]) for row in rows}


def _by_task(rows: list[tuple[object, ...]], column: int) -> dict[str, float | None]:
    """Return a number for each task of this program. It is 0 without a job."""
    found: dict[str, float | None] = dict.fromkeys(DUTIES, 0.0)
    for row in rows:
        task = str(row[0]) if row[0] in DUTIES else _OTHER
        found[task] = max(found.get(task) or 0.0, _number(row[column]) or 0.0)
    return found
