"""
The search of the log for work to do later, which is recorded as jobs.

Each league has a checkpoint: the position up to which its log has been searched. Jobs and
checkpoint change in one transaction, so no job is missed. A league with an unreadable event is
quarantined at that event, and all other leagues continue.
"""

from datetime import datetime, time, timedelta
from typing import NamedTuple
from uuid import UUID

import psycopg
import structlog
from psycopg.rows import class_row

from engine.values import identifier
from service.base.settings import Settings
from service.log.read import voided_by
from service.people.quarantine import ARMING, enter
from service.tasks.asking import ASKING, Ask, asked_by
from service.tasks.jobs import Job, arm_now, come_again, wake
from service.tasks.reading import VOIDED_NOW, Row, Unfit, decoded

_log = structlog.get_logger(__name__)

_CHUNK = 2000

# One statement for all leagues, because most of them have no new events.
_NEWS = """
    SELECT key.league
      FROM key
      LEFT JOIN ticker_checkpoint done ON done.league = key.league
     CROSS JOIN LATERAL (
        SELECT position FROM events WHERE events.league = key.league
         ORDER BY position DESC LIMIT 1
     ) last
     WHERE last.position >= coalesce(done.position, 0)
       AND NOT EXISTS (SELECT FROM quarantine
                        WHERE quarantine.league = key.league AND consumer = %s)
"""
_HOLD = "SELECT position FROM ticker_checkpoint WHERE league = %s FOR UPDATE SKIP LOCKED"
_END = """
    SELECT max(position) + 1
      FROM (SELECT position FROM events WHERE league = %s AND position >= %s
             ORDER BY position LIMIT %s) AS chunk
"""
_READ = """
    SELECT position, stream, stream_version, event_id, type, schema_version, data::text AS data
      FROM events
     WHERE league = %s AND position >= %s AND position < %s AND type = ANY (%s)
     ORDER BY position
"""
_NIGHTLY = """
    INSERT INTO job (occurrence, task, args, due_at)
    SELECT 'audit:' || name || ':' || %(night)s, 'audit.run',
           json_build_object('league', name,
                             'report', 'nightly_' || name || '_' || replace(%(night)s, '-', '')),
           %(due_at)s
      FROM key CROSS JOIN LATERAL (SELECT 'lge_' || replace(key.league::text, '-', '')) AS it(name)
    ON CONFLICT (occurrence) DO NOTHING
"""


class _Chunk(NamedTuple):
    """The result of searching a part of a league's log."""

    end: int
    """The first position that was not searched."""

    asks: list[tuple[int, Ask]]
    """The jobs, each with the position of the event that asks for it."""

    finished: bool
    """True if a tournament ended in this part."""


def follow(connection: psycopg.Connection, now: datetime, settings: Settings) -> bool:
    """Arm the jobs that new events ask for. Return whether there was work in any league."""
    leagues = connection.execute(_NEWS, [ARMING]).fetchall()
    further = [_follow_league(connection, league, now, settings) for (league,) in leagues]
    return any(further)


def _follow_league(
    connection: psycopg.Connection, league: UUID, now: datetime, settings: Settings
) -> bool:
    try:
        return _search(connection, league, now, settings)
    except Unfit as unfit:
        position, cause = unfit.position, unfit.__cause__
    # Arm the jobs of the events before the broken one. The checkpoint stops at it.
    reason = f"{type(cause).__name__}: {cause}"
    with connection.transaction():
        _search(connection, league, now, settings, before=position)
        enter(connection, league, ARMING, position, reason)
    return True


def _search(
    connection: psycopg.Connection,
    league: UUID,
    now: datetime,
    settings: Settings,
    before: int | None = None,
) -> bool:
    """
    Arm the jobs of the next chunk of a league's log. Return whether the checkpoint moved.

    Args:
        before: The position at which the chunk must end, if given.

    Raises:
        Unfit: If an event cannot be read, or its jobs cannot be stored. No job is armed then.
    """
    with connection.transaction():
        connection.execute(
            "INSERT INTO ticker_checkpoint (league, position) VALUES (%s, 0)"
            " ON CONFLICT DO NOTHING",
            [league],
        )
        row = connection.execute(_HOLD, [league]).fetchone()
        if row is None:  # another ticker holds this league's checkpoint
            return False
        start: int = row[0]
        try:
            chunk = _read(connection, league, start, before, now, settings)
        except (Unfit, psycopg.Error):
            raise
        except Exception as error:
            # The events that void others can be forged too.
            raise Unfit(start) from error
        for position, ask in chunk.asks:
            try:
                _arm(connection, ask)
            except (psycopg.DataError, psycopg.IntegrityError) as error:
                raise Unfit(position) from error
        if chunk.end > start and settings.signer_url is not None:
            wait = 0 if chunk.finished else settings.sign_seconds
            _arm_signing(connection, league, now + timedelta(seconds=wait))
        connection.execute(
            "UPDATE ticker_checkpoint SET position = %s WHERE league = %s", [chunk.end, league]
        )
        return chunk.end > start


