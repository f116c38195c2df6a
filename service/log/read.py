"""
Reading the log, by stream or by position.

Positions are dense and in commit order: a reader that has seen position n has seen every position
below it. Connections are asyncpg's, or SQLAlchemy's over asyncpg.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID

import asyncpg
import msgspec

from service.base.drivers import Connection
from service.base.errors import EventUnreadable
from service.log.canonical import NO_HASH, leaf, microseconds
from service.log.keys import driver_of
from service.log.record import Recorded, league_number

CHUNK = 1000
_COMMAND_CHUNK = 64

_COLUMNS = (
    "position, stream, stream_version, event_id, type, schema_version, timestamptz_send(at), "
    "json_send(data), sealed, json_send(metadata), hash"
)
_OF_STREAM = _COLUMNS.replace("stream,", "NULL,", 1)
"""For queries in which the caller already knows the stream."""

# Chunks are ranges, because versions and positions are dense. With a LIMIT instead, the planner may
# fetch and sort the whole rest of the stream or league for each chunk: it takes both for short.
_UNTIL = (  # column names are constants
    f"SELECT {_OF_STREAM} FROM events WHERE league = $1 AND stream = $2 "  # noqa: S608
    "AND stream_version > $3 AND stream_version <= $4 ORDER BY stream_version"
)
# The event before the last closing event is read for its hash alone. With a bare comparison of the
# type, the planner expects few matches and sorts them all. This way it goes backwards to the first.
_BOOKS = f"""
    (SELECT {_OF_STREAM} FROM events WHERE league = $1 AND stream = $2 AND stream_version = 1)
    UNION ALL
    (SELECT {_OF_STREAM} FROM events WHERE league = $1 AND stream = $2
        AND stream_version > greatest(1, (
            SELECT e.stream_version - 2 FROM events e
             WHERE e.league = $1 AND e.stream = $2 AND coalesce(e.type = $3, false)
             ORDER BY e.stream_version DESC LIMIT 1))
      ORDER BY stream_version LIMIT $4 - 1)
    ORDER BY stream_version
"""  # noqa: S608 - column names are constants
_HEADS = """
    SELECT last.stream_version, last.hash
      FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS asked(league, stream, number)
      LEFT JOIN LATERAL (
        SELECT e.stream_version, e.hash FROM events e
         WHERE e.league = asked.league AND e.stream = asked.stream
         ORDER BY e.stream_version DESC LIMIT 1
      ) last ON true
     ORDER BY asked.number
"""
_LEAGUE = (
    f"SELECT {_COLUMNS} FROM events WHERE league = $1 AND position > $2 "  # noqa: S608
    "AND position <= $3 ORDER BY position"
)
_OF_TYPE = (  # compares the type as _BOOKS does
    f"SELECT {_OF_STREAM} FROM events WHERE league = $1 AND stream = $2 "  # noqa: S608
    "AND stream_version > $3 AND coalesce(type = ANY ($4), false) "
    "ORDER BY stream_version DESC LIMIT $5"
)
_AT = (
    f"SELECT {_COLUMNS} FROM events "  # noqa: S608
    "WHERE league = $1 AND position = ANY ($2) ORDER BY position"
)


class _Place(msgspec.Struct):
    position: int


class _Voiding(msgspec.Struct):
    positions: tuple[_Place, ...]


_voiding = msgspec.json.Decoder(_Voiding)

_INSTANTS_SINCE = datetime(2000, 1, 1, tzinfo=UTC)
"""PostgreSQL counts microseconds from this instant."""

_NEVER = datetime.min.replace(tzinfo=UTC)
_POSITIONS = """
    SELECT array_agg(position ORDER BY position) FROM events
     WHERE league = $1 AND stream = ANY ($2) AND position <= $3
"""
_FIRST = "SELECT position FROM events WHERE league = $1 AND event_id = $2"
_DIGEST = """
    SELECT metadata::json->>'request_digest' FROM events WHERE league = $1 AND event_id = $2
"""
# Without IS NOT NULL, a row without a position would count as the last, and the log seem empty.
_LAST = """
    SELECT position FROM events WHERE league = $1 AND position IS NOT NULL
     ORDER BY position DESC LIMIT 1
"""
_ENDS = """
    SELECT asked.league, last.position, last.hash
      FROM unnest($1::uuid[]) AS asked(league)
      JOIN LATERAL (
        SELECT e.position, e.hash FROM events e
         WHERE e.league = asked.league AND e.position IS NOT NULL
         ORDER BY e.position DESC LIMIT 1
      ) last ON true
"""
CORRELATION = """substring(metadata::text from '"correlation_id":"([0-9a-f-]{32,36})"')"""
"""
The request that an event's metadata name, in SQL.

