"""
Count the changes of each tournament's announced terms.

A column of a read model: a rebuild of `tournaments` fills it from the log.
"""

from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE reads.tournament ADD COLUMN terms_changes integer")


def downgrade() -> None:
    op.execute("ALTER TABLE reads.tournament DROP COLUMN terms_changes")
