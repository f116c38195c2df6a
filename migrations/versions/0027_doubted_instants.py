"""
Let the append function accept instants of the service's time.

While the database's clock is in doubt because it was set back, all processes continue from
their own time. Events hold those instants and must not be dated earlier. The bound was the
clock and the last event alone. A login that may append could pass it anyway, one second at a
time.
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
    raise NotImplementedError("a migration does not refuse appends that were accepted")
