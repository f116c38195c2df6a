"""Reading a part of the log touches that part alone, however long the log is."""

from collections.abc import AsyncIterator, Awaitable, Callable
from uuid import UUID

import asyncpg
import pytest

from service.api.tournament.happenings import VOIDED_DEALS
from service.audit.bytes.chunks import READ, _read
from service.audit.run.plan import Unit
from service.log.keys import LeagueKeys
from service.log.past import PastStates
from service.log.read import read_books, read_last_of_types, read_league, read_stream
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

LEAGUE = UUID(int=1)
STREAM = f"table-{1:032x}"
TOURNAMENT = f"trn_{1:032x}"
EVENTS = 6_000
HAND = 50
LIMIT = 100
KEYS = LeagueKeys(LEAGUE, LEAGUE, bytes(32))

# Each hand begins with its first event. The planner learns how many rows there are, as it does in
# an installation that has run for a minute.
_WRITTEN = """
    INSERT INTO events
    SELECT $1, n - 1, $2, n, gen_random_uuid(),
           CASE WHEN n % $3 = 1 THEN 'hand_opened' WHEN n = 90 THEN 'deal_voided'
                ELSE 'counted' END,
           1, now(), json_build_object('tournament', $5::text), NULL, '{}', sha256(n::text::bytea)
      FROM generate_series(1, $4::bigint) n
"""
_TOUCHED = "SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes WHERE relname = 'events'"


async def _audited(log: asyncpg.Connection) -> object:
    """Read the first part of a chunk, which has READ events."""
    unit = Unit(key="", kind="places", weight=0, after=500, until=EVENTS - 1)
    return await anext(_read(log, LEAGUE, unit))


Read = Callable[[asyncpg.Connection], Awaitable[object]]
READS: dict[str, Read] = {
    "stream": lambda log: read_stream(log, LEAGUE, STREAM, 500, LIMIT),
    "league": lambda log: read_league(log, LEAGUE, 500, LIMIT),
    "books": lambda log: read_books(log, LEAGUE, STREAM, "hand_opened"),
    "last of a type": lambda log: read_last_of_types(log, LEAGUE, STREAM, ["hand_opened"], 0, 1),
    "voided deals": lambda log: log.fetch(VOIDED_DEALS, LEAGUE, -1, TOURNAMENT, LIMIT),
    "audited chunk": _audited,
    "past books": lambda log: PastStates(log, LEAGUE, KEYS, EVENTS)._books(STREAM, EVENTS),
}


@pytest.fixture
async def log(database: TestDatabase) -> AsyncIterator[asyncpg.Connection]:
    """Yield a connection to a log that holds one long stream."""
    connection = await asyncpg.connect(database.url("postgres"))
    await connection.fetch(_WRITTEN, LEAGUE, STREAM, HAND, EVENTS, TOURNAMENT)
    await connection.execute("ANALYZE events")
    yield connection
    await connection.close()


@pytest.mark.parametrize("read", READS)
async def test_a_read_touches_no_more_rows_than_it_returns(
    log: asyncpg.Connection, read: str
) -> None:
    before = await touched(log)
    await READS[read](log)
    most = READ if read == "audited chunk" else 2 * LIMIT
    assert 0 < await touched(log) - before <= most


async def touched(log: asyncpg.Connection) -> int:
    """Return the number of index entries of the log that its readers have gone through."""
    await log.execute("SELECT pg_stat_force_next_flush()")
    found: int = await log.fetchval(_TOUCHED)
    return found
