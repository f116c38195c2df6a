"""
Let audits see which texts an operator has taken down.

Until now audits took these texts for lost ones, and failed. Only the owner of the relations sets
the column: no process may empty a text and call it an operator's command.
"""

from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("GRANT SELECT (taken_down) ON text TO holotable_audit, holotable_worker")


def downgrade() -> None:
    op.execute("REVOKE SELECT (taken_down) ON text FROM holotable_audit, holotable_worker")