PostgreSQL's ``->>`` fails on some forged documents, and one event would stop the statement for
every league. A pattern finds something or nothing.
"""

VOIDED = "SELECT data::text FROM events WHERE league = $1 AND type = 'positions_voided'"
"""A partial index holds these few events."""

_VOIDINGS = (
    f"SELECT {_COLUMNS} FROM events "  # noqa: S608
    "WHERE league = $1 AND type = 'positions_voided' ORDER BY position"
)

_TIME = """
    SELECT service_time(),
           (SELECT at FROM events WHERE league = $1 ORDER BY position DESC LIMIT 1)
"""
KNOWN = """
    WITH RECURSIVE known AS (
        (SELECT league FROM events ORDER BY league LIMIT 1)
        UNION ALL
        SELECT (SELECT e.league FROM events e WHERE e.league > k.league ORDER BY e.league LIMIT 1)
          FROM known k WHERE k.league IS NOT NULL
    )
"""
"""
Every league that has an event, and one null. Skipping from league to league reads one row of each.
"""

LEAGUES = f"{KNOWN} SELECT league FROM known WHERE league IS NOT NULL"  # noqa: S608


async def read_stream(
    connection: Connection,
    league: str | UUID,
    stream: str,
    after_version: int = 0,
    limit: int = CHUNK,
) -> list[Recorded]:
    """Return the next *limit* events of a stream, or as many as there are, oldest first."""
    return await read_until(connection, league, stream, after_version, after_version + limit)


async def heads_of(
    connection: Connection, streams: Sequence[tuple[UUID, str]]
) -> list[tuple[int, bytes] | None]:
    """Return the version and hash of each stream's last event, or None for an empty stream."""
    leagues_asked, names = zip(*streams, strict=True)
    rows = await (await driver_of(connection)).fetch(_HEADS, leagues_asked, names)
    return [None if row[0] is None else (row[0], row[1]) for row in rows]


async def read_until(
    connection: Connection,
    league: str | UUID,
    stream: str,
    after_version: int,
    until: int,
) -> list[Recorded]:
    """Return the events of a stream after *after_version* up to *until*, oldest first."""
    number = _number(league)
    rows = await (await driver_of(connection)).fetch(_UNTIL, number, stream, after_version, until)
    return _recorded(number, rows, stream)


async def read_last_of_types(
    connection: Connection,
    league: str | UUID,
    stream: str,
    kinds: Sequence[str],
    after_version: int,
    limit: int,
) -> list[Recorded]:
    """Return the last *limit* events of some types in a stream after a version, oldest first."""
    number, driver = _number(league), await driver_of(connection)
    rows = await driver.fetch(_OF_TYPE, number, stream, after_version, kinds, limit)
    return _recorded(number, rows, stream)[::-1]


async def read_books(
    connection: Connection,
    league: str | UUID,
    stream: str,
    closing: str,
    limit: int = CHUNK,
) -> list[Recorded]:
    """Return a stream's first event, and the events from the one before its last *closing*."""
    number = _number(league)
    rows = await (await driver_of(connection)).fetch(_BOOKS, number, stream, closing, limit)
    return _recorded(number, rows, stream)


async def read_league(
    connection: Connection,
    league: str | UUID,
    after_position: int = -1,
    limit: int = CHUNK,
) -> list[Recorded]:
    """Return the next *limit* events of a league after a position. -1 is before the first."""
    number, until = _number(league), after_position + limit
    rows = await (await driver_of(connection)).fetch(_LEAGUE, number, after_position, until)
    return _recorded(number, rows)


async def read_at(
    connection: Connection, league: str | UUID, positions: Sequence[int]
) -> list[Recorded]:
    """Return the events at *positions*, oldest first."""
    number = _number(league)
    rows = await (await driver_of(connection)).fetch(_AT, number, positions)
    return _recorded(number, rows)


async def positions_of(
    connection: Connection, league: str | UUID, streams: Sequence[str], until: int
) -> list[int]:
    """Return the positions of the events of *streams* up to *until*, ascending."""
    driver = await driver_of(connection)
    return await driver.fetchval(_POSITIONS, _number(league), streams, until) or []


async def read_command(connection: Connection, league: str | UUID, event_0: UUID) -> list[Recorded]:
    """Return all events of a command by the identifier of its first one. The list may be empty."""
    number, driver = _number(league), await driver_of(connection)
    position = await driver.fetchval(_FIRST, number, event_0)
    found: list[Recorded] = []
    while position is not None:
        rows = await read_league(driver, number, position - 1, _COMMAND_CHUNK)
        for row in rows:
            if found and row.about().command_id != found[0].about().command_id:
                return found
            found.append(row)
        position = None if len(rows) < _COMMAND_CHUNK else position + _COMMAND_CHUNK
    return found


async def request_of(connection: Connection, league: str | UUID, event: UUID) -> str | None:
    """Return the digest of the request that caused an event, or None if the log lacks the event."""
    driver = await driver_of(connection)
    found: str | None = await driver.fetchval(_DIGEST, _number(league), event)
    return found


