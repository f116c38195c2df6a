"""Emptying a used database, so that the next test need not wait for a new one."""

import psycopg
from psycopg import sql

TABLE_BYTES_MAX = 1 << 20
"""Deleted rows stay in the file. A database with a larger table is thrown away."""

CATALOGUES = (
    "pg_attrdef",
    "pg_attribute",
    "pg_class",
    "pg_constraint",
    "pg_default_acl",
    "pg_event_trigger",
    "pg_extension",
    "pg_index",
    "pg_inherits",
    "pg_policy",
    "pg_proc",
    "pg_rewrite",
    "pg_sequence",
    "pg_trigger",
    "pg_type",
)
SEEDED = ("public.alembic_version", "public.schema_support")
"""The tables in which migrations leave rows. A test checks that there are no others."""

Fingerprint = tuple[object, ...]

_COUNTED = "(SELECT (count(*), sum(xmin::text::bigint))::text FROM {} AS counted WHERE {})"
_FINGERPRINT = "SELECT " + ", ".join(
    [_COUNTED.format(each, "true") for each in (*(f"pg_catalog.{c}" for c in CATALOGUES), *SEEDED)]
    + [
        _COUNTED.format("pg_namespace", "nspname !~ '^pg_(toast_)?temp_'"),
        _COUNTED.format("pg_database", "datname = current_database()"),
        _COUNTED.format(
            "pg_db_role_setting",
            "setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())",
        ),
    ]
)
_DISCONNECT = """
    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
_TABLES = """
    SELECT nspname, relname, pg_relation_size(pg_class.oid),
        EXISTS (
            SELECT FROM pg_trigger WHERE tgrelid = pg_class.oid AND tgenabled = 'A'
        )
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind = 'r' AND nspname IN ('public', 'reads', 'reads_next')
"""
_GUARDS = "SELECT tgname FROM pg_trigger WHERE tgrelid = %s::regclass AND tgenabled = 'A'"


def fingerprint(connection: psycopg.Connection) -> Fingerprint:
    """Return a value that changes with every change of the schema, of rights and of settings."""
    found = connection.execute(_FINGERPRINT.encode()).fetchone()
    assert found is not None
    return found


def reset(url: str, given: Fingerprint) -> Fingerprint | None:
    """
    End all connections to a database and delete what a test has written.

    Args:
      url: Of a superuser.
      given: The fingerprint that the database had before the test.

    Returns:
      The fingerprint for the next test. ``None`` if the test changed more than rows, or wrote
      too many: the database must not be used again.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_DISCONNECT)
        if fingerprint(connection) != given:
            return None
        tables = connection.execute(_TABLES).fetchall()
        if any(size > TABLE_BYTES_MAX for _, _, size, _ in tables):
            return None
        with connection.transaction():
            # Foreign keys and ordinary triggers rest meanwhile.
            connection.execute("SET LOCAL session_replication_role = replica")
            for schema, name, size, guarded in tables:
                if size and f"{schema}.{name}" not in SEEDED:
                    _empty(connection, sql.Identifier(schema, name), guarded)
            connection.execute(
                "SELECT setval(seqrelid::regclass, seqstart, false) FROM pg_sequence"
            )
        return fingerprint(connection)


def _empty(connection: psycopg.Connection, table: sql.Identifier, guarded: bool) -> None:
    """Delete every row of *table*. *guarded* means that a trigger of it refuses deletions."""
    guards = []
    if guarded:
        guards = connection.execute(_GUARDS, [table.as_string()]).fetchall()
    for (guard,) in guards:
        _set_trigger(connection, table, "DISABLE", guard)
    connection.execute(sql.SQL("DELETE FROM {}").format(table))
    for (guard,) in guards:
        _set_trigger(connection, table, "ENABLE ALWAYS", guard)


def _set_trigger(
    connection: psycopg.Connection, table: sql.Identifier, to: str, trigger: str
) -> None:
    statement = sql.SQL("ALTER TABLE {} {} TRIGGER {}")
    connection.execute(statement.format(table, sql.SQL(to), sql.Identifier(trigger)))