def _read(
    connection: psycopg.Connection,
    league: UUID,
    start: int,
    before: int | None,
    now: datetime,
    settings: Settings,
) -> _Chunk:
    last = connection.execute(_END, [league, start, _CHUNK]).fetchone()
    end = start if last is None or last[0] is None else last[0]
    end = end if before is None else min(end, before)
    with connection.cursor(row_factory=class_row(Row)) as cursor:
        rows = cursor.execute(_READ, [league, start, end, ASKING]).fetchall()
    asks: list[tuple[int, Ask]] = []
    away: frozenset[int] = frozenset()
    if rows:
        away = voided_by(row[0] for row in connection.execute(VOIDED_NOW, [league]))
    for row in rows:
        if row.position in away:
            continue
        try:
            found = decoded(league, row, now)
            asks += ((row.position, ask) for ask in asked_by(found, now, settings))
        except Exception as error:
            # Someone who can write to the log can forge anything. A forged event must break
            # only its own league, which is then quarantined.
            raise Unfit(row.position) from error
    return _Chunk(end, asks, any(row.type == "tournament_finished" for row in rows))


def _arm(connection: psycopg.Connection, ask: Ask) -> None:
    if ask.known == "again":
        come_again(connection, ask.job)
    elif ask.known == "wake":
        wake(connection, ask.job.occurrence, ask.job.due_at)
    else:
        arm_now(connection, ask.job)


def _arm_signing(connection: psycopg.Connection, league: UUID, due_at: datetime) -> None:
    league_id = identifier("lge", league)
    come_again(
        connection,
        Job(
            occurrence=f"sign:{league_id}",
            task="league.sign_head",
            args={"league": league_id},
            due_at=due_at,
        ),
    )


def sign_quarantined(connection: psycopg.Connection, now: datetime, settings: Settings) -> None:
    """Arm signing for quarantined leagues, so that a forged event cannot stop their proofs."""
    if settings.signer_url is None:
        return
    rows = connection.execute("SELECT league FROM quarantine WHERE consumer = %s", [ARMING])
    for (league,) in rows.fetchall():
        _arm_signing(connection, league, now)


def nightly(connection: psycopg.Connection, now: datetime, settings: Settings) -> None:
    """
    Arm tonight's jobs: generator statistics, deletions, and an audit of every league.

    A night that is more than an hour late is skipped, because the next night sees the same log.
    """
    hour = time.fromisoformat(settings.nightly_audit)
    due_at = datetime.combine(now.date(), hour, tzinfo=now.tzinfo)
    if due_at > now:
        due_at -= timedelta(days=1)  # its hour may have begun before midnight
    if now - due_at >= timedelta(hours=1):
        return
    night = f"{due_at:%Y-%m-%d}"
    arm_now(
        connection,
        Job(
            occurrence=f"randomness:{night}",
            task="randomness.measure",
            args={"night": night},
            due_at=due_at,
        ),
    )
    arm_now(
        connection,
        Job(occurrence=f"forget:{night}", task="records.forget", args={}, due_at=due_at),
    )
    connection.execute(_NIGHTLY, {"night": night, "due_at": due_at})


def wake_all(connection: psycopg.Connection, now: datetime) -> None:
    """Make the jobs of every live table and every level clock due now."""
    connection.execute(
        """
        UPDATE job SET due_at = CASE WHEN state = 'ready' THEN least(due_at, %(now)s)
                                     ELSE due_at END,
                       wake_at = CASE WHEN state = 'sent' THEN %(now)s::timestamptz END
         WHERE task IN ('table.watch', 'tournament.level') AND state IN ('ready', 'sent')
        """,
        {"now": now},
    )
