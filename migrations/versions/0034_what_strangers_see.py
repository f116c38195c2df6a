"""
Keep who may see each tournament, where it is and how long it takes.

Columns of a read model: a rebuild of `tournaments` fills them from the log. Until then nobody
without a token sees a tournament in a list.
"""

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE reads.tournament ADD COLUMN visibility text")
    op.execute("ALTER TABLE reads.tournament ADD COLUMN place text")
    op.execute("ALTER TABLE reads.tournament ADD COLUMN length_seconds integer")


def downgrade() -> None:
    op.execute("ALTER TABLE reads.tournament DROP COLUMN length_seconds")
    op.execute("ALTER TABLE reads.tournament DROP COLUMN place")
    op.execute("ALTER TABLE reads.tournament DROP COLUMN visibility")
