"""Append-only is a property of the database, whichever role asks."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import asyncpg
import pytest

from engine.values import number_of
from service.log.store import PostgresStore
from service.log.writer import Writer
from tests.support.counters import DECIDERS, command, counting, new_league, stream
from tests.support.databases import SECRET_KEY, TestDatabase

pytestmark = pytest.mark.anyio

EVENT = (
    "INSERT INTO events (league, position, stream, stream_version, event_id, type, "
    "schema_version, at, data, metadata, hash) SELECT league, 99, stream, 99, "
    "gen_random_uuid(), type, 1, at, data, metadata, hash FROM events"
)
REWRITES = (
    "UPDATE events SET position = position + 10",
    "DELETE FROM events",
    "TRUNCATE events",
)


@pytest.fixture
async def filled(database: TestDatabase) -> AsyncIterator[TestDatabase]:
    """A log with one event."""
    writer = Writer(PostgresStore(database.url(), SECRET_KEY), DECIDERS, lambda: datetime.now(UTC))
    await writer.start()
    await writer.submit(new_league(), command(), counting(stream(1)))
    await writer.aclose()
    yield database


@pytest.mark.parametrize("statement", [EVENT, *REWRITES])
@pytest.mark.parametrize(
    "role", ["holotable_api", "holotable_worker", "holotable_project", "holotable_audit"]
)
async def test_no_process_can_write_to_the_log_but_through_the_function(
    filled: TestDatabase, role: str, statement: str
) -> None:
    connection = await asyncpg.connect(filled.url(role))
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute(statement)
    await connection.close()


@pytest.mark.parametrize("statement", REWRITES)
@pytest.mark.parametrize("role", ["postgres", "holotable_migrate"])
async def test_not_even_the_owner_or_a_superuser_rewrites_by_habit(
    filled: TestDatabase, role: str, statement: str
) -> None:
    connection = await asyncpg.connect(filled.url(role))
    if role == "postgres":
        await connection.execute("SET session_replication_role = replica")
    with pytest.raises(asyncpg.RestrictViolationError):
        await connection.execute(statement)
    assert await connection.fetchval("SELECT count(*) FROM events") == 1
    await connection.close()


async def test_the_trigger_is_there_and_always_fires(database: TestDatabase) -> None:
    connection = await asyncpg.connect(database.url())
    found = await connection.fetch(
        "SELECT tgenabled::text FROM pg_trigger WHERE tgrelid = 'events'::regclass "
        "AND tgname = 'events_are_append_only'"
    )
    assert [row["tgenabled"] for row in found] == ["A"]
    await connection.close()


@pytest.mark.parametrize("role", ["holotable_project", "holotable_audit"])
async def test_readers_cannot_append(database: TestDatabase, role: str) -> None:
    connection = await asyncpg.connect(database.url(role))
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.fetchrow(
            "SELECT append_events($1, 0, '{}', '{}', '{}')", number_of(new_league())
        )
    await connection.close()


@pytest.mark.parametrize("role", ["holotable_api", "holotable_worker", "holotable_audit"])
async def test_no_process_raises_an_epoch(database: TestDatabase, role: str) -> None:
    connection = await asyncpg.connect(database.url(role))
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.fetchval("SELECT raise_epoch($1, 'me', 'to see')", number_of(new_league()))
    await connection.close()


async def test_read_models_are_made_without_keys(filled: TestDatabase) -> None:
    connection = await asyncpg.connect(filled.url("holotable_project"))
    assert await connection.fetchval("SELECT count(*) FROM events") == 1
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.fetch("SELECT wrapped FROM key")
    await connection.close()


async def test_keys_are_never_changed_by_a_process(filled: TestDatabase) -> None:
    connection = await asyncpg.connect(filled.url())
    for statement in ("UPDATE key SET wrapped = ''", "DELETE FROM key"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(statement)
    await connection.close()


async def test_the_function_cannot_be_led_astray_by_a_search_path(filled: TestDatabase) -> None:
    connection = await asyncpg.connect(filled.url("postgres"))
    settings = await connection.fetchval(
        "SELECT proconfig FROM pg_proc WHERE proname = 'append_events' AND prosecdef "
        "AND proowner = 'holotable_owner'::regrole AND provolatile = 'v'"
    )
    assert "search_path=pg_catalog, public, pg_temp" in settings
    assert "plan_cache_mode=force_generic_plan" in settings
    may_create = await connection.fetchval(
        "SELECT has_schema_privilege('holotable_api', 'public', 'CREATE')"
    )
    assert may_create is False
    await connection.close()


LOOK_UPS = {
    "SELECT position FROM events e WHERE e.league = $1 AND e.event_id = $2 LIMIT 1": (
        "uuid, uuid",
        "uq_events_event_id",
    ),
    "SELECT stream_version, hash, at FROM events e WHERE e.league = $1 AND e.stream = $2 "
    "ORDER BY e.stream_version DESC LIMIT 1": ("uuid, text", "uq_events_stream_version"),
    "SELECT position + 1 FROM events e WHERE e.league = $1 ORDER BY e.position DESC LIMIT 1": (
        "uuid",
        "pk_events",
    ),
}


@pytest.mark.parametrize("log", ["empty", "fresh", "analysed"])
async def test_look_ups_of_the_function_go_through_their_own_index(
    database: TestDatabase, log: str
) -> None:
    connection = await asyncpg.connect(database.url("postgres"))
    if log != "empty":
        await connection.execute(
            "INSERT INTO events SELECT l.league, n, 'table-' || md5((n % 50)::text), n + 1, "
            "gen_random_uuid(), 'counted', 1, now(), '{}', NULL, '{}', sha256(n::text::bytea) "
            "FROM (SELECT gen_random_uuid() AS league FROM generate_series(1, 3)) l, "
            "generate_series(0, 4000) n"
        )
    if log == "analysed":
        await connection.execute("ANALYZE events")
    await connection.execute("SET plan_cache_mode = force_generic_plan")
    await connection.execute("SET enable_seqscan = off")
    for number, (statement, (types, index)) in enumerate(LOOK_UPS.items()):
        await connection.execute(f"PREPARE look_up_{number} ({types}) AS {statement}")
        nulls = ", ".join("NULL" for _ in types.split(","))
        rows = await connection.fetch(f"EXPLAIN EXECUTE look_up_{number} ({nulls})")
        plan = "\n".join(row[0] for row in rows)
        assert index in plan and "Seq Scan" not in plan and "Filter" not in plan, plan
    await connection.close()


async def test_the_statistics_of_the_league_stay_unknown(database: TestDatabase) -> None:
    connection = await asyncpg.connect(database.url())
    target = await connection.fetchval(
        "SELECT attstattarget FROM pg_attribute "
        "WHERE attrelid = 'events'::regclass AND attname = 'league'"
    )
    assert target == 0
    await connection.close()


@pytest.mark.parametrize(
    "role", ["holotable_api", "holotable_worker", "holotable_project", "holotable_audit"]
)
async def test_every_process_reads_the_version_of_the_schema(
    database: TestDatabase, role: str
) -> None:
    connection = await asyncpg.connect(database.url(role))
    assert await connection.fetchval("SELECT version_num FROM alembic_version")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute("UPDATE alembic_version SET version_num = '0001'")
    await connection.close()
