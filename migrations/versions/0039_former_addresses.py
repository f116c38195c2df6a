"""
Let a notice keep the sealed address of a mail that goes to no present address of the account.

An address that was replaced or removed gets one last mail. The column is emptied with it.
"""

from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE notice ADD COLUMN recipient bytea")
    op.execute("GRANT UPDATE (recipient) ON notice TO holotable_worker")


def downgrade() -> None:
    op.execute("DELETE FROM notice WHERE recipient IS NOT NULL")
    op.execute("ALTER TABLE notice DROP COLUMN recipient")
