"""
The frame of all searches of the log: for due work, for webhooks and for notices.

Each search has a checkpoint in each league: the first position that it has not read. The checkpoint
changes in one transaction with what the search has found, so nothing is missed and nothing is
found twice.
"""

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

import psycopg
from psycopg.rows import class_row

from service.log.read import CORRELATION, VOIDED, voided_by
from service.people.quarantine import enter
from service.tasks.reading import Row, Unfit

Look = Callable[[UUID, int | None], bool]
"""
Reads the next chunk of a league's log, and returns whether its checkpoint moved. The chunk ends
before the position, if there is one. It raises :class:`Unfit` for an event that stops it.
"""

# One statement for all leagues, because most of them have no new events.
_NEWS = """
    SELECT searched.league
      FROM {leagues} AS searched
      LEFT JOIN {checkpoint} done ON done.league = searched.league
     CROSS JOIN LATERAL (
        SELECT position FROM events WHERE events.league = searched.league
         ORDER BY position DESC LIMIT 1
     ) last
     WHERE last.position >= coalesce(done.position, 0)
       AND NOT EXISTS (SELECT FROM quarantine
                        WHERE quarantine.league = searched.league AND consumer = %s)
"""
_BEGIN = "INSERT INTO {checkpoint} (league, position) VALUES (%s, 0) ON CONFLICT DO NOTHING"
_HOLD = "SELECT position FROM {checkpoint} WHERE league = %s FOR UPDATE SKIP LOCKED"
_MOVE = "UPDATE {checkpoint} SET position = %s WHERE league = %s"
_LAST = "SELECT max(position) FROM events WHERE league = %s"
_READ = f"""
    SELECT position, stream, stream_version, event_id, type, schema_version, data::text AS data,
           at::text AS at, {CORRELATION} AS request
      FROM events
     WHERE league = %(league)s AND position >= %(start)s AND position < %(stop)s
       AND type = ANY (%(types)s) AND (%(after)s::timestamptz IS NULL OR at > %(after)s)
     ORDER BY position
"""  # noqa: S608
_VOIDED = VOIDED.replace("$1", "%s")


class Search:
    """
    A search of every league's log.

    Args:
        checkpoint: The relation of its checkpoints.
        leagues: The relation, or query in brackets, that names the leagues to search.
        consumer: The name under which a league is quarantined. A search without one never stops.
    """

    def __init__(self, checkpoint: str, leagues: str = "key", consumer: str | None = None) -> None:
        self._news = _NEWS.format(leagues=leagues, checkpoint=checkpoint)
        self._begin = _BEGIN.format(checkpoint=checkpoint)
        self._hold = _HOLD.format(checkpoint=checkpoint)
        self._move = _MOVE.format(checkpoint=checkpoint)
        self._consumer = consumer

    def in_each_league(self, connection: psycopg.Connection, look: Look) -> bool:
        """Look at the new events of every league. Return whether there was work in any."""
        leagues = connection.execute(self._news, [self._consumer]).fetchall()
        further = [self._in_league(connection, league, look) for (league,) in leagues]
        return any(further)

    def _in_league(self, connection: psycopg.Connection, league: UUID, look: Look) -> bool:
        try:
            return look(league, None)
        except Unfit as unfit:
            if self._consumer is None:
                raise
            position, cause = unfit.position, unfit.__cause__
        # Look at the events before the broken one. The checkpoint stops at it.
        reason = f"{type(cause).__name__}: {cause}"
        with connection.transaction():
            look(league, position)
            enter(connection, league, self._consumer, position, reason)
        return True

    def held(self, connection: psycopg.Connection, league: UUID) -> int | None:
        """Lock a checkpoint and return it. It is None if another ticker holds it."""
        connection.execute(self._begin, [league])
        row = connection.execute(self._hold, [league]).fetchone()
        return None if row is None else int(row[0])

    def move(self, connection: psycopg.Connection, league: UUID, end: int) -> None:
        """Set a checkpoint, which this transaction holds, to *end*."""
        connection.execute(self._move, [end, league])


def last_in(connection: psycopg.Connection, league: UUID) -> int | None:
    """Return the last position of a league's log, or None if it is empty."""
    row = connection.execute(_LAST, [league]).fetchone()
    return None if row is None or row[0] is None else int(row[0])


def rows_in(
    connection: psycopg.Connection,
    league: UUID,
    within: range,
    types: list[str],
    after: datetime | None = None,
) -> list[Row]:
    """
    Return the events of *types* at the positions *within*, in order.

    Args:
        after: Leave out older events, if given.
    """
    about = {"league": league, "start": within.start, "stop": within.stop}
    with connection.cursor(row_factory=class_row(Row)) as cursor:
        return cursor.execute(_READ, {**about, "types": types, "after": after}).fetchall()


def voided_in(connection: psycopg.Connection, league: UUID) -> frozenset[int]:
    """
    Return the positions that a repair of the league has voided.

    Raises:
        Exception: Of any kind. The events that void others can be forged too.
    """
    return voided_by(row[0] for row in connection.execute(_VOIDED, [league]))
