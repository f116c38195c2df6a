"""
The search of the log for events that webhooks report.

Only leagues with a webhook are searched. Each has a checkpoint of its own, which changes in one
transaction with the deliveries. An event that cannot be read stops this search in its league, and
neither the search for jobs nor any other league.
"""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import psycopg

from engine.values import aggregate_of, stream_of
from service.base.uuids import uuid5
from service.people.quarantine import WEBHOOKS
from service.people.relocations import STAYS
from service.tasks.jobs import Job, come_again
from service.tasks.reading import Row, Unfit, decoded
from service.tasks.searching import Search, last_in, rows_in, voided_in
from service.webhooks.kinds import TOLD
from service.webhooks.messages import Named, Source, body_of

_CHUNK = 2000

_WEBHOOKS = """
    SELECT id, kinds, since FROM webhook WHERE league = %s AND disabled_at IS NULL
       FOR SHARE
"""
_TOURNAMENT = """
    SELECT data ->> 'tournament' FROM events
     WHERE league = %s AND stream = %s AND stream_version = 1
"""
_NAME = """
    SELECT data ->> 'name' FROM events
     WHERE league = %s AND stream = %s AND type = 'tournament_announced'
     ORDER BY stream_version LIMIT 1
"""
_EPOCH = "SELECT coalesce(max(epoch), 0) FROM league_epoch WHERE league = %s"
_DELIVERY = """
    INSERT INTO webhook_delivery (id, webhook, event, kind, body, state, attempts, next_at,
                                  created_at)
    VALUES (%s, %s, %s, %s, %s, 'waiting', 0, %s, %s)
    ON CONFLICT DO NOTHING
"""
_ANY_DUE = f"""
    SELECT EXISTS (SELECT FROM webhook_delivery JOIN webhook ON webhook.id = webhook
                    WHERE state = 'waiting' AND next_at <= %s AND disabled_at IS NULL
                      AND {STAYS.format(league="webhook.league")})
"""  # noqa: S608


_SEARCH = Search(
    "webhook_checkpoint",
    leagues="(SELECT DISTINCT league FROM webhook WHERE disabled_at IS NULL)",
    consumer=WEBHOOKS,
)


class _Webhook(NamedTuple):
    id: UUID
    kinds: list[str]
    since: int
    """The last position before the webhook was made. It gets only later events."""


def follow(connection: psycopg.Connection, now: datetime) -> bool:
    """Make the deliveries for new events. Return whether there was work in any league."""

    def look(league: UUID, before: int | None) -> bool:
        return _search(connection, league, now, before)

    return _SEARCH.in_each_league(connection, look)


def arm_delivery(connection: psycopg.Connection, now: datetime) -> None:
    """Arm the job that delivers, if any delivery is due."""
    due = connection.execute(_ANY_DUE, [now]).fetchone()
    if due is not None and due[0]:
        job = Job(occurrence="webhook.deliver", task="webhook.deliver", args={}, due_at=now)
        come_again(connection, job)


def _search(
    connection: psycopg.Connection, league: UUID, now: datetime, before: int | None
) -> bool:
    """
    Make the deliveries of the next chunk of a league's log. Return whether the checkpoint moved.

    Args:
        before: The position at which the chunk must end, if given.

    Raises:
        Unfit: If an event cannot be read. No delivery is made then.
    """
    with connection.transaction():
        held = _SEARCH.held(connection, league)
        last = last_in(connection, league)
        if held is None or last is None:
            return False
        # Webhooks are read after the last position. An event up to it that is younger than a
        # webhook therefore finds that webhook here. The locks keep a webhook from being disabled
        # or deleted between this query and its deliveries.
        webhooks = [_Webhook(*row) for row in connection.execute(_WEBHOOKS, [league]).fetchall()]
        if not webhooks:
            return False
        start = max(held, min(each.since for each in webhooks) + 1)
        end = min(last + 1, start + _CHUNK)
        end = end if before is None else min(end, before)
        try:
            deliveries = _deliveries(connection, league, start, end, webhooks, now)
        except (Unfit, psycopg.OperationalError):
            raise
        except Exception as error:
            # The events that void others can be forged too.
            raise Unfit(start) from error
        with connection.cursor() as cursor:
            cursor.executemany(_DELIVERY, deliveries)
        _SEARCH.move(connection, league, end)
        return end > held


def _deliveries(
    connection: psycopg.Connection,
    league: UUID,
    start: int,
    end: int,
    webhooks: list[_Webhook],
    now: datetime,
) -> list[tuple[object, ...]]:
    """Return the rows of the deliveries for the events from *start* to before *end*."""
    wanted = {kind for each in webhooks for kind in each.kinds}
    types = [type_ for type_, kind in TOLD.items() if kind in wanted]
    rows = rows_in(connection, league, range(start, end), types)
    if not rows:
        return []
    away = voided_in(connection, league)
    teller = _Teller(connection, league, now)
    found: list[tuple[object, ...]] = []
    for row in rows:
        kind = TOLD[row.type]
        to = [each for each in webhooks if kind in each.kinds and row.position > each.since]
        if row.position in away or not to:
            continue
        body = teller.body(row)
        found += (
            (uuid5(each.id, row.event_id.hex), each.id, row.event_id, kind, body, now, now)
            for each in to
        )
    return found


class _Teller:
    """Makes messages about the events of one league."""

    def __init__(self, connection: psycopg.Connection, league: UUID, now: datetime) -> None:
        self._connection = connection
        self._league = league
        self._now = now
        self._names: dict[str, Named] = {}
        self._epoch = int(self._value(_EPOCH, league))

    def body(self, row: Row) -> str:
        """
        Return the body of the message about *row*.

        Raises:
            Unfit: If the event cannot be read.
        """
        try:
            source = Source(
                league=self._league,
                epoch=self._epoch,
                position=row.position,
                stream=row.stream,
                event_id=row.event_id,
                at=datetime.fromisoformat(row.at),
                event=decoded(self._league, row, self._now).event,
            )
            return body_of(source, self._named)
        except psycopg.OperationalError:
            raise
        except Exception as error:
            # Someone who can write to the log can forge anything.
            raise Unfit(row.position) from error

    def _named(self, stream: str) -> Named:
        """Return the tournament that a stream of a tournament or a table belongs to."""
        known = self._names.get(stream)
        if known is None:
            tournament = aggregate_of(stream)
            if stream.startswith("table-"):
                tournament = self._value(_TOURNAMENT, self._league, stream)
            known = Named(tournament, self._value(_NAME, self._league, stream_of(tournament)))
            self._names[stream] = known
        return known

    def _value(self, query: str, *about: object) -> str:
        """Return the only value of an answer. Raise ``LookupError`` without one."""
        row = self._connection.execute(query, about).fetchone()
        if row is None or row[0] is None:
            raise LookupError("the log does not hold what the event names")
        return str(row[0])
