"""
Let the worker see who is suspended, and let a browser's messages end with the session in it.
"""

from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None

STATEMENTS = (
    "GRANT SELECT (suspended_at) ON account TO holotable_worker",
    """
    ALTER TABLE push_subscription ADD COLUMN token uuid
        CONSTRAINT fk_push_subscription_token REFERENCES token (id) ON DELETE SET NULL
    """,
    "CREATE INDEX ix_push_subscription_token ON push_subscription (token)",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("ALTER TABLE push_subscription DROP COLUMN token")
    op.execute("REVOKE SELECT (suspended_at) ON account FROM holotable_worker")
