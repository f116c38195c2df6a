"""Record rebuilds of read models in the operators' log, and let a worker see the age of backups."""

from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("GRANT INSERT ON operator_deed TO holotable_project")
    op.execute("GRANT SELECT (at, kind) ON operator_deed TO holotable_worker")


def downgrade() -> None:
    op.execute("REVOKE SELECT (at, kind) ON operator_deed FROM holotable_worker")
    op.execute("REVOKE INSERT ON operator_deed FROM holotable_project")
