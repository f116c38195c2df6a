"""
Let the append function take instants of the time that the service goes by.

While the database's clock is in doubt because it was set back, all processes count on from
where they were.  Events hold those instants, and must not be dated before them.  The bound
was the clock's and the last event's alone; a login that may append could pass it anyway, by
a second at a time.
"""

from alembic import op

from service.base.migrations import load

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(load("append_events", revision))


def downgrade() -> None:
    raise NotImplementedError("an append that was accepted is not refused by a migration")
