"""
Finding in the log what must be done later, and recording it as jobs.

A checkpoint for each league says how far its log has been searched; jobs and
checkpoint change in one transaction, so nothing the log asks for is missed.
"""

from datetime import datetime, time, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

from engine.values import identifier
from service.jobs import Job, arm_now, come_again, wake
from service.settings import Settings

_CHUNK = 2000

_NEWS = """
    SELECT key.league, coalesce(done.position, 0)
      FROM key
      LEFT JOIN ticker_checkpoint done ON done.league = key.league
     CROSS JOIN LATERAL (
        SELECT position FROM events WHERE events.league = key.league
         ORDER BY position DESC LIMIT 1
     ) last
     WHERE last.position >= coalesce(done.position, 0)
"""

_BREAK = "break_started"
_CLOCK = ("clock_started", "level_raised")
_ROUND = "round_ended"
_BEACON = "beacon_awaited"
_ENTERING = ("start_postponed", "place_offered", "late_registration_opened")
_IDLE = ("hand_settled", "deal_voided")
_OVER = ("tournament_finished", "tournament_cancelled")
_SEASON_OVER = "season_closed"
_DISPUTED = "dispute_opened"
_RESULT = ("tournament_finished", "result_corrected", "result_released")
_RECURRING = ("fixtures_planned", "fixtures_replanned", "fixture_changed")
_CLOSING = ("season_scheduled", "standings_released")
_ASKING = [
    "tournament_announced",
    "table_opened",
    *_IDLE,
    *_RESULT,
    *_OVER,
    _SEASON_OVER,
    *_CLOCK,
    _ROUND,
    _BREAK,
    _BEACON,
    *_ENTERING,
    *_RECURRING,
    *_CLOSING,
    _DISPUTED,
]


def follow(connection: psycopg.Connection, now: datetime, settings: Settings) -> bool:
    """Arm what new events of any league ask for; return whether there was anything."""
    leagues = connection.execute(_NEWS).fetchall()
    for league, _ in leagues:
        _follow_league(connection, league, now, settings)
    return bool(leagues)


class _Found(NamedTuple):
    event_id: UUID
    stream: str
    type: str
    data: dict[str, Any]
    version: int


def _follow_league(
    connection: psycopg.Connection, league: UUID, now: datetime, settings: Settings
) -> None:
    with connection.transaction():
        connection.execute(
            "INSERT INTO ticker_checkpoint (league, position) VALUES (%s, 0)"
            " ON CONFLICT DO NOTHING",
            [league],
        )
        row = connection.execute(
            """
            SELECT position FROM ticker_checkpoint WHERE league = %s FOR UPDATE SKIP LOCKED
            """,
            [league],
        ).fetchone()
        if row is None:  # another ticker is at it
            return
        start: int = row[0]
        last = connection.execute(
            "SELECT max(position) FROM events WHERE league = %s AND position < %s",
            [league, start + _CHUNK],
        ).fetchone()
        end = start if last is None or last[0] is None else last[0] + 1
        found = connection.execute(
            """
            SELECT event_id, stream, type, data, stream_version FROM events
             WHERE league = %s AND position >= %s AND position < %s AND type = ANY (%s)
             ORDER BY position
            """,
            [league, start, end, _ASKING],
        ).fetchall()
        for row in found:
            _arm(connection, league, _Found(*row), now, settings)
        if end > start and settings.signer_url is not None:
            finished = any(_Found(*row).type == "tournament_finished" for row in found)
            wait = 0 if finished else settings.sign_seconds
            _arm_signing(connection, league, now + timedelta(seconds=wait))
        connection.execute(
            "UPDATE ticker_checkpoint SET position = %s WHERE league = %s", [end, league]
        )


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


def _arm(
    connection: psycopg.Connection,
    league: UUID,
    event: _Found,
    now: datetime,
    settings: Settings,
) -> None:
    kind = event.type
    league_id = identifier("lge", league)
    number = UUID(hex=event.stream.partition("-")[2])
    if kind == "table_opened":
        table = identifier("tbl", number)
        args = {"league": league_id, "table": table}
        arm_now(
            connection,
            Job(occurrence=f"watch:{table}", task="table.watch", args=args, due_at=now),
        )
    elif kind in _IDLE:
        left_lying = now + timedelta(seconds=settings.sweep_seconds)
        wake(connection, f"watch:{identifier('tbl', number)}", left_lying)
    elif kind in _RECURRING:
        _arm_materialising(connection, league_id, number, event.data["recurrence"], now)
    elif kind in _CLOSING:
        _arm_closing(connection, league_id, number, event)
    elif kind == _DISPUTED:
        _arm_proving(connection, league_id, number, now, settings)
    elif kind == _SEASON_OVER:
        _arm_recording(connection, league_id, number, now)
    else:
        args = {"league": league_id, "tournament": identifier("trn", number)}
        if kind in _CLOCK:
            args["run_by"] = str(event.version)
        if kind == _ROUND:
            args["after"] = str(event.data["round"])
        if kind == _BREAK:
            args["begun_by"] = str(event.version)
        if kind == "place_offered":
            args["entrant"] = event.data["entrant"]
        for task, due_at in _due(kind, event.data, now):
            arm_now(
                connection,
                Job(occurrence=f"{task}:{event.event_id}", task=task, args=args, due_at=due_at),
            )


