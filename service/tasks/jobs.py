"""
The relation ``job``, which holds all work that is due at an instant.

A message in the broker only wakes a worker. The lease repairs a lost message, and the claim
fences off a repeated one. Nothing in this module knows Celery.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

import asyncpg
import psycopg
import structlog
from psycopg.rows import class_row

from service.base.drivers import Driver

_log = structlog.get_logger(__name__)

REQUEST = "request_id"
"""The argument that names the request whose event asked for the job last. No duty reads it."""

ATTEMPTS_MAX = 10
"""A job is dead after this many attempts that neither succeeded nor were refused."""

_WAITED = 5
"""The attempts that count at most while a job waits, so that its pause stays under a minute."""

Cause = Literal["job", "waits", "hopeless"]
"""The cause of a failure."""


class Hopeless(Exception):
    """A job failed and would fail again every time. It is dead until a person looks at it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work that is due at an instant, once for each occurrence."""

    occurrence: str
    """The job's unique name, made of its task or subject and often the event that armed it."""

    task: str
    args: Mapping[str, str]
    """Identifiers and other names. The duty reads the state from the log."""

    due_at: datetime


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job that a ticker has taken under a lease."""

    job_id: UUID
    task: str
    args: dict[str, str]
    claim: int


_ARM = """
    INSERT INTO job (occurrence, task, args, due_at) VALUES ({0}, {1}, {2}, {3})
    ON CONFLICT (occurrence) DO NOTHING
"""


async def arm(connection: Driver, job: Job) -> None:
    """Record *job*, unless a job with its occurrence exists."""
    await connection.execute(
        _ARM.format("$1", "$2", "$3", "$4"),
        job.occurrence,
        job.task,
        json.dumps(dict(job.args)),
        job.due_at,
    )


def arm_now(connection: psycopg.Connection, job: Job) -> None:
    """Record *job* like :func:`arm`, in a ticker's own transaction."""
    connection.execute(
        _ARM.format("%s", "%s", "%s", "%s"),
        [job.occurrence, job.task, json.dumps(dict(job.args)), job.due_at],
    )


def come_again(connection: psycopg.Connection, job: Job) -> None:
    """
    Make a job with one permanent row run at its due time or earlier.

    A job that is running now runs once more. A dead job gets another chance.
    """
    connection.execute(
        """
        INSERT INTO job (occurrence, task, args, due_at)
        VALUES (%(occurrence)s, %(task)s, %(args)s, %(at)s)
        ON CONFLICT (occurrence) DO UPDATE
           SET state = CASE WHEN job.state = 'sent' THEN 'sent' ELSE 'ready' END,
               attempts = CASE WHEN job.state = 'dead' THEN 0 ELSE job.attempts END,
               args = excluded.args,
               due_at = CASE job.state WHEN 'sent' THEN job.due_at
                                       WHEN 'ready' THEN least(job.due_at, %(at)s)
                                       ELSE %(at)s END,
               wake_at = CASE WHEN job.state = 'sent' THEN least(job.wake_at, %(at)s) END
         WHERE NOT (job.state = 'ready' AND job.due_at <= %(at)s
                    OR job.state = 'sent' AND job.wake_at IS NOT NULL AND job.wake_at <= %(at)s)
        """,
        {
            "occurrence": job.occurrence,
            "task": job.task,
            "args": json.dumps(dict(job.args)),
            "at": job.due_at,
        },
    )


def wake(
    connection: psycopg.Connection, occurrence: str, at: datetime, request: str | None = None
) -> None:
    """
    Make *occurrence* run at *at* or earlier. If it is running now, it runs once more.

    Args:
        request: The request that asks for it, for the log.
    """
    connection.execute(
        """
        UPDATE job SET due_at = CASE WHEN state = 'ready' THEN least(due_at, %(at)s)
                                     ELSE due_at END,
                       wake_at = CASE WHEN state = 'sent' THEN least(wake_at, %(at)s) END,
                       args = (args::jsonb - 'request_id' || %(asked)s::jsonb)::json
         WHERE occurrence = %(occurrence)s AND state IN ('ready', 'sent')
        """,
        {
            "occurrence": occurrence,
            "at": at,
            "asked": json.dumps({} if request is None else {REQUEST: request}),
        },
    )


def release(connection: psycopg.Connection, tasks: Sequence[str]) -> None:
    """
    End the leases of *tasks* now, so that their jobs are claimed again.

    After an outage perhaps no process works on them any more. A process that still does loses
    its claim. Commands have fixed ids, so work that is done twice counts once.
    """
    connection.execute(
        "UPDATE job SET lease_until = service_time() WHERE state = 'sent' AND task = ANY (%s)",
        [list(tasks)],
    )


_CLAIM = """
    WITH due AS (
        SELECT job_id FROM job
         WHERE ((state = 'ready' AND due_at <= %(now)s)
            OR (state = 'sent' AND lease_until < %(now)s))
           AND (%(tasks)s::text[] IS NULL OR task = ANY (%(tasks)s))
           AND (task = ANY (%(going_on)s) OR NOT EXISTS (SELECT FROM maintenance))
           AND NOT EXISTS (SELECT FROM append_turn t
                            WHERE t.closed IS NOT NULL
                              AND (t.relocation IS NOT NULL OR NOT task = ANY (%(going_on)s))
                              AND args->>'league' = 'lge_' || replace(t.league::text, '-', ''))
         ORDER BY attempts > 0, due_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
    UPDATE job SET state = 'sent', claim = claim + 1,
                   wake_at = NULL, lease_until = %(now)s + %(lease)s
      FROM due WHERE job.job_id = due.job_id
    RETURNING job.job_id, task, args, claim
"""


