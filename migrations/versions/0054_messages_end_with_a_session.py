"""
Let a browser's messages end with the session in it, also if it expires.

The worker sees when tokens end. A pruned token takes its browsers along: with an empty reference
they looked like ones from before 0049, and got messages for ever.
"""

from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None

_REFERENCE = """
    ALTER TABLE push_subscription
        DROP CONSTRAINT fk_push_subscription_token,
        ADD CONSTRAINT fk_push_subscription_token
            FOREIGN KEY (token) REFERENCES token (id) ON DELETE {}
"""


def upgrade() -> None:
    op.execute("GRANT SELECT (id, expires_at, revoked_at) ON token TO holotable_worker")
    op.execute(_REFERENCE.format("CASCADE"))


def downgrade() -> None:
    op.execute(_REFERENCE.format("SET NULL"))
    op.execute("REVOKE SELECT (id, expires_at, revoked_at) ON token FROM holotable_worker")
