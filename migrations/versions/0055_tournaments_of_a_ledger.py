"""Find the tournaments of a season's ledger by an index.

Whether strangers may see a season depends on each tournament that gave points in it. Without the
index, each request for a public season read its whole ledger.
"""

from alembic import op

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("CREATE INDEX ix_ledger_season_tournament ON reads.ledger (season, tournament)")


def downgrade() -> None:
    op.execute("DROP INDEX reads.ix_ledger_season_tournament")
