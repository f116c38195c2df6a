"""
Record the giver of each code for a new password. A code works only while its giver may still give
it.

Older codes of leagues have no giver and are void.
"""

from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE password_reset ADD COLUMN given_by uuid")


def downgrade() -> None:
    op.execute("ALTER TABLE password_reset DROP COLUMN given_by")
