"""
Run migrations as the role that owns the relations.

The address comes from the configuration's attribute ``url`` (set by
``service.base.migrations.migrate``) or from ``HOLOTABLE_DATABASE_URL``.
"""

import os

import sqlalchemy as sa
from alembic import context

from service.base.database import OWNER, sync_engine
from service.log.schema import metadata as log_metadata
from service.people.schema import metadata as relations_metadata
from service.webhooks.schema import metadata as webhooks_metadata

MIGRATING = 0x401E0
"""The advisory lock that a migrator holds until its connection closes."""

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
        connection.execute(sa.text(f"SET ROLE {OWNER}"))
        connection.commit()
        context.configure(connection=connection, target_metadata=TARGETS)
        with context.begin_transaction():
            context.run_migrations()
        connection.commit()
    engine.dispose()


run()
