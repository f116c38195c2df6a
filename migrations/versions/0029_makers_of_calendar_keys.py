"""
Record the token that made each calendar key. The key ends with that token.

Existing keys have no such token. They hold for 366 days from the day they were made.
"""

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        """
        ALTER TABLE calendar_key
            ADD COLUMN token uuid CONSTRAINT fk_calendar_key_token REFERENCES token (id)
        """
    )
    op.execute("CREATE INDEX ix_calendar_key_token ON calendar_key (token)")


def downgrade() -> None:
    op.execute("ALTER TABLE calendar_key DROP COLUMN token")