def claim(
    connection: psycopg.Connection,
    lease: timedelta,
    limit: int = 100,
    tasks: Sequence[str] | None = None,
    now: datetime | None = None,
    going_on: Sequence[str] = (),
) -> list[ClaimedJob]:
    """
    Claim due jobs, and jobs with an expired lease, for the length of *lease*.

    Any number of tickers may call this at once. Jobs that have failed come last, so one
    league's failing jobs do not delay another league's. A job with too many attempts becomes
    dead instead, and a person has to look at it.

    Args:
        tasks: Claim only jobs of these tasks. Jobs of a newer program wait for a newer worker.
        going_on: Tasks whose jobs are claimed although a league takes no commands. The jobs of all
            other tasks stay ready until the league takes commands again. Of a league that is
            between two cells, no job is claimed.
        now: The caller's reading of the database's time. Without it the database is asked.
    """
    if now is None:
        (now,) = connection.execute("SELECT service_time()").fetchone() or (None,)
    dead = connection.execute(
        """
        UPDATE job SET state = 'dead', lease_until = NULL
         WHERE state = 'sent' AND lease_until < %s AND attempts >= %s
        RETURNING occurrence
        """,
        [now, ATTEMPTS_MAX],
    ).fetchall()
    for (occurrence,) in dead:
        _log.error("a job is dead: no process has finished it", occurrence=occurrence)
    with connection.cursor(row_factory=class_row(ClaimedJob)) as cursor:
        return cursor.execute(
            _CLAIM,
            {
                "now": now,
                "limit": limit,
                "lease": lease,
                "tasks": tasks and list(tasks),
                "going_on": list(going_on),
            },
        ).fetchall()


async def begin(pool: asyncpg.Pool, job_id: UUID, claim: int, until: datetime) -> ClaimedJob | None:
    """
    Begin a claimed job. Its lease starts again now, because the message may have waited.

    Args:
        until: The end of the lease, by the clock of the process. The database's own clock may have
            stepped since it was measured.

    Returns:
        The job as the database describes it, because a message may be forged. None if the claim
        does not hold: the message was repeated, or the job is finished.
    """
    found = await pool.fetchrow(
        """
        UPDATE job SET attempts = attempts + 1, lease_until = $3
         WHERE job_id = $1 AND claim = $2 AND state = 'sent' RETURNING task, args::text AS args
        """,
        job_id,
        claim,
        until,
    )
    if found is None:
        return None
    return ClaimedJob(job_id, found["task"], json.loads(found["args"]), claim)


async def finish(
    pool: asyncpg.Pool, job_id: UUID, claim: int, *, again_at: datetime | None, refused: str | None
) -> bool:
    """
    Mark a claimed job as done, or as due again at *again_at* or at its wake-up, if earlier.

    Args:
        again_at: The instant at which the duty asked to run again.
        refused: The code of the refusal that ended the job, kept for operators.

    Returns:
        False if another process has claimed the job meanwhile.
    """
    found = await pool.fetchval(
        """
        UPDATE job SET state = CASE WHEN least($3::timestamptz, wake_at) IS NULL THEN 'done'
                                    ELSE 'ready' END,
                       due_at = coalesce(least($3, wake_at), due_at),
                       lease_until = NULL, wake_at = NULL, attempts = 0, last_error = $4
         WHERE job_id = $1 AND claim = $2 AND state = 'sent' RETURNING 1
        """,
        job_id,
        claim,
        again_at,
        refused,
    )
    return found is not None


async def renew(pool: asyncpg.Pool, job_id: UUID, claim: int, until: datetime) -> None:
    """Extend a claim to *until*, for work that takes longer than one lease."""
    await pool.execute(
        """
        UPDATE job SET lease_until = $3
         WHERE job_id = $1 AND claim = $2 AND state = 'sent'
        """,
        job_id,
        claim,
        until,
    )


async def fail(
    pool: asyncpg.Pool, job_id: UUID, claim: int, error: str, now: datetime, *,
    cause: Cause = "job",
) -> None:  # fmt: skip
    """
    Give a claimed job back after an error. Each failure delays the next attempt longer.

    Args:
        now: The present instant by the clock of the process.
        cause: The job itself, or something that it waits for, or something that will never change.
            Of the first, the tenth failure leaves it dead. Of the last, this one does.
    """
    await pool.execute(
        """
        UPDATE job SET attempts = CASE WHEN $5 = 'waits' THEN least(attempts, $6) ELSE attempts END,
                       state = CASE WHEN $5 = 'hopeless' OR $5 = 'job' AND attempts >= $4
                                    THEN 'dead' ELSE 'ready' END,
                       due_at = $7::timestamptz + least(power(2, attempts), 300) * interval '0.5 s',
                       lease_until = NULL, last_error = $3
         WHERE job_id = $1 AND claim = $2 AND state = 'sent'
        """,
        job_id,
        claim,
        error[:500],
        ATTEMPTS_MAX,
        cause,
        _WAITED,
        now,
    )
