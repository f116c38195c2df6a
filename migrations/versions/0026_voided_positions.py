"""
Index the events that void others, so that nobody reads a league's whole stream for them.

There are hardly any, so the index is nearly empty. Every other event costs one comparison.
"""

from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "CREATE INDEX ix_events_voiding ON events (league, position) "
        "WHERE type = 'positions_voided'"
    )


def downgrade() -> None:
    op.execute("DROP INDEX ix_events_voiding")
