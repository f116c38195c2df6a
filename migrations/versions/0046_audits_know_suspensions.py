"""
Let audits know which leagues take no commands: nothing is overdue there.
"""

from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("GRANT SELECT ON append_turn, maintenance TO holotable_audit")


def downgrade() -> None:
    op.execute("REVOKE SELECT ON append_turn, maintenance FROM holotable_audit")