async def last_position(connection: Connection, league: str | UUID) -> int:
    """Return the position of a league's last event, or -1 if it has no events."""
    found = await (await driver_of(connection)).fetchval(_LAST, _number(league))
    return -1 if found is None else int(found)


async def ends_of(connection: Connection, leagues: Sequence[UUID]) -> dict[UUID, tuple[int, bytes]]:
    """Return the position and hash of the last event of each league that has one."""
    rows = await (await driver_of(connection)).fetch(_ENDS, leagues)
    return {row[0]: (row[1], row[2]) for row in rows}


async def epoch_of(connection: Connection, league: str | UUID) -> int:
    """Return a league's epoch. It is 0 until an operator raises it."""
    found = await (await driver_of(connection)).fetchval(
        "SELECT epoch FROM league_epoch WHERE league = $1", _number(league)
    )
    return 0 if found is None else int(found)


async def voided(connection: Connection, league: str | UUID) -> frozenset[int]:
    """Return the positions of a league's voided events."""
    rows = await (await driver_of(connection)).fetch(VOIDED, _number(league))
    return voided_by(row[0] for row in rows)


async def read_voidings(connection: Connection, league: str | UUID) -> list[Recorded]:
    """Return the events ``positions_voided`` of a league, oldest first."""
    number = _number(league)
    return _recorded(number, await (await driver_of(connection)).fetch(_VOIDINGS, number))


def voided_by(documents: Iterable[str]) -> frozenset[int]:
    """Return the positions in ``positions_voided`` documents. A malformed document adds none."""
    found: set[int] = set()
    for document in documents:
        # Every reader of the league calls this, so an unreadable event must not stop them all. A
        # read of the league's own stream reports that it is broken.
        with suppress(msgspec.MsgspecError, ValueError, RecursionError):
            found |= {each.position for each in _voiding.decode(document).positions}
    return frozenset(found)


async def time_of(connection: Connection, league: UUID) -> tuple[datetime, datetime | None]:
    """Return the time that the service uses, and the instant of a league's last event."""
    [row] = await (await driver_of(connection)).fetch(_TIME, league)
    return row[0], row[1]


async def leagues(connection: Connection) -> list[UUID]:
    """Return every league that has an event."""
    return [row["league"] for row in await (await driver_of(connection)).fetch(LEAGUES)]


def verify(recorded: Iterable[Recorded], head: bytes = NO_HASH, after: int | None = None) -> bytes:
    """
    Recompute the hash chain of one stream's events and return its new head.

    Args:
      recorded: Consecutive events of one stream.
      head: Hash of the event before them.
      after: Version of the event before them, if it is known.

    Raises:
      EventUnreadable: At the first row with a version that does not follow, or with a hash
        that is not that of its bytes.
    """
    said, instant = None, None
    metadata_hash, since, digest = b"", 0, sha256
    for (
        _,
        stream,
        version,
        id_,
        type_,
        schema,
        at,
        data,
        sealed,
        metadata,
        hash_,
        league,
    ) in recorded:
        if metadata != said:  # an append's events share it, and nearly always their instant
            said, metadata_hash = metadata, digest(metadata).digest()
        if at is not instant:
            instant, since = at, microseconds(at)
        bytes_ = leaf(
            league, head, stream, version, id_, since, type_, schema, data, metadata_hash, sealed
        )
        if digest(bytes_).digest() != hash_ or (after is not None and version != after + 1):
            raise EventUnreadable("the chain is broken", stream=stream, version=version)
        head, after = hash_, version
    return head


def _number(league: str | UUID) -> UUID:
    return league if isinstance(league, UUID) else league_number(league)


def _recorded(league: UUID, rows: Iterable[asyncpg.Record], asked: str = "") -> list[Recorded]:
    """
    Return fetched rows of the log. Events with the same instant share one ``datetime``.

    An instant that ``datetime`` cannot hold, as a forger may have written it, becomes year 1.

    Args:
      asked: The stream of rows that do not name theirs.
    """
    found: list[Recorded] = []
    at, sent = _NEVER, None
    make = Recorded._make  # half the time of calling it
    for position, name, version, id_, type_, schema, since, data, sealed, metadata, hash_ in rows:
        if since != sent:  # an append's events share it
            at, sent = _instant(since), since
        stream = asked if name is None else name
        found.append(
            make((position, stream, version, id_, type_, schema, at, data, sealed, metadata, hash_,
                  league))
        )  # fmt: skip
    return found


def _instant(sent: bytes | None) -> datetime:
    """Decode an instant in the binary form of PostgreSQL."""
    if sent is None:
        return _NEVER
    try:
        return _INSTANTS_SINCE + timedelta(microseconds=int.from_bytes(sent, "big", signed=True))
    except OverflowError:
        return _NEVER
