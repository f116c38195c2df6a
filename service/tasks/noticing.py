"""
The search of the log for occasions for notices, and the job that sends notices.

Each league has a checkpoint, which changes in one transaction with the occasions. An event that
cannot be read is passed over: no notice is made of it, and an audit reports it. Events that are too
old for a notice are never read.
"""

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec
import psycopg
import structlog

from engine.tournament.model.events.correcting import ResultCorrected
from service.base.settings import Settings
from service.log.catalogue import tag_of
from service.notices.kinds import GOOD_FOR
from service.notices.occasions import TYPES, ends_at, occasion_of
from service.people.relocations import STAYS
from service.tasks.jobs import Job, come_again
from service.tasks.reading import Row, decoded
from service.tasks.searching import Search, last_in, rows_in, voided_in

_CHUNK: Final = 20_000
_OLDEST: Final = max(GOOD_FOR.values())
_CORRECTED: Final = tag_of(ResultCorrected)

_OCCASION = """
    INSERT INTO notice_occasion (event, league, position, facts, ends_at)
    VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING
"""
_UNTOLD = STAYS.format(league="notice_occasion.league")
_ANY_DUE = f"""
    SELECT EXISTS (SELECT FROM notice
                    WHERE state = 'waiting' AND next_at <= %s AND channel = ANY (%s)
                      AND {STAYS.format(league="notice.league")})
        OR EXISTS (SELECT FROM reset_request)
        OR EXISTS (SELECT FROM notice_occasion WHERE {_UNTOLD})
"""  # noqa: S608

_SEARCH = Search("notice_checkpoint")

_log = structlog.get_logger(__name__)


def follow(connection: psycopg.Connection, now: datetime, settings: Settings) -> bool:
    """Find the occasions in new events. Return whether there was work in any league."""
    if not channels_of(settings):
        return False

    def look(league: UUID, _: int | None) -> bool:
        return _search(connection, league, now)

    return _SEARCH.in_each_league(connection, look)


def arm_sending(connection: psycopg.Connection, now: datetime, settings: Settings) -> None:
    """Arm the job that sends notices, if any is due that this installation can send."""
    channels = channels_of(settings)
    if not channels:
        return
    due = connection.execute(_ANY_DUE, [now, channels]).fetchone()
    if due is not None and due[0]:
        job = Job(occurrence="notice.send", task="notice.send", args={}, due_at=now)
        come_again(connection, job)


def channels_of(settings: Settings) -> list[str]:
    """Return the channels by which this installation can send."""
    ways = {"mail": settings.smtp_url, "push": settings.push_key}
    return [channel for channel, way in ways.items() if way is not None]


def _search(connection: psycopg.Connection, league: UUID, now: datetime) -> bool:
    """Find the occasions in the next chunk of a league's log. Return whether it moved on."""
    with connection.transaction():
        start = _SEARCH.held(connection, league)
        last = last_in(connection, league)
        if start is None or last is None:
            return False
        end = min(last + 1, start + _CHUNK)
        rows = rows_in(connection, league, range(start, end), TYPES, after=now - _OLDEST)
        found = {row.position: each for row in rows for each in _occasions(league, row, now)}
        if found:
            away = _away(connection, league)
            stand = [row for row in rows if row.position in found and row.position not in away]
            with connection.cursor() as cursor:
                cursor.executemany(_OCCASION, [found[row.position] for row in _told_once(stand)])
        _SEARCH.move(connection, league, end)
        return end > start


def _told_once(rows: list[Row]) -> list[Row]:
    """
    Leave out corrections of a result that the same request corrects again.

    A ruling may hold several. Together they are one piece of news, and the last has all of it.
    """
    last = {(row.stream, row.request): row.position for row in rows if row.type == _CORRECTED}
    return [
        row
        for row in rows
        if row.type != _CORRECTED
        or row.request is None
        or last[row.stream, row.request] == row.position
    ]


_Found = tuple[UUID, UUID, int, str, datetime]


def _occasions(league: UUID, row: Row, now: datetime) -> list[_Found]:
    """Return the row of the occasion that an event is, if a notice is still useful."""
    try:
        occasion = occasion_of(decoded(league, row, now).event, row.stream)
        if occasion is None:
            return []
        end = ends_at(occasion, datetime.fromisoformat(row.at))
    except Exception:  # noqa: BLE001
        # Someone who can write to the log can forge anything.
        _log.warning(
            "no notices are sent about an event that cannot be read", position=row.position
        )
        return []
    facts = msgspec.json.encode(occasion).decode()
    return [(row.event_id, league, row.position, facts, end)] if end > now else []


def _away(connection: psycopg.Connection, league: UUID) -> frozenset[int]:
    """Return the positions that a repair has voided."""
    try:
        return voided_in(connection, league)
    except psycopg.Error:
        raise
    except Exception:  # noqa: BLE001 - the events that void others can be forged too
        return frozenset()
