"""
Keep one reset code of each origin for an account: the operator's, an owner's, a mailed one.

Anybody may request a mailed code. With one row for each account, that request ended a code of the
operator or of an owner. An older code without a league counts as the operator's. It may have been
mailed.
"""

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE password_reset ADD COLUMN origin text",
    """
    UPDATE password_reset SET origin = CASE WHEN league IS NULL THEN 'operator' ELSE 'owner' END
    """,
    "ALTER TABLE password_reset ALTER COLUMN origin SET NOT NULL",
    """
    ALTER TABLE password_reset ADD CONSTRAINT ck_password_reset_origin
        CHECK (origin IN ('operator', 'owner', 'mail'))
    """,
    "ALTER TABLE password_reset DROP CONSTRAINT pk_password_reset",
    "ALTER TABLE password_reset ADD CONSTRAINT pk_password_reset PRIMARY KEY (account, origin)",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("ALTER TABLE password_reset DROP CONSTRAINT pk_password_reset")
    op.execute(
        """
        DELETE FROM password_reset older USING password_reset newer
         WHERE older.account = newer.account
           AND (older.expires_at, older.origin) < (newer.expires_at, newer.origin)
        """
    )
    op.execute("ALTER TABLE password_reset ADD CONSTRAINT pk_password_reset PRIMARY KEY (account)")
    op.execute("ALTER TABLE password_reset DROP COLUMN origin")
