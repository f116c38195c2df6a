"""
Let audits know when the service was away.

A decision that waits for the API is not a deal that nobody plays on.
"""

from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("GRANT SELECT ON heartbeat, outage TO holotable_audit")


def downgrade() -> None:
    op.execute("REVOKE SELECT ON heartbeat, outage FROM holotable_audit")
