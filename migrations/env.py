"""
Run migrations as the role that owns the relations.

The address comes from the configuration's attribute ``url`` (set by
``service.base.migrations.migrate``) or from ``HOLOTABLE_DATABASE_URL``.
"""

import os

import sqlalchemy as sa
from alembic import context

from service.base.database import OWNER, UNFINISHED, ServerRefused, sync_engine
from service.log.schema import metadata as log_metadata
from service.people import operator_log
from service.people.schema import metadata as relations_metadata
from service.webhooks.schema import metadata as webhooks_metadata

MIGRATING = 0x401E0
"""The advisory lock that a migrator holds until its connection closes."""

BOUNDS = """
    SELECT set_config('idle_in_transaction_session_timeout', '60s', false),
           set_config('idle_session_timeout', '60s', false),
           set_config('client_connection_check_interval', '1s', false),
           set_config('lock_timeout', '5s', false)
"""
"""
Timeouts that bound how long others wait for a migrator.

A migrator whose machine died, or that was killed while it waited, must release the lock and the
relations that players need. While a migrator waits for a long reader, such as a backup, everybody
waits behind it.
"""

CLOSED = sa.text("""
    SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = current_database()
""")

RECORDS = "0044"
"""The first schema whose operators' log knows the whole installation."""

RECORD = sa.text(
    "INSERT INTO operator_deed (size, at, actor, kind, about)"
    " VALUES (0, service_time(), :by, 'schema_migrated', :about)"
)

TARGETS = [log_metadata, relations_metadata, webhooks_metadata]


def address() -> str:
    """Return the database's address, or raise ``KeyError`` if none is set."""
    given = context.config.attributes.get("url")
    return str(given) if given else os.environ["HOLOTABLE_DATABASE_URL"]


def run() -> None:
    """Upgrade in one transaction, one migrator at a time."""
    engine = sync_engine(address())
    with engine.connect() as connection:
        connection.execute(sa.text("SELECT pg_advisory_lock(:number)"), {"number": MIGRATING})
        if not context.config.attributes.get("restoring"):
            # This comes after connecting, because a restore looks for sessions after it has closed
            # the database.
            refuse_unfinished(connection)
        connection.execute(sa.text(BOUNDS))
        connection.execute(sa.text(f"SET ROLE {OWNER}"))
        connection.commit()
        context.configure(connection=connection, target_metadata=TARGETS)
        with context.begin_transaction():
            before = context.get_context().get_current_revision()
            context.run_migrations()
            record(connection, before, context.get_context().get_current_revision())
        connection.commit()
    engine.dispose()


def refuse_unfinished(connection: sa.Connection) -> None:
    """Refuse a database that a restore fills at this moment, or has left half-filled."""
    if connection.scalar(CLOSED) == UNFINISHED:
        raise ServerRefused(UNFINISHED.removeprefix("holotable: "))


def record(connection: sa.Connection, before: str | None, after: str | None) -> None:
    """
    Record the migrations of this transaction in the operators' log. A new database has no entry.
    """
    if before is not None and after is not None and after != before and after >= RECORDS:
        by = operator_log.operator()
        connection.execute(RECORD, {"by": by, "about": f"{before} to {after}"})


run()
