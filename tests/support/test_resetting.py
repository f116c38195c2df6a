"""A reset database is as empty as a new one. A database that cannot be reset is thrown away."""

import psycopg
import pytest

from tests.support.databases import TEMPLATE, TestServer
from tests.support.resetting import SEEDED, TABLE_BYTES_MAX, fingerprint, reset

TABLES = """
    SELECT format('%I.%I', nspname, relname)
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind = 'r' AND nspname !~ '^(pg_|information_schema)'
"""
REFUSED = """
    INSERT INTO refused_command (received_at, league, account, stream, command, code)
    SELECT now(), uuidv7(), uuidv7(), repeat('s', 100), uuidv7(), 'not_your_turn'
    FROM generate_series(1, {})
"""
PUBLISHED = "INSERT INTO signer_key (verifier_key, event) VALUES ('key', 'published')"


def written(url: str) -> set[str]:
    """Return the tables that hold rows."""
    with psycopg.connect(url) as connection:
        names = [name for (name,) in connection.execute(TABLES)]
        return {name for name in names if connection.execute(f"TABLE {name} LIMIT 1").fetchone()}


def used(server: TestServer, statement: str) -> bool:
    """Run *statement* in a new database and return whether a reset leaves it usable."""
    made = server.copy("test_resetting")
    try:
        url = made.url("postgres")
        with psycopg.connect(url, autocommit=True) as connection:
            given = fingerprint(connection)
            connection.execute(statement)
        return reset(url, given) is not None
    finally:
        server.drop(made.name)


def test_a_reset_deletes_the_rows_that_only_grow_and_begins_their_numbers_again(
    cluster: TestServer,
) -> None:
    made = cluster.copy("test_resetting")
    url = made.url("postgres")
    with psycopg.connect(url, autocommit=True) as connection:
        given = fingerprint(connection)
    for _ in range(2):  # a fixture's own changes of triggers do not spoil a database
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(REFUSED.format(3))
            connection.execute(PUBLISHED)
            numbers = connection.execute("SELECT id FROM refused_command ORDER BY id").fetchall()
        assert numbers == [(1,), (2,), (3,)]
        found = reset(url, given)
        assert found is not None
        given = found
        assert written(url) == set(SEEDED)
    with (
        psycopg.connect(url, autocommit=True) as connection,
        pytest.raises(psycopg.errors.RestrictViolation),
    ):
        connection.execute(PUBLISHED)
        connection.execute("DELETE FROM signer_key")
    cluster.drop(made.name)


def test_a_reset_ends_connections(cluster: TestServer) -> None:
    with cluster.fresh() as made:
        left = psycopg.connect(made.url())
        left.execute("SELECT 1 FROM events")  # holds a lock that a reset must not wait for
    with pytest.raises(psycopg.OperationalError):
        left.execute("SELECT 1")


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE events DISABLE TRIGGER USER",
        "ALTER TABLE events DISABLE TRIGGER USER; ALTER TABLE events ENABLE TRIGGER USER",
        "ALTER TABLE events DROP CONSTRAINT ck_events_position",
        "ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO true_clock_timestamp",
        "CREATE TABLE chaos (what text)",
        "CREATE SCHEMA chaos",
        "GRANT UPDATE ON events TO holotable_audit",
        "GRANT SELECT (wrapped) ON key TO holotable_project",
        'ALTER DATABASE "test_resetting" CONNECTION LIMIT 7',
        'ALTER ROLE holotable_worker IN DATABASE "test_resetting" SET lock_timeout = 0',
        "UPDATE alembic_version SET version_num = version_num",
        REFUSED.format(TABLE_BYTES_MAX // 100),
    ],
)
def test_a_database_with_other_changes_is_thrown_away(cluster: TestServer, statement: str) -> None:
    assert not used(cluster, statement)


def test_a_database_with_new_rows_is_used_again(cluster: TestServer) -> None:
    assert used(cluster, PUBLISHED)


def test_migrations_leave_rows_only_where_a_reset_keeps_them(cluster: TestServer) -> None:
    assert written(cluster.url(TEMPLATE, "postgres")) == set(SEEDED)
