"""
The search of the log for work to do later, which is recorded as jobs.

Each league has a checkpoint: the position up to which its log has been searched. Jobs and
checkpoint change in one transaction, so no job is missed. A league with an unreadable event is
quarantined at that event, and all other leagues continue.
"""

from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import NamedTuple
from uuid import UUID

import psycopg
import structlog

from engine.values import identifier
from service.announcing.sandbox_leagues import is_ended
from service.base.settings import Settings
from service.base.telemetry import request_id
from service.people.quarantine import ARMING
from service.tasks.asking import ASKING, Ask, asked_by
from service.tasks.jobs import REQUEST, Job, arm_now, come_again, wake
from service.tasks.reading import Unfit, decoded
from service.tasks.searching import Search, rows_in, voided_in

_log = structlog.get_logger(__name__)

_CHUNK = 2000

_END = """
    SELECT max(position) + 1
      FROM (SELECT position FROM events WHERE league = %s AND position >= %s
             ORDER BY position LIMIT %s) AS chunk
"""
_NIGHTLY = """
    INSERT INTO job (occurrence, task, args, due_at)
    SELECT 'audit:' || name || ':' || %(night)s, 'audit.run',
           json_build_object('league', name,
                             'report', 'nightly_' || name || '_' || replace(%(night)s, '-', '')),
           %(due_at)s
      FROM key CROSS JOIN LATERAL (SELECT 'lge_' || replace(key.league::text, '-', '')) AS it(name)
     WHERE it.name <> ALL(%(ended)s)
       AND NOT EXISTS (SELECT FROM append_turn t
                        WHERE t.league = key.league AND t.relocation IS NOT NULL)
    ON CONFLICT (occurrence) DO NOTHING
"""


class _Chunk(NamedTuple):
    """The result of searching a part of a league's log."""

    end: int
    """The first position that was not searched."""

    asks: list[tuple[int, Ask, str | None]]
    """The jobs, each with the position of the event that asks for it, and its request."""

    finished: bool
    """True if a tournament ended in this part."""


_SEARCH = Search("ticker_checkpoint", consumer=ARMING)


def follow(connection: psycopg.Connection, now: datetime, settings: Settings) -> bool:
    """Arm the jobs that new events ask for. Return whether there was work in any league."""

    def look(league: UUID, before: int | None) -> bool:
        return _search(connection, league, now, settings, before)

    return _SEARCH.in_each_league(connection, look)


def _search(
    connection: psycopg.Connection,
    league: UUID,
    now: datetime,
    settings: Settings,
    before: int | None,
) -> bool:
    """
    Arm the jobs of the next chunk of a league's log. Return whether the checkpoint moved.

    Args:
        before: The position at which the chunk must end, if given.

    Raises:
        Unfit: If an event cannot be read, or its jobs cannot be stored. No job is armed then.
    """
    with connection.transaction():
        start = _SEARCH.held(connection, league)
        if start is None:
            return False
        try:
            chunk = _read(connection, league, start, before, now, settings)
        except (Unfit, psycopg.Error):
            raise
        except Exception as error:
            # The events that void others can be forged too.
            raise Unfit(start) from error
        for position, ask, request in chunk.asks:
            try:
                _arm(connection, ask, request)
            except (psycopg.DataError, psycopg.IntegrityError) as error:
                raise Unfit(position) from error
        if chunk.end > start and settings.signer_url is not None:
            wait = 0 if chunk.finished else settings.sign_seconds
            _arm_signing(connection, league, now + timedelta(seconds=wait))
        _SEARCH.move(connection, league, chunk.end)
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
    rows = rows_in(connection, league, range(start, end), ASKING)
    asks: list[tuple[int, Ask, str | None]] = []
    away = voided_in(connection, league) if rows else frozenset()
    for row in rows:
        if row.position in away:
            continue
        try:
            found = decoded(league, row, now)
            request = request_id(row.request)
            asks += ((row.position, ask, request) for ask in asked_by(found, now, settings))
        except Exception as error:
            # Someone who can write to the log can forge anything. A forged event must break
            # only its own league, which is then quarantined.
            raise Unfit(row.position) from error
    return _Chunk(end, asks, any(row.type == "tournament_finished" for row in rows))


def _arm(connection: psycopg.Connection, ask: Ask, request: str | None) -> None:
    job = ask.job if request is None else replace(ask.job, args={**ask.job.args, REQUEST: request})
    if ask.known == "again":
        come_again(connection, job)
    elif ask.known == "wake":
        wake(connection, job.occurrence, job.due_at, request)
    else:
        arm_now(connection, job)


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

    Leagues of the standing sandbox that have ended more than a month ago never change again. They
    are audited on demand only. A league that lives in another cell is audited there.

    A night that is more than an hour late is skipped, because the next night sees the same log.
    """
    hour = time.fromisoformat(settings.nightly_audit)
    due_at = datetime.combine(now.date(), hour, tzinfo=now.tzinfo)
    if due_at > now:
        due_at -= timedelta(days=1)  # the job's hour may have begun before midnight
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
    leagues = connection.execute("SELECT 'lge_' || replace(league::text, '-', '') FROM key")
    ended = [name for (name,) in leagues if is_ended(name, now)]
    connection.execute(_NIGHTLY, {"night": night, "due_at": due_at, "ended": ended})


def wake_all(connection: psycopg.Connection, now: datetime) -> None:
    """Make the jobs of all live tables, level clocks and times of entry due now."""
    connection.execute(
        """
        UPDATE job SET due_at = CASE WHEN state = 'ready' THEN least(due_at, %(now)s)
                                     ELSE due_at END,
                       wake_at = CASE WHEN state = 'sent' THEN %(now)s::timestamptz END
         WHERE task IN ('table.watch', 'tournament.level', 'tournament.close_late',
                        'waitlist.offer')
           AND state IN ('ready', 'sent')
        """,
        {"now": now},
    )
