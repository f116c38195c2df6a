"""
Watch tables again whose clock had ended by a refusal.

If an answer overtook a timeout, the refused timeout ended the job that watches the table, and no
later decision there timed out. A watch of a closed table finds it closed and ends again.
"""

from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "UPDATE job SET state = 'ready', due_at = service_time()"
        " WHERE task = 'table.watch' AND state = 'done' AND last_error IS NOT NULL"
    )


def downgrade() -> None:
    """Leave the jobs: those that are done again are as before."""