def _arm_materialising(
    connection: psycopg.Connection, league: str, season: UUID, recurrence: str, now: datetime
) -> None:
    """Have a recurrence looked at, now: its plan says when it is looked at next."""
    args = {"league": league, "season": identifier("ssn", season), "recurrence": recurrence}
    come_again(
        connection,
        Job(
            occurrence=f"materialise:{recurrence}",
            task="season.materialise",
            args=args,
            due_at=now,
        ),
    )


def _arm_closing(connection: psycopg.Connection, league: str, season: UUID, event: _Found) -> None:
    closes_at = event.data["closes_at"]
    if closes_at is None:
        return
    season_id = identifier("ssn", season)
    arm_now(
        connection,
        Job(
            occurrence=f"season.close:{event.event_id}",
            task="season.close",
            args={"league": league, "season": season_id, "closes_at": closes_at},
            due_at=datetime.fromisoformat(closes_at),
        ),
    )


def _arm_proving(
    connection: psycopg.Connection, league: str, dispute: UUID, now: datetime, settings: Settings
) -> None:
    """Have a head signed for a dispute at once, where there is a signer."""
    if settings.signer_url is None:
        return
    name = identifier("dsp", dispute)
    args = {"league": league, "dispute": name}
    arm_now(
        connection,
        Job(occurrence=f"prove:{name}", task="dispute.attach_head", args=args, due_at=now),
    )


def _arm_recording(
    connection: psycopg.Connection, league: str, season: UUID, now: datetime
) -> None:
    season_id = identifier("ssn", season)
    arm_now(
        connection,
        Job(
            occurrence=f"season.record_tournaments:{season_id}",
            task="season.record_tournaments",
            args={"league": league, "season": season_id},
            due_at=now,
        ),
    )


def _due(kind: str, data: dict[str, Any], now: datetime) -> list[tuple[str, datetime]]:
    if kind in _OVER:
        points = [("season.award_points", now)] if kind in _RESULT else []
        return [*points, ("tournament.record_tables", now)]
    if kind in _RESULT:
        return [("season.award_points", now)]
    if kind in _CLOCK:
        # The last level stays.
        return [("tournament.level", _instant(data["due"]))] if data["due"] else []
    if kind == _ROUND:
        # Nothing follows the last one.
        return [("tournament.round", _instant(data["next_at"]))] if data["next_at"] else []
    if kind == _BEACON:
        return [("tournament.draw", now)]
    if kind == _BREAK:
        return [("tournament.break", _instant(data["due"]))]
    if kind == "place_offered":
        return [("waitlist.offer", _instant(data["until"]))]
    if kind == "late_registration_opened":
        until = data["until"]
        return [] if until is None else [("tournament.close_late", _instant(until))]
    starts_at = _instant(data["until" if kind == "start_postponed" else "starts_at"])
    due = [("tournament.start", starts_at), *_before_start(kind, data, starts_at)]
    if opens_at := data.get("registration_opens_at"):
        due.append(("tournament.open_registration", _instant(opens_at)))
    # Terms of the first versions had no floor; a start that is put off names the hour itself.
    if ends_at := data.get("last_hands_at") or data.get("floor", {}).get("last_hands_at"):
        due.append(("tournament.last_hands", _instant(ends_at)))
    return due


def _before_start(
    kind: str, data: dict[str, Any], starts_at: datetime
) -> list[tuple[str, datetime]]:
    """Return when registration closes before the start, and when check-in opens."""
    tasks = ("tournament.close_registration", "tournament.check_in")
    if kind == "start_postponed":
        at = data["registration_closes_at"], data["check_in_opens_at"]
        return [(task, _instant(each)) for task, each in zip(tasks, at, strict=True) if each]
    # Announcements of the first versions have none of these terms.
    entry = data.get("entry", {})
    before = (
        entry.get("registration_closes_before_seconds"),
        entry.get("check_in_opens_before_seconds"),
    )
    return [
        (task, starts_at - timedelta(seconds=seconds))
        for task, seconds in zip(tasks, before, strict=True)
        if seconds
    ]


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def nightly(connection: psycopg.Connection, now: datetime, settings: Settings) -> None:
    """
    Arm tonight's statistics of the generator, and tonight's audit of every league.

    One that was missed by more than an hour is skipped: the next night sees the same log.
    """
    due_at = datetime.combine(
        now.date(), time.fromisoformat(settings.nightly_audit), tzinfo=now.tzinfo
    )
    if not timedelta() <= now - due_at < timedelta(hours=1):
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
    for (league,) in connection.execute("SELECT league FROM key").fetchall():
        league_id = identifier("lge", league)
        arm_now(
            connection,
            Job(
                occurrence=f"audit:{league_id}:{due_at:%Y-%m-%d}",
                task="audit.run",
                args={
                    "league": league_id,
                    "report": f"nightly_{league_id}_{due_at:%Y%m%d}",
                },
                due_at=due_at,
            ),
        )


def wake_all(connection: psycopg.Connection, now: datetime) -> None:
    """Have every live table and every level clock looked at, now."""
    connection.execute(
        """
        UPDATE job SET due_at = CASE WHEN state = 'ready' THEN least(due_at, %(now)s)
                                     ELSE due_at END,
                       wake_at = CASE WHEN state = 'sent' THEN %(now)s::timestamptz END
         WHERE task IN ('table.watch', 'tournament.level') AND state IN ('ready', 'sent')
        """,
        {"now": now},
    )
