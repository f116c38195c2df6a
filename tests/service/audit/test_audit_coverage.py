"""If the owner of the database drops constraints, still no row is counted in place of another."""

from uuid import UUID, uuid4

import asyncpg
import pytest

from engine.values import number_of, stream_of
from service.audit.bytes.chunks import READ
from service.audit.report import Report
from service.audit.run.league import audit_league
from service.base.database import async_engine
from service.log.canonical import NO_HASH
from service.log.keys import Keys
from service.log.read import read_stream
from tests.service.league_night import Night, played
from tests.support.chains import hash_after
from tests.support.databases import SECRET_KEY, TestDatabase

pytestmark = pytest.mark.anyio

UNBOUND = """
    ALTER TABLE events DISABLE TRIGGER ALL;
    ALTER TABLE events DROP CONSTRAINT pk_events;
    ALTER TABLE events DROP CONSTRAINT ck_events_position;
    ALTER TABLE events ALTER position DROP NOT NULL;
    ALTER TABLE events ALTER stream DROP NOT NULL;
"""
COPY = """
    INSERT INTO events (league, position, stream, stream_version, event_id, type,
        schema_version, at, data, sealed, metadata, hash)
    SELECT league, $2, $3, $4, $5, type, schema_version, at, data, sealed, metadata, $6
      FROM events WHERE league = $1 AND position = 0
"""
HIDE = """
    UPDATE events SET stream = NULL, data = '{}'
     WHERE league = $1 AND stream = $2 AND stream_version =
        (SELECT max(stream_version) FROM events WHERE league = $1 AND stream = $2)
"""
MOVE = """
    UPDATE events SET at = $3::text::timestamptz WHERE league = $1 AND position =
        (SELECT max(position) FROM events WHERE league = $1 AND stream LIKE $2)
    RETURNING position
"""
STREAMS = "SELECT count(DISTINCT stream) FROM events WHERE league = $1 AND position >= 0"


async def hidden(superuser: asyncpg.Connection, league: str, position: int) -> None:
    """Take the last event out of the league's stream, and add a decoy at *position*."""
    number, stream = number_of(league), stream_of(league)
    await superuser.execute(UNBOUND)
    (first,) = await read_stream(superuser, league, stream, 0, 1)
    decoy = first._replace(stream=f"league-{UUID(int=1).hex}", event_id=uuid4())
    made = hash_after(NO_HASH, decoy)
    await superuser.execute(COPY, number, position, decoy.stream, 1, decoy.event_id, made)
    assert await superuser.execute(HIDE, number, stream) == "UPDATE 1"


async def audited(database: TestDatabase, night: Night) -> Report:
    """Return the audit of the tournament, without read models."""
    engine = async_engine(database.url("holotable_audit"), 1)
    async with engine.connect() as connection:
        report = await audit_league(
            connection, Keys(SECRET_KEY), night.league, tournament=night.tournament
        )
    await engine.dispose()
    return report


@pytest.mark.parametrize("position", [-1, READ - 1])
async def test_what_stands_outside_the_log_or_twice_is_counted_for_no_other(
    database: TestDatabase, position: int
) -> None:
    """A second event at a position is not read if a fetch ends there, so it must be counted."""
    night = await played(database, members=600)
    superuser = await asyncpg.connect(database.url("postgres"))
    await hidden(superuser, night.league, position)
    streams = await superuser.fetchval(STREAMS, number_of(night.league))
    await superuser.close()
    report = await audited(database, night)
    assert report.streams == streams
    (dense,) = [each for each in report.checks if each.name == "positions"]
    assert dense.failed, report.text()
    assert report.first_bad_position == position


async def test_an_event_without_a_position_is_found_and_hides_no_other(
    database: TestDatabase,
) -> None:
    """Loading the stream would fold this event, although it has no place in the log."""
    night = await played(database)
    whole = await audited(database, night)
    superuser = await asyncpg.connect(database.url("postgres"))
    await superuser.execute(UNBOUND)
    number, stream = number_of(night.league), stream_of(night.league)
    await superuser.execute(COPY, number, None, stream, 1_000, uuid4(), NO_HASH)
    await superuser.close()
    report = await audited(database, night)
    assert (whole.passed, report.passed) == (True, False)
    assert report.events == whole.events > 0
    assert report.first_bad == ": 1 events stand outside the log"


@pytest.mark.parametrize("at", ["infinity", "-infinity", "20000-01-01Z", "0044-03-15Z BC"])
@pytest.mark.parametrize("stream", ["table-%", "season-%"])
async def test_an_instant_that_no_clock_shows_is_found_and_stops_no_audit(
    database: TestDatabase, stream: str, at: str
) -> None:
    night = await played(database)
    superuser = await asyncpg.connect(database.url("postgres"))
    await superuser.execute("ALTER TABLE events DISABLE TRIGGER ALL")
    position = await superuser.fetchval(MOVE, number_of(night.league), stream, at)
    await superuser.close()
    report = await audited(database, night)
    assert report.first_bad_position == position >= 0
